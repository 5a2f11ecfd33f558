import type { EventStatus } from '../../../src/emails/types.ts'
import type { MailSummary } from '../../../src/inbox/types.ts'

/** The most important outcome of a mail. */
export interface Outcome {
  status: EventStatus
  /** How many of the recipients it is true of: `1 of 4`; `""` if it is all of them. */
  share: string
}

/** The worst that came of a mail for any recipient; where all is well, what got furthest. */
export function worstOf({ outcomes, last_event }: Pick<MailSummary, 'outcomes' | 'last_event'>): Outcome {
  const status = worstFirst.find((one) => outcomes[one]) ?? last_event.status
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const count = outcomes[status] ?? all
  return { status, share: count < all ? `${count} of ${all}` : '' }
}

/** Sorts the worst first. */
export function bySeverity(one: EventStatus, other: EventStatus): number {
  return worstFirst.indexOf(one) - worstFirst.indexOf(other)
}

const worstFirst: readonly EventStatus[] = [
  'failed',
  'bounced',
  'complained',
  'delivery_delayed',
  'sent',
  'clicked',
  'opened',
  'delivered',
]
