import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { remove, type Store } from '../store/store.ts'
import { accountCollection, type AccountRecord } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/** Removes accounts with everything in them: on request, and when they expire. */
export interface AccountRemovals {
  /** Calls for the same account share one removal. */
  remove(id: string): Promise<void>
  /** Removes the expired accounts and those whose removal was interrupted by a crash, and sets a timer for the next one. */
  start(): Promise<void>
  /** Sets the timer for the expiry of an account; null: it never expires. */
  plan(expires: number | null): void
  /** Tries to remove accounts again soon, after a failed removal. */
  retry(): void
  /** Extends the life of an account, because it was used. */
  used(account: AccountRecord): void
  /** Begins no further removal, and waits for those that run. */
  close(): Promise<void>
}

/**
 * @param deps.store  Only the leader of its instances removes expired accounts. Call `start` when this one becomes it.
 * @param deps.shut  Closes an account if it is open.
 * @param deps.empty  Removes everything that an account holds; gets the digest of its SMTP password.
 */
export function createAccountRemovals(deps: {
  directory: AccountDirectory
  store: Store
  clock: Clock
  shut(id: string): Promise<void>
  empty(id: string, smtpDigest: string | null): Promise<void>
  onError(error: unknown): void
}): AccountRemovals {
  const { directory, store, clock } = deps
  const running = new Map<string, Promise<void>>()
  let cancelTimer = (): void => {}
  let timerAt = Number.POSITIVE_INFINITY
  let isClosed = false

  // First mark the account as removed, then close it, remove its data, and remove its record last. If a crash stops
  // this, the next start finishes the removal.
  async function removeWithData(id: string): Promise<void> {
    const record = directory.record(id)
    if (record && !record.is_removed) {
      directory.keep({ ...record, is_removed: true })
      try {
        await directory.change(id, (stored) => ({ ...stored, is_removed: true }))
      } catch (error) {
        directory.keep(record)
        throw error
      }
    }
    await deps.shut(id)
    await deps.empty(id, record?.smtp_digest ?? null)
    await store.commit([remove(accountCollection, id)])
    if (record) directory.forget(id, record.name)
  }

  function removeShared(id: string): Promise<void> {
    const known = running.get(id)
    if (known) return known
    const removing = removeWithData(id).finally(() => running.delete(id))
    running.set(id, removing)
    return removing
  }

  async function removeExpired(): Promise<void> {
    timerAt = Number.POSITIVE_INFINITY
    if (!store.leadership.isMine()) return
    for (const { id } of directory.all()) {
      if (isClosed) return
      // The account may have been used or removed during the removal of others.
      const record = directory.record(id)
      if (!record || (!directory.isExpired(record) && !record.is_removed)) continue
      try {
        await removeShared(id)
      } catch (error) {
        if (isErrorOf(error, 'closed')) return
        deps.onError(error)
        retry()
      }
    }
    for (const { expires, is_removed } of directory.all()) if (!is_removed) plan(expires)
  }

  /** An existing earlier timer stays: when it fires, the accounts are checked and the next timer is set. */
  function plan(at: number | null): void {
    if (isClosed || at === null || at >= timerAt) return
    cancelTimer()
    timerAt = at
    const waitMs = Math.min(Math.max(at - clock.now(), shortestWaitMs), longestWaitMs)
    cancelTimer = clock.after(waitMs, () => void removeExpired())
  }

  const retry = (): void => plan(clock.now() + retryMs)

  return {
    remove: removeShared,
    start: removeExpired,
    plan,
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
    async close() {
      isClosed = true
      cancelTimer()
      await Promise.allSettled(running.values())
    },
  }
}

const shortestWaitMs = 50
const retryMs = 5000
/** Node's timers are limited to 24 days, and the clock may be changed in the meantime. */
const longestWaitMs = 60 * 60 * 1000
