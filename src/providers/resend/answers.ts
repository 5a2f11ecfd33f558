import type { Complete } from '../../core/complete.ts'
import type { EmailContent, EmailRecord } from '../../emails/email.ts'
import { isSuppression } from '../../emails/events.ts'
import { toLastEvent } from '../../emails/views.ts'
import { parseAddresses, type ParsedAddress } from '../../mime/headers/addresses.ts'
import { isScheduled, type ScheduledRecord } from '../../sending/scheduled.ts'
import { shownMessageId, toTime } from './conventions.ts'
import type { ResendEmailDetail, ResendListedEmail } from './email-schema.ts'

/** An email that was sent, or that waits for its time. */
type Email = EmailRecord | ScheduledRecord

/** An email as the list shows it. @param id  The id that Resend's answer gave. */
export function toListedEmail(email: Email, id: string): Complete<ResendListedEmail> {
  const isWaiting = isScheduled(email)
  const { from, to, cc, bcc, reply_to, subject } = isWaiting ? email.email : email
  return {
    id,
    // One that waits gets its own when it is sent.
    message_id: isWaiting ? '' : shownMessageId(email),
    to,
    from,
    created_at: toTime(email.created),
    subject,
    bcc: orNull(bcc),
    cc: orNull(cc),
    reply_to: reply_to === null ? null : parseAddresses(reply_to).map(formatAddress),
    last_event: isWaiting ? 'scheduled' : lastEventOf(email),
    scheduled_at: isWaiting ? toTime(email.send_at) : null,
  }
}

/** An email as it is shown alone, with its content. */
export function toEmailDetail(email: Email, id: string, content: EmailContent): ResendEmailDetail {
  const { metadata } = isScheduled(email) ? email.email : email
  const tags = metadata && Object.entries(metadata).map(([name, value]) => ({ name, value }))
  return {
    object: 'email',
    ...toListedEmail(email, id),
    html: content.html || null,
    text: content.text || null,
    ...(tags && { tags }),
  }
}

function formatAddress({ name, address }: ParsedAddress): string {
  return name === '' ? address : `${name} <${address}>`
}

function orNull(list: string[]): string[] | null {
  return list.length > 0 ? list : null
}

function lastEventOf(email: EmailRecord): ResendListedEmail['last_event'] {
  const { recipient, status, timestamp } = toLastEvent(email)
  if (status !== 'bounced') return status
  const events = email.recipients.find((state) => state.recipient === recipient)?.events ?? []
  const event = events.find((one) => one.status === 'bounced' && one.timestamp === timestamp)
  return event && isSuppression(event) ? 'suppressed' : 'bounced'
}
