import type { EmailRecord } from '../../emails/email.ts'
import { messageIdOf as writtenId } from '../../emails/message-id.ts'

/** The name of this provider. */
export const resend = 'resend'

/** The `cause` of an error whose first wrong member is missing: Resend has a name of its own for it. */
export const missingMember = 'missing_required_field'

/** The Message-ID of an email, also before its message is written. */
export function messageIdOf(email: EmailRecord): string {
  return email.message?.message_id ?? writtenId(email)
}

/** A time as Resend writes it. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
