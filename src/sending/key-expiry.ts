import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { remove, type Store } from '../store/store.ts'
import { idempotencyCollection, idempotencyPeriodMs } from './idempotency.ts'

/**
 * Removes expired keys soon after the start and each hour. Nothing else removes them. A start must not wait until all
 * keys are read.
 */
export function startKeyExpiry(deps: {
  store: Store
  clock: Clock
  /** Called with errors; the next hour tries again. */
  onError(error: unknown): void
}): { idle(): Promise<void>; close(): Promise<void> } {
  const { store, clock, onError } = deps
  let isClosed = false
  let cancel = (): void => {}

  async function sweep(): Promise<void> {
    try {
      for (let more = store.leadership.isMine(); more && !isClosed;) {
        const until: [number] = [clock.now() - idempotencyPeriodMs]
        const page = await store.page(idempotencyCollection, { index: 'created', until, limit: sliceSize })
        if (page.records.length > 0)
          await store.commit(
            page.records.map(({ id, version }) => remove(idempotencyCollection, id, version)),
          )
        more = page.more
      }
    } catch (error) {
      // A key that was used again meanwhile is not expired.
      if (!isErrorOf(error, 'closed') && !isErrorOf(error, 'version_conflict')) onError(error)
    }
    if (!isClosed) cancel = clock.after(sweepMs, begin)
  }

  let running: Promise<void> = Promise.resolve()
  function begin(): void {
    running = sweep()
  }
  cancel = clock.after(firstSweepMs, begin)
  return {
    idle: () => running,
    async close() {
      isClosed = true
      cancel()
      await running
    },
  }
}

const sliceSize = 200
const firstSweepMs = 10 * 1000
const sweepMs = 60 * 60 * 1000
