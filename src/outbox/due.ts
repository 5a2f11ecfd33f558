import type { Clock } from '../core/clock.ts'
import { nextTurn } from '../core/machine.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { EmailType } from '../emails/types.ts'
import { pagesOf } from '../store/repository.ts'
import type { Store } from '../store/store.ts'

/**
 * Finds the emails of one type that are due in the store.
 *
 * @returns Their ids, in the order of their due times, and when the next one is due, in Unix milliseconds; `Infinity` if
 *   there is none. If there are `limit` ids, more emails may be due.
 */
export type FindDue = (limit: number) => Promise<{ ids: string[]; next: number }>

/**
 * Makes the search for the emails of one type. It also brings emails forward that would wait too long, because the clock was
 * set back.
 *
 * @param deps.retryDelaysMs  Waits before the second, third, … try.
 */
export function createFindDue(
  type: EmailType,
  deps: { store: Store; clock: Pick<Clock, 'now'>; retryDelaysMs: readonly number[] },
): FindDue {
  const { store, clock, retryDelaysMs } = deps
  const ofType = { index: 'outbox', prefix: [type] }
  /** The time of the last search; null before the first. */
  let lastSearch: number | null = null

  /**
   * Whether an email is due later than the longest delay explains: the clock was ahead when the time was stored, and was
   * set back since.
   */
  function waitsTooLong({ outbox }: EmailRecord, now: number): boolean {
    const { due = now, attempts = 0 } = outbox ?? {}
    const longest = attempts === 0 ? 0 : (retryDelaysMs[attempts - 1] ?? 0)
    return due - now > longest + toleranceMs
  }

  /** Makes emails due now that would wait too long. Examines every email that is due later. */
  async function bringForward(now: number): Promise<void> {
    const query = { ...ofType, after: [type, now], limit: pageSize }
    for await (const records of pagesOf(store, emailCollection, query)) {
      for (const { id } of records.filter((email) => waitsTooLong(email, now)))
        await modifyEmail(store, id, (stored) =>
          stored.outbox && waitsTooLong(stored, now)
            ? { ...stored, outbox: { ...stored.outbox, due: now }, outbox_due: now }
            : null,
        )
      await nextTurn()
    }
  }

  return async (limit) => {
    const now = clock.now()
    // The clock was set back, or this is the first search after a start, when the earlier time is unknown.
    const isSetBack = lastSearch === null || now < lastSearch
    lastSearch = now
    if (isSetBack) await bringForward(now)
    const due = await store.page(emailCollection, { ...ofType, until: [type, now], limit })
    const ids = due.records.map(({ id }) => id)
    if (ids.length === limit) return { ids, next: now }
    const later = await store.page(emailCollection, { ...ofType, after: [type, now], limit: 1 })
    const [first] = later.records
    if (!first || !waitsTooLong(first, now))
      return { ids, next: first?.outbox_due ?? Number.POSITIVE_INFINITY }
    await bringForward(now)
    return { ids, next: now }
  }
}

/** The clock of a machine is often corrected by less than this. */
const toleranceMs = 1000
const pageSize = 100
