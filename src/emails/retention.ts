import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { emailCollection, type EmailRecord } from './email.ts'

/** Removes the emails that are too many or too old, oldest first, in the background. */
export interface Retention {
  /** Resolves when no removal is running. */
  idle(): Promise<void>
  /** Ends it, and waits for a running removal. */
  close(): Promise<void>
}

export interface RetentionDeps {
  store: Store
  clock: Clock
  /** How many emails are kept; null: all. */
  maxEmails: number | null
  /** How long emails are kept, in milliseconds; null: for ever. */
  maxAgeMs: number | null
  /** Called with errors; it tries again later. */
  onError(error: unknown): void
}

/**
 * Begins to apply the limits: at once, shortly after emails changed, and when the oldest is due. An email that is still
 * being delivered is kept until its outcome is final, and no younger one is removed instead.
 */
export function startRetention(deps: RetentionDeps): Retention {
  const { store, clock, maxEmails, maxAgeMs } = deps
  if (maxEmails === null && maxAgeMs === null)
    return { idle: () => Promise.resolve(), close: () => Promise.resolve() }
  let isClosed = false
  let running: Promise<void> | null = null
  let cancelTimer: (() => void) | null = null
  let timerAt = Number.POSITIVE_INFINITY

  function wakeIn(delayMs: number): void {
    const at = clock.now() + delayMs
    if (isClosed || at >= timerAt) return
    cancelTimer?.()
    timerAt = at
    cancelTimer = clock.after(delayMs, begin)
  }

  function begin(): void {
    timerAt = Number.POSITIVE_INFINITY
    if (isClosed || !store.leadership.isMine()) return
    if (running) return wakeIn(gatherMs)
    running = run().finally(() => (running = null))
  }

  async function run(): Promise<void> {
    try {
      if (maxEmails !== null) {
        const excess = (await store.count(emailCollection)) - maxEmails
        if (excess > 0) await sweep(excess, () => 'goes')
      }
      if (maxAgeMs === null) return
      const youngest = await sweep(Number.POSITIVE_INFINITY, ({ created }) => dueState(created, maxAgeMs))
      if (youngest) wakeIn(Math.min(youngest.created + maxAgeMs - clock.now(), longestWaitMs))
    } catch (error) {
      if (isErrorOf(error, 'closed')) return
      deps.onError(error)
      wakeIn(retryMs)
    }
  }

  /** An email with a time in the future, from a wrong clock, waits and does not delay the removal of others. */
  function dueState(created: number, ageMs: number): DueState {
    const now = clock.now()
    if (created > now) return 'waits'
    return created <= now - ageMs ? 'goes' : 'stays'
  }

  /**
   * Goes through the oldest emails in slices, and removes those with a final outcome.
   *
   * @param most  The maximum number to examine.
   * @returns The first email that stays, like all after it; null if there is none.
   */
  async function sweep(most: number, judge: (one: EmailRecord) => DueState): Promise<EmailRecord | null> {
    let left = most
    for (let after: [string] | undefined; left > 0 && !isClosed;) {
      const page = await store.page(emailCollection, { after, limit: Math.min(sliceSize, left) })
      const first = page.records.findIndex((email) => judge(email) === 'stays')
      const judged = first < 0 ? page.records : page.records.slice(0, first)
      const removals = judged
        .filter((email) => email.outbox === null && judge(email) === 'goes')
        .map(({ id }) => id)
      if (removals.length > 0) await store.bulk(emailCollection, removals, 'remove')
      const stays = page.records[first]
      if (stays) return stays
      left -= page.records.length
      const last = page.records.at(-1)
      if (!page.more || !last) return null
      after = [last.id]
    }
    return null
  }

  const stopListening = store.changes(
    (change) => {
      // Removals make nothing due; an update may have finished an email that had to be kept.
      if (mayMakeDue(change)) wakeIn(gatherMs)
    },
    { of: emailCollection },
  )
  const stopWaiting = store.leadership.onMine(() => wakeIn(0))
  wakeIn(0)
  return {
    async idle() {
      await running
    },
    async close() {
      isClosed = true
      cancelTimer?.()
      stopListening()
      stopWaiting()
      await running
    },
  }
}

/** Whether an email is removed, waits for a later pass, or stays with all after it. */
type DueState = 'goes' | 'waits' | 'stays'

function mayMakeDue(change: StoreChange): boolean {
  return change.op === 'bulk' ? change.updated > 0 : change.op !== 'remove'
}

/** How long new mail is collected before the limits are applied. */
const gatherMs = 250
/** Wait after a fault of the store. */
const retryMs = 5000
/** Timers of the system take no more than 24 days; a clock may be set meanwhile. */
const longestWaitMs = 60 * 60 * 1000
// Reading this many records takes a few milliseconds.
const sliceSize = 500
