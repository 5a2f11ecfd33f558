import type { EmailEvent, EventStatus } from './types.ts'

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
