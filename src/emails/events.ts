import type { EmailRecord } from './email.ts'
import type { EmailEvent, RecipientState } from './types.ts'

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
export function withEvents(
  email: EmailRecord,
  added: ReadonlyMap<string, readonly EmailEvent[]>,
): EmailRecord {
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
export function pendingRecipients(email: EmailRecord): string[] {
  return email.recipients.filter((state) => !state.events.some(isOutcome)).map((state) => state.recipient)
}

/** Whether a recipient can have no further events: the mail bounced permanently, or was never composed. */
export function isOver(events: readonly EmailEvent[]): boolean {
  return events.some(
    (event) => event.status === 'failed' || (event.status === 'bounced' && event.type === 'Permanent'),
  )
}

function isOutcome(event: EmailEvent): boolean {
  return event.status === 'delivered' || event.status === 'bounced' || event.status === 'failed'
}
