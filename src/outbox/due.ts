import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailType } from '../emails/types.ts'
import type { Store } from '../store/store.ts'
import { bringForward, waitsTooLong } from './clock-steps.ts'

/** The emails of one type that wait in the store. */
export interface DueEmails {
  /**
   * @returns The ids of the emails that are due, in the order of their due times, and when the next one is due, in Unix
   *   milliseconds; `Infinity` if there is none. If there are `limit` ids, more emails may be due.
   */
  find(limit: number): Promise<{ ids: string[]; next: number }>
}

interface DueEmailsDeps {
  store: Store
  now(): number
  retryDelaysMs: readonly number[]
}

export function createDueEmails(
  type: EmailType,
  { store, now: timeOf, retryDelaysMs }: DueEmailsDeps,
): DueEmails {
  /** The time of the last search; null before the first. */
  let latest: number | null = null

  async function dueAt(now: number, limit: number): Promise<string[]> {
    const query = { index: 'outbox', prefix: [type], until: [type, now] as const, limit }
    return (await store.page(emailCollection, query)).records.map(({ id }) => id)
  }

  async function firstAfter(now: number): Promise<EmailRecord | undefined> {
    const query = { index: 'outbox', prefix: [type], after: [type, now] as const, limit: 1 }
    return (await store.page(emailCollection, query)).records[0]
  }

  return {
    async find(limit) {
      const now = timeOf()
      // The clock was set back, or this is the first search after a start, when the earlier time is unknown.
      const isStepped = latest === null || now < latest
      latest = now
      if (isStepped) await bringForward(store, type, now, retryDelaysMs)
      const ids = await dueAt(now, limit)
      if (ids.length === limit) return { ids, next: now }
      const first = await firstAfter(now)
      if (!first || !waitsTooLong(first, now, retryDelaysMs))
        return { ids, next: first?.outbox_due ?? Number.POSITIVE_INFINITY }
      await bringForward(store, type, now, retryDelaysMs)
      return { ids, next: now }
    },
  }
}
