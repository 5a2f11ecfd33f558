import { remove, type Store } from '../store/store.ts'
import { accountCollection } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/** Removes accounts with everything in them. */
export interface Removals {
  /** Calls for the same account share one removal. */
  remove(id: string): Promise<void>
  /** Waits for the removals that run. */
  idle(): Promise<void>
}

/**
 * @param deps.shut  Closes an account if it is open.
 * @param deps.empty  Removes everything that an account holds; gets the digest of its SMTP password.
 */
export function createRemovals(deps: {
  directory: AccountDirectory
  store: Store
  shut(id: string): Promise<void>
  empty(id: string, password: string | null): Promise<void>
}): Removals {
  const { directory, store } = deps
  const running = new Map<string, Promise<void>>()

  // First mark the account as removed, then close it, remove its data, and remove its record last. If a crash stops
  // this, the next start finishes the removal.
  async function removeAll(id: string): Promise<void> {
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

  return {
    remove(id) {
      const known = running.get(id)
      if (known) return known
      const removing = removeAll(id).finally(() => running.delete(id))
      running.set(id, removing)
      return removing
    },
    async idle() {
      await Promise.allSettled(running.values())
    },
  }
}
