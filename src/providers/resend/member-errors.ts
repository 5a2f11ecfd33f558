import { type FieldError, LocalpostError, validationError } from '../../core/errors.ts'

/** The `cause` of an error whose first wrong member is missing: Resend has a name of its own for it. */
export const missingMember = 'missing_required_field'

/** What is wrong with a member of a body. */
export interface MemberError extends FieldError {
  /** Whether it is absent. Default: false. */
  readonly isMissing?: boolean
}

/** Refuses a body, with {@link missingMember} if its first error is that a member is missing. */
export function wrongMembers(found: readonly MemberError[]): LocalpostError {
  const errors = found.map(({ field, message }): FieldError => ({ field, message }))
  const cause = found[0]?.isMissing ? missingMember : undefined
  return new LocalpostError('validation_error', validationError(errors).message, { errors, cause })
}
