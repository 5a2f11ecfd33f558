import { errorTable, LocalpostError, type ErrorCode, type FieldError } from '../core/errors.ts'
import { membersOf } from '../core/members.ts'

/**
 * The error for an answer with an error status.
 *
 * @param text  The received body; its beginning is quoted if it is not an error body of the interface.
 * @param what  The request, as the message names it.
 */
export function toAnswerError(response: Response, text: string, what: string): LocalpostError {
  const { status } = response
  const said = membersOf(parseJson(text))
  const headers = keptHeaders(response.headers)
  const { name, message } = said
  if (typeof name === 'string' && isCode(name) && typeof message === 'string') {
    const errors = fieldErrors(said['errors'])
    return new LocalpostError(name, message, { status, headers, ...(errors ? { errors } : {}) })
  }
  return unexpectedAnswer(response, text, what)
}

/** The error for an answer that does not match the interface, with its status and the beginning of its text. */
export function unexpectedAnswer(response: Response, text: string, what: string, lack = ''): LocalpostError {
  const { status } = response
  const beginning = text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text
  return new LocalpostError(
    'unexpected_response',
    `${what} answered ${status}${lack}: ${beginning || '(no body)'}`,
    { status, headers: keptHeaders(response.headers) },
  )
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

function keptHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    ['retry-after', 'allow'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}
