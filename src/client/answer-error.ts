import { errorTable, LocalpostError, type ErrorCode, type FieldError } from '../core/errors.ts'
import { membersOf } from '../core/members.ts'

/**
 * The error for an answer with an error status.
 *
 * @param text  The received body; its beginning is quoted if it is not an error body of the interface.
 * @param request  As the message names it: `GET http://127.0.0.1:8025/v1/emails`.
 */
export function toAnswerError(response: Response, text: string, request: string): LocalpostError {
  const { name, message, errors } = membersOf(parseJson(text))
  if (typeof name !== 'string' || !isCode(name) || typeof message !== 'string')
    return unexpectedAnswer(response, text, request)
  return new LocalpostError(name, message, { ...detailsOf(response), errors: fieldErrors(errors) })
}

/**
 * The error for an answer that does not match the interface, with its status and the beginning of its text.
 *
 * @param lack  What it lacks, as it follows the status in the message.
 */
export function unexpectedAnswer(
  response: Response,
  text: string,
  request: string,
  lack = '',
): LocalpostError {
  const beginning = text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text
  const message = `${request} answered ${response.status}${lack}: ${beginning || '(no body)'}`
  return new LocalpostError('unexpected_response', message, detailsOf(response))
}

const maxQuoted = 500

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorTable, name)
}

function fieldErrors(errors: unknown): FieldError[] | undefined {
  if (!Array.isArray(errors)) return undefined
  return errors.flatMap((error: unknown) => {
    const { field, message } = membersOf(error)
    return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : []
  })
}

function detailsOf({ status, headers }: Response): { status: number; headers: Record<string, string> } {
  const kept = [...headers].filter(([name]) => name === 'retry-after' || name === 'allow')
  return { status, headers: Object.fromEntries(kept) }
}
