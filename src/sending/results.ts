import { isErrorOf, LocalpostError, type ErrorCode, type FieldError } from '../core/errors.ts'
import { plainError, reviveError } from '../core/job-worker.ts'
import type { RememberedAnswer } from './idempotency.ts'
import type { SentEmail } from './types.ts'

/**
 * The outcome of one request of a call. The answer to a repeated idempotency key has no warnings, and the `message_id`s
 * of the first one.
 */
export type SendingResult = SentEmail | { error: LocalpostError }

/** What may be wrong with a send, beside its members: for every route that sends. */
export const sendErrors: readonly ErrorCode[] = [
  'invalid_attachment',
  'missing_variable',
  'invalid_template',
  'template_not_found',
  'message_too_large',
  'domain_not_verified',
  'domain_not_registered',
]

/** Whether an error says something about the request, and not about the store or the machine. */
export function isOfRequest(error: LocalpostError): boolean {
  return isErrorOf(error, 'validation_error', ...sendErrors)
}

/** The error of one of several requests, with its place. */
export function withIndex(error: unknown, i: number): unknown {
  if (!(error instanceof LocalpostError) || !isOfRequest(error)) return error
  // `validationError`, and `refuse` of check-request.ts, begin the message with the first field.
  const isNamed = error.errors?.some(({ field }) => error.message.startsWith(`${field}:`))
  const message = isNamed ? fieldAt(error.message, i) : `[${i}]: ${error.message}`
  return withFields(error, (field) => fieldAt(field, i), message)
}

/** The place of a member of one of several requests: `[1].to`. */
export function fieldAt(field: string, i: number): string {
  return field === 'body' ? `[${i}]` : `[${i}].${field}`
}

/** The same error with other names of its members. */
export function withFields(
  { code, message, status, headers, cause, errors }: LocalpostError,
  rename: (field: string) => string,
  newMessage: string = message,
): LocalpostError {
  const renamed = errors?.map((one): FieldError => ({ ...one, field: rename(one.field) }))
  // Not by the constructor, which would count those that are left out again.
  return Object.assign(new LocalpostError(code, newMessage, { status, headers, cause }), { errors: renamed })
}

/** A result as it is kept with an idempotency key. */
export function toRemembered(result: SendingResult): RememberedAnswer {
  if ('error' in result) return { error: plainError(result.error) }
  const { id, message_id } = result
  return { id, ...(message_id !== undefined && { message_id }) }
}

/** The result of a repeated idempotency key. */
export function toResult(answer: RememberedAnswer): SendingResult {
  if ('id' in answer) {
    const { id, message_id } = answer
    return { id, warnings: [], ...(message_id !== undefined && { message_id }) }
  }
  const error = reviveError(answer.error)
  if (error instanceof LocalpostError) return { error }
  throw error
}
