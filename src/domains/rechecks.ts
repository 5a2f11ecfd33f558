import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { pagesOf } from '../store/repository.ts'
import { domainCollection } from './domain.ts'

/** Looks up the records of domains at intervals. */
export interface Rechecks {
  /** Resolves when no look-up is under way. */
  idle(): Promise<void>
  /** Stops the intervals, and waits for the look-up that is under way. */
  close(): Promise<void>
}

/**
 * Looks up, at every interval, each registered domain whose verification was requested: pending ones and verified ones.
 * One after the other; a status that was set by hand is overruled.
 *
 * @param deps.intervalMs  Wait between two rounds; null: never.
 * @param deps.verify  Looks one domain up and stores the result.
 * @param deps.onError  Called with errors; the next round runs anyway.
 */
export function startRechecks(deps: {
  store: Store
  clock: Clock
  intervalMs: number | null
  verify(id: string): Promise<unknown>
  onError(error: unknown): void
}): Rechecks {
  const { store, clock, intervalMs } = deps
  if (intervalMs === null) return { idle: () => Promise.resolve(), close: () => Promise.resolve() }
  let isClosed = false
  let running: Promise<void> = Promise.resolve()
  async function round(): Promise<void> {
    if (!store.leadership.isMine()) return
    try {
      for await (const domains of pagesOf(store, domainCollection, { limit: 100 })) {
        for (const { id, registered, verification_started } of domains) {
          if (isClosed) return
          if (!registered || verification_started === null) continue
          // It may have been removed since the page was read. Any error with one domain must not stop the others.
          await deps.verify(id).catch((error: unknown) => {
            if (!isErrorOf(error, 'not_found', 'closed')) deps.onError(error)
          })
        }
      }
    } catch (error) {
      if (!isErrorOf(error, 'closed')) deps.onError(error)
    }
  }

  const begin = (): void => {
    running = round().finally(() => {
      if (!isClosed) cancel = clock.after(intervalMs, begin)
    })
  }
  let cancel = clock.after(intervalMs, begin)
  return {
    idle: () => running,
    close() {
      isClosed = true
      cancel()
      return running
    },
  }
}
