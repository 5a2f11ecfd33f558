import type { EmailRecord } from '../../emails/email.ts'
import type { EmailEvent } from '../../emails/types.ts'

/** The name of this provider. */
export const resend = 'resend'

/** The Message-ID of an email, also before its message is written. */
export function messageIdOf({ message, id, envelope }: EmailRecord): string {
  return message?.message_id ?? `<${id}@${envelope.mail_from.slice(envelope.mail_from.lastIndexOf('@') + 1)}>`
}

/** A time as Resend writes it. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Whether an event says that nothing was sent, because the address is on the suppression list. */
export function isSuppression(event: EmailEvent): boolean {
  return (
    event.status === 'bounced' &&
    (event.subtype === 'OnAccountSuppressionList' || event.subtype === 'Suppressed')
  )
}
