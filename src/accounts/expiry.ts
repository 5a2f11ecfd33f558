import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { AccountRecord } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/** Removes accounts whose time to live is over. */
export interface Expiry {
  /** Removes what is due, also removals that a crash interrupted, and plans the next time. */
  start(): Promise<void>
  /** Notes when an account is over; null: never. */
  plan(expires: number | null): void
  /** Looks again soon, after a removal that failed. */
  retry(): void
  /** Puts the removal of an account off, because it was used. */
  used(account: AccountRecord): void
  close(): void
}

/** @param deps.onError  Called with errors in the background; what failed is tried again. */
export function createExpiry(deps: {
  directory: AccountDirectory
  clock: Clock
  /** Whether this instance removes accounts; call `start` when that comes back. */
  isMine(): boolean
  remove(id: string): Promise<void>
  onError(error: unknown): void
}): Expiry {
  const { directory, clock } = deps
  let cancelTimer = (): void => {}
  let timerAt = Number.POSITIVE_INFINITY
  let isClosed = false

  async function removeOver(): Promise<void> {
    timerAt = Number.POSITIVE_INFINITY
    if (!deps.isMine()) return
    for (const { id } of directory.all()) {
      if (isClosed) return
      // It may have been used or removed while others were removed.
      const record = directory.record(id)
      if (!record || (!directory.isOver(record) && !record.is_removed)) continue
      try {
        await deps.remove(id)
      } catch (error) {
        if (isErrorOf(error, 'closed')) return
        deps.onError(error)
        retry()
      }
    }
    let next = Number.POSITIVE_INFINITY
    for (const { expires, is_removed } of directory.all())
      if (expires !== null && !is_removed) next = Math.min(next, expires)
    wakeAt(next)
  }

  /** A timer that comes too early only looks again, so a later time needs no other one. */
  function wakeAt(at: number): void {
    if (isClosed || at >= timerAt) return
    cancelTimer()
    timerAt = at
    const waitMs = Math.min(Math.max(at - clock.now(), shortestWaitMs), longestWaitMs)
    cancelTimer = clock.after(waitMs, () => void removeOver())
  }

  const retry = (): void => wakeAt(clock.now() + retryMs)

  return {
    start: removeOver,
    plan: (expires) => wakeAt(expires ?? Number.POSITIVE_INFINITY),
    retry,
    used({ id, ttl_ms }) {
      const current = directory.record(id)
      if (ttl_ms === null || !current || current.expires === null) return
      const expires = clock.now() + ttl_ms
      // Stored now and then: a restart must not remove an account that is in use.
      if (expires - current.expires < ttl_ms / 8) return
      directory.keep({ ...current, expires })
      void directory
        .change(id, (stored) => ({ ...stored, expires }))
        .catch((error: unknown) => {
          if (!isErrorOf(error, 'closed', 'not_found')) deps.onError(error)
        })
    },
    close() {
      isClosed = true
      cancelTimer()
    },
  }
}

const shortestWaitMs = 50
/** Wait after a removal that failed. */
const retryMs = 5000
/** Timers of the system take no more than 24 days; a clock may be set meanwhile. */
const longestWaitMs = 60 * 60 * 1000
