import { systemClock } from '../core/clock.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { Store } from '../store/store.ts'

/** Background work that can be waited for. */
export interface Busy {
  idle(): Promise<void>
}

/**
 * Makes the wait for what an instance has begun: deliveries, then the webhooks that tell of them and what goes on by
 * itself. Deliveries are waited for until nothing is due, or nothing was stored for a quarter of a second of the
 * machine's time: one that waits for the instance's own clock, as a rule may have it, would else never end.
 */
export function createSettle(deps: {
  store: Store
  outbox: Outbox
  others: readonly Busy[]
}): () => Promise<void> {
  const { store, outbox, others } = deps
  return async () => {
    let cancel = (): void => {}
    let stopListening = (): void => {}
    const still = new Promise<void>((resolve) => {
      const begin = (): void => {
        cancel()
        cancel = systemClock.after(stillMs, resolve)
      }
      stopListening = store.changes(begin)
      begin()
    })
    await keepAlive(async () => {
      try {
        await Promise.race([outbox.idle(), still])
      } finally {
        cancel()
        stopListening()
      }
      for (const other of others) await other.idle()
    })
  }
}

const stillMs = 250
