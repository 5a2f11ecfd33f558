import type { Complete } from '../core/complete.ts'
import type { EmailContent, EmailRecord } from './email.ts'
import type {
  EmailDetail,
  EmailEvent,
  EmailListItem,
  EmailMembers,
  LastEvent,
  RecipientEvent,
  RecipientStatus,
} from './types.ts'
import { shorten } from '../core/quote.ts'
import { maxSubjectBytes } from './render.ts'
import { pick } from '../core/pick.ts'
import { emailMembers } from './schema.ts'

/** The subject as lists show it: a page of a list must not grow with the headers of hostile mail. */
export function listedSubject({ subject }: Pick<EmailRecord, 'subject'>): string {
  return shorten(subject, maxListedSubject)
}

/** In characters. */
const maxListedSubject = maxSubjectBytes

/** The list item of an email, with exactly the members of docs/interface.md 2.1. */
export function toListItem(email: EmailRecord): Complete<EmailListItem> {
  return {
    id: email.id,
    type: email.type,
    to: toOf(email),
    subject: listedSubject(email),
    last_event: toLastEvent(email),
    email_sent_timestamp: email.created,
    recipient_statuses: email.recipients.map(({ recipient, events }) =>
      toRecipientStatus(recipient, latest(events)),
    ),
  }
}

/** The detail of an email, with exactly the members of docs/interface.md 2.2. */
export function toDetail(email: EmailRecord, content: EmailContent): Complete<EmailDetail> {
  return {
    id: email.id,
    type: email.type,
    to: toOf(email),
    subject: email.subject,
    last_event: toLastEvent(email),
    email_sent_timestamp: email.created,
    template_id: email.template_id,
    domain_id: email.domain_id,
    html: content.html,
    text: content.text,
    from: email.from,
    recipient_statuses: email.recipients.map(({ recipient, events }) => ({
      recipient,
      events: events.map(toRecipientEvent),
    })),
  }
}

/** The members of an email that the inbox shows as they are stored; an optional one may be undefined. */
export function toMembers(email: EmailRecord): Complete<EmailMembers> {
  return pick(email, memberNames)
}

const memberNames = Object.keys(emailMembers) as readonly (keyof EmailMembers)[]

// The interface always shows a recipient; a submission may name none in its header.
const toOf = ({ to, envelope }: EmailRecord): string[] => (to.length > 0 ? to : envelope.rcpt_to)

/** The newest event over all recipients; of several at the same time, that of the last recipient. */
export function toLastEvent(email: EmailRecord): LastEvent {
  let newest: { recipient: string; event: EmailEvent } | undefined
  for (const { recipient, events } of email.recipients) {
    const event = latest(events)
    if (!newest || event.timestamp >= newest.event.timestamp) newest = { recipient, event }
  }
  if (!newest) throw new Error(`email ${email.id} has no recipient`)
  const { recipient, event } = newest
  const base = { recipient, timestamp: event.timestamp }
  switch (event.status) {
    case 'delivered':
      return {
        ...base,
        ...pick(event, ['status', 'processing_time_millis', 'reporting_mta', 'smtp_response']),
      }
    case 'bounced':
      return { ...base, ...pick(event, ['status', 'type', 'subtype']) }
    case 'clicked':
      return { ...base, ...pick(event, ['status', 'link', 'user_agent', 'ip']) }
    case 'sent':
    case 'opened':
    case 'complained':
    case 'failed':
    case 'delivery_delayed':
      return { ...base, status: event.status }
  }
}

function toRecipientStatus(recipient: string, event: EmailEvent): RecipientStatus {
  const base = { recipient, timestamp: event.timestamp }
  return event.status === 'bounced'
    ? { ...base, status: event.status, type: event.type, subtype: event.subtype }
    : { ...base, status: event.status }
}

/** An event as the detail shows it, with exactly the members of docs/interface.md 2.2. */
export function toRecipientEvent(event: EmailEvent): RecipientEvent {
  return event.status === 'opened' || event.status === 'clicked'
    ? { status: event.status, timestamp: event.timestamp, ip: event.ip, user_agent: event.user_agent }
    : { status: event.status, timestamp: event.timestamp }
}

function latest(events: readonly EmailEvent[]): EmailEvent {
  const event = events.at(-1)
  if (!event) throw new Error('a recipient without events: `sent` is written with the email')
  return event
}
