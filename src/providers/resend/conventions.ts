import { type FieldError, LocalpostError, validationError } from '../../core/errors.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { messageIdOf } from '../../emails/message-id.ts'

/** The name of this provider. */
export const resend = 'resend'

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

/** The Message-ID of an email: that of its message, which may have been given, or the one that its message will get. */
export function shownMessageId(email: EmailRecord): string {
  return email.message?.message_id ?? messageIdOf(email)
}

/** A time as Resend writes it. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
