import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'

/**
 * Resolves when memory has all that any instance had stored before the call, so that what one instance has acknowledged
 * counts at the others.
 *
 * @throws service_unavailable if the store cannot be read.
 */
export type Current = () => Promise<void>

/** @returns null for a store of this process alone. */
export function createCurrent(
  store: Pick<Store, 'isShared' | 'caughtUp'>,
  following: Following,
): Current | null {
  if (!store.isShared) return null
  return async () => {
    await store.caughtUp()
    await following.settled()
  }
}
