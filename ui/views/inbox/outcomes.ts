import type { EventStatus } from '../../../src/emails/types.ts'
import type { Mail, MailSummary } from '../../../src/inbox/types.ts'

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

/** The outcomes of the recipients, worst first: a later delivery must not hide a bounce. Of several, each has its count. */
export function outcomesOf({
  recipients,
  last_event,
}: Pick<Mail, 'recipients' | 'last_event'>): { status: EventStatus; count: number | undefined }[] {
  const counts = new Map<EventStatus, number>()
  for (const { events } of recipients) {
    const status = events.at(-1)?.status ?? last_event.status
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return [...counts]
    .sort(([one], [other]) => bySeverity(one, other))
    .map(([status, count]) => ({ status, count: counts.size > 1 ? count : undefined }))
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
