import { errorTable, type ErrorCode } from './error-table.ts'
import { andMore, maxNamed } from './quote.ts'
import type { ErrorBody, FieldError } from './types.ts'

export { errorTable, type ErrorCode } from './error-table.ts'
export type { ErrorBody, FieldError } from './types.ts'

/** Members of an error beside its code and message. */
export interface ErrorDetails {
  /** One entry per wrong member. */
  errors?: readonly FieldError[]
  /** Response headers that belong to the error: `Allow`, `Retry-After`. */
  headers?: Readonly<Record<string, string>>
  /** Default: that of the code. */
  status?: number
  cause?: unknown
}

/**
 * The only error that Localpost throws on purpose. Branch on `code`, never on the message.
 *
 * @example
 * try { await post.emails.send(mail) } catch (error) {
 *   if (error instanceof LocalpostError && error.code === 'domain_not_verified') …
 * }
 */
export class LocalpostError extends Error {
  override readonly name = 'LocalpostError'
  readonly code: ErrorCode
  /** The HTTP status that this error answers with. */
  readonly status: number
  /** At most 100, and one more that counts the others. */
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? errorTable[code].status
    this.errors = details.errors && firstErrors(details.errors)
    this.headers = details.headers ?? {}
  }

  toJSON(): ErrorBody {
    const body: ErrorBody = { statusCode: this.status, name: this.code, message: this.message }
    return this.errors ? { ...body, errors: [...this.errors] } : body
  }
}

// Also true for an error of another copy of this class: of the client, or of another package that bundles this one. Not
// a static method: the compiler declares a method of this name twice where it writes the types of one file.
Object.defineProperty(LocalpostError, Symbol.hasInstance, {
  value: (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Reflect.get(value, brand) === true,
})

const brand = Symbol.for('localpost.error')
Object.defineProperty(LocalpostError.prototype, brand, { value: true })

/** Whether something thrown is an error with one of these codes. */
export function isErrorOf(error: unknown, ...codes: ErrorCode[]): error is LocalpostError {
  return error instanceof LocalpostError && codes.includes(error.code)
}

function firstErrors(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length <= maxNamed) return errors
  return [...errors.slice(0, maxNamed), { field: 'body', message: andMore(errors.length - maxNamed) }]
}

/** The error of several wrong members, with a message that names the first; `errors` has at most 100, and a count. */
export function validationError(errors: readonly FieldError[]): LocalpostError {
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : ''
  const message = first ? `${first.field}: ${first.message}${more}` : 'The request is not valid.'
  return new LocalpostError('validation_error', message, { errors })
}

/** The error of a wrong option, command line or configuration. */
export function invalidOption(message: string, cause?: unknown): LocalpostError {
  return new LocalpostError('invalid_option', message, { cause })
}

/** What a call gives; null where it is rejected with this code. */
export async function nullOn<T>(code: ErrorCode, call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isErrorOf(error, code)) return null
    throw error
  }
}

/** The system's code of an error (`ENOENT`), or `""`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
