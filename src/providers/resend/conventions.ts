import type { EmailRecord } from '../../emails/email.ts'
import { messageIdOf } from '../../emails/message-id.ts'

/** The name of this provider. */
export const resend = 'resend'

/** The Message-ID of an email: that of its message, which may have been given, or the one that its message will get. */
export function shownMessageId(email: EmailRecord): string {
  return email.message?.message_id ?? messageIdOf(email)
}

/** A time as Resend writes it. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
