import type { Complete } from '../../core/complete.ts'
import type { EmailContent, EmailRecord } from '../../emails/email.ts'
import { toLastEvent } from '../../emails/views.ts'
import type { ResendEmailDetail, ResendListedEmail } from './types.ts'
import { isSuppression, messageIdOf, toTime } from './words.ts'

/** A page of a list. */
export function toList<T>(data: readonly T[], has_more: boolean): object {
  return { object: 'list', has_more, data }
}

/** @param id  The id that Resend's answer gave. */
export function toListedEmail(email: EmailRecord, id: string): Complete<ResendListedEmail> {
  const { from, to, cc, bcc, reply_to, subject, created } = email
  return {
    id,
    message_id: messageIdOf(email),
    to,
    from,
    created_at: toTime(created),
    subject,
    bcc: orNull(bcc),
    cc: orNull(cc),
    reply_to: reply_to === null ? null : [reply_to],
    last_event: lastEventOf(email),
    scheduled_at: null,
  }
}

export function toEmailDetail(email: EmailRecord, id: string, content: EmailContent): ResendEmailDetail {
  const { metadata } = email
  const tags = metadata && Object.entries(metadata).map(([name, value]) => ({ name, value }))
  return {
    object: 'email',
    ...toListedEmail(email, id),
    html: content.html || null,
    text: content.text || null,
    ...(tags && { tags }),
  }
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
