import type { BounceSubtype, BounceType, EmailEvent, EventStatus, RecipientState } from './types.ts'

/**
 * The statuses of a recipient. The interface shows the first five; the other three appear only on request, or after a
 * real local failure.
 */
export const eventStatuses = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'delivery_delayed',
  'complained',
  'failed',
] as const

/** The body of a request to a webhook for an event of an email: `type` says which members `data` has. */
export type EmailPayload = {
  [Status in EventStatus]: {
    type: `email.${Status}`
    /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
    timestamp: string
    /** The email, the address of the recipient, and all members of the event, named as in `last_event`. */
    data: { email_id: string; recipient: string } & Extract<EmailEvent, { status: Status }>
  }
}[EventStatus]

/** Amazon SES's bounce vocabulary, in the spelling of its events. */
export const bounceTypes = ['Permanent', 'Transient', 'Undetermined'] as const
/** The subtypes of bounces, in the same vocabulary. */
export const bounceSubtypes = [
  'General',
  'NoEmail',
  'Suppressed',
  'OnAccountSuppressionList',
  'MailboxFull',
  'MessageTooLarge',
  'ContentRejected',
  'AttachmentRejected',
  'Undetermined',
] as const
/** The subtypes of each type. The first one is the default. */
export const subtypesOf: Readonly<Record<BounceType, readonly [BounceSubtype, ...BounceSubtype[]]>> = {
  Permanent: ['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList'],
  Transient: ['General', 'MailboxFull', 'MessageTooLarge', 'ContentRejected', 'AttachmentRejected'],
  Undetermined: ['Undetermined'],
}

/**
 * The outcome of a recipient, for people: an opening does not hide a problem. A complaint stays; a bounce or failure
 * stays unless the mail was delivered later; a click takes precedence over a later opening. Otherwise it is the last
 * status.
 *
 * @returns undefined for a recipient without events.
 */
export function outcomeOf(events: readonly EmailEvent[]): EventStatus | undefined {
  // The most frequent case: a new mail.
  if (events.length === 1) return events[0]?.status
  const statuses = events.map(({ status }) => status)
  const sinceDelivery = statuses.slice(statuses.lastIndexOf('delivered') + 1)
  if (statuses.includes('complained')) return 'complained'
  return sinceDelivery.find((status) => lasting.has(status)) ?? statuses.at(-1)
}

const lasting: ReadonlySet<EventStatus> = new Set(['bounced', 'failed', 'clicked'])

/** Whether an event says that nothing was sent, because the address is on a suppression list: the account's, or that of SES. */
export function isSuppression(event: EmailEvent): boolean {
  return (
    event.status === 'bounced' &&
    (event.subtype === 'OnAccountSuppressionList' || event.subtype === 'Suppressed')
  )
}

/** A recipient whose only event is the acceptance. */
export function sentTo(recipient: string, timestamp: number): RecipientState {
  return { recipient, events: [{ status: 'sent', timestamp }] }
}

/**
 * The event of a server that accepted the message for a recipient.
 *
 * @param delivery.started  When the processing of the email began: Unix time in milliseconds.
 */
export function deliveredEvent(
  smtp_response: string,
  now: number,
  { reporting_mta, started }: { reporting_mta: string; started: number },
): EmailEvent {
  const processing_time_millis = Math.max(0, now - started)
  return { status: 'delivered', timestamp: now, processing_time_millis, reporting_mta, smtp_response }
}

/**
 * The email with further events in ascending time order, even if the clock was changed meanwhile: an event is never
 * older than the one before it.
 */
export function withEvents<T extends { recipients: RecipientState[] }>(
  email: T,
  added: ReadonlyMap<string, readonly EmailEvent[]>,
): T {
  return {
    ...email,
    recipients: email.recipients.map((state) => {
      const events = [...state.events]
      for (const event of added.get(state.recipient) ?? []) {
        const floor = events.at(-1)?.timestamp ?? 0
        events.push(event.timestamp < floor ? { ...event, timestamp: floor } : event)
      }
      return { ...state, events }
    }),
  }
}

/** The recipients without a final outcome. */
export function pendingRecipients({
  recipients,
}: {
  readonly recipients: readonly RecipientState[]
}): string[] {
  return recipients.filter((state) => !state.events.some(isOutcome)).map((state) => state.recipient)
}

/** Whether a recipient can have no further events: the mail bounced permanently, or was never composed. */
export function isOver(events: readonly EmailEvent[]): boolean {
  return events.some(
    (event) => event.status === 'failed' || (event.status === 'bounced' && event.type === 'Permanent'),
  )
}

const isOutcome = (event: EmailEvent): boolean =>
  event.status === 'delivered' || event.status === 'bounced' || event.status === 'failed'
