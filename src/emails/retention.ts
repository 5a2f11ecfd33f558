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
  /** Called with errors; the removal is tried again later. */
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
      await sweep()
    } catch (error) {
      if (isErrorOf(error, 'closed')) return
      deps.onError(error)
      wakeIn(retryMs)
    }
  }

  /** Goes through the oldest emails in slices up to the first one that stays, and removes those with a final outcome. */
  async function sweep(): Promise<void> {
    let excess = maxEmails === null ? 0 : Math.max(0, (await store.count(emailCollection)) - maxEmails)
    let after: [string] | undefined
    while (!isClosed && (excess > 0 || maxAgeMs !== null)) {
      const limit = maxAgeMs === null ? Math.min(sliceSize, excess) : sliceSize
      const { records, more } = await store.page(emailCollection, { after, limit })
      const { removals, judged, stays } = judge(records, { now: clock.now(), excess, maxAgeMs })
      if (removals.length > 0)
        await store.bulk(
          emailCollection,
          removals.map(({ id }) => id),
          'remove',
        )
      excess -= judged
      const last = records.at(-1)
      if (stays && maxAgeMs !== null) wakeIn(Math.min(stays.created + maxAgeMs - clock.now(), longestWaitMs))
      if (stays || !more || !last) return
      after = [last.id]
    }
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

/**
 * Judges the oldest emails, or those that follow what was judged before, up to the first one that stays.
 *
 * @param limits.excess  How many of them are too many: the first ones, also those that are kept until their outcome.
 * @returns The emails to remove; how many were judged; the one that stays, and ends the sweep, if there is one.
 */
function judge(
  records: readonly EmailRecord[],
  { now, excess, maxAgeMs }: { now: number; excess: number; maxAgeMs: number | null },
): { removals: EmailRecord[]; judged: number; stays: EmailRecord | undefined } {
  const isExpired = ({ created }: EmailRecord, at: number): boolean =>
    at < excess || (maxAgeMs !== null && created <= now - maxAgeMs)
  // A time in the future is from a wrong clock. Such an email waits, and does not delay the removal of others.
  const first = records.findIndex((email, at) => !isExpired(email, at) && email.created <= now)
  const judged = first < 0 ? records : records.slice(0, first)
  const removals = judged.filter((email, at) => email.outbox === null && isExpired(email, at))
  return { removals, judged: judged.length, stays: records[first] }
}

const mayMakeDue = (change: StoreChange): boolean =>
  change.op === 'bulk' ? change.updated > 0 : change.op !== 'remove'

/** How long new mail is collected before the limits are applied. */
const gatherMs = 250
/** Wait after a fault of the store. */
const retryMs = 5000
/** Timers of the system take no more than 24 days; a clock may be set meanwhile. */
const longestWaitMs = 60 * 60 * 1000
// Reading this many records takes a few milliseconds.
const sliceSize = 500
