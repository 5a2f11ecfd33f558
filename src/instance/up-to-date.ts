import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'

/**
 * Resolves when memory has everything that any instance had acknowledged before the call, so that what one instance has
 * acknowledged is known at all others.
 *
 * @throws service_unavailable if the store cannot be read.
 */
export type UpToDate = () => Promise<void>

/** @returns null if only this process uses the store. */
export function createUpToDate(
  store: Pick<Store, 'isShared' | 'caughtUp'>,
  following: Following,
): UpToDate | null {
  if (!store.isShared) return null
  return async () => {
    await store.caughtUp()
    await following.settled()
  }
}
