import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { AccountRecord } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/** Removes expired accounts. */
export interface Expiry {
  /** Removes the expired accounts and those whose removal was interrupted by a crash, and sets a timer for the next one. */
  start(): Promise<void>
  /** Sets the timer for the expiry of an account; null: it never expires. */
  plan(expires: number | null): void
  /** Tries to remove accounts again soon, after a failed removal. */
  retry(): void
  /** Extends the life of an account, because it was used. */
  used(account: AccountRecord): void
  close(): void
}

/** @param deps.onError  Called with errors of background work, which is then tried again. */
export function createExpiry(deps: {
  directory: AccountDirectory
  clock: Clock
  /** Whether this instance removes accounts. Call `start` when this becomes true again. */
  isLeader(): boolean
  remove(id: string): Promise<void>
  onError(error: unknown): void
}): Expiry {
  const { directory, clock } = deps
  let cancelTimer = (): void => {}
  let timerAt = Number.POSITIVE_INFINITY
  let isClosed = false

  async function removeExpired(): Promise<void> {
    timerAt = Number.POSITIVE_INFINITY
    if (!deps.isLeader()) return
    for (const { id } of directory.all()) {
      if (isClosed) return
      // The account may have been used or removed during the removal of others.
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

  /** An existing earlier timer stays: when it fires, the accounts are checked and the next timer is set. */
  function wakeAt(at: number): void {
    if (isClosed || at >= timerAt) return
    cancelTimer()
    timerAt = at
    const waitMs = Math.min(Math.max(at - clock.now(), shortestWaitMs), longestWaitMs)
    cancelTimer = clock.after(waitMs, () => void removeExpired())
  }

  const retry = (): void => wakeAt(clock.now() + retryMs)

  return {
    start: removeExpired,
    plan: (expires) => wakeAt(expires ?? Number.POSITIVE_INFINITY),
    retry,
    used({ id, ttl_ms }) {
      const current = directory.record(id)
      if (ttl_ms === null || !current || current.expires === null) return
      const expires = clock.now() + ttl_ms
      // Stored rarely, to save commits, but often enough that a restart does not remove an account in use.
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
/** Node's timers are limited to 24 days, and the clock may be changed in the meantime. */
const longestWaitMs = 60 * 60 * 1000
