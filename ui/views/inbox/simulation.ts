import type { EmailEvent, EventStatus } from '../../../src/emails/types.ts'

/** Why nothing like this can happen to a recipient any more, or not yet, in a sentence; `""` if it can. */
export function obstacleTo(status: EventStatus, events: readonly EmailEvent[]): string {
  if (events.some((event) => event.status === 'failed')) return 'The mail failed: nothing happens after that.'
  if (events.some((event) => event.status === 'bounced' && event.type === 'Permanent'))
    return 'The mail bounced permanently: nothing happens after that.'
  const isDelivered = events.some((event) => event.status === 'delivered')
  if (!needsDelivery.has(status)) return isDelivered ? 'The mail is delivered already.' : ''
  return isDelivered ? '' : 'The mail is not delivered yet.'
}

const needsDelivery: ReadonlySet<EventStatus> = new Set(['opened', 'clicked', 'complained'])
