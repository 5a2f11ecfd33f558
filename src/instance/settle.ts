import { systemClock } from '../core/clock.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { Store } from '../store/store.ts'

/** Background work that can be waited for. */
export interface Busy {
  idle(): Promise<void>
}

/**
 * Creates a function that waits for what an instance has begun: first deliveries, then webhooks and background work.
 * The wait for deliveries ends when nothing is due, or when nothing was stored for about 250 ms of the machine's time. Otherwise
 * it would never end for a delivery that a rule delays by the instance's own clock, which a test may hold. The time is
 * counted in turns of the event loop, so that a process that had no processor for long first reads what has arrived.
 */
export function createSettle(deps: {
  store: Store
  outbox: Outbox
  /** What gives the outbox work; finished first. */
  first: readonly Busy[]
  others: readonly Busy[]
}): () => Promise<void> {
  const { store, outbox, first, others } = deps
  return async () => {
    await keepAlive(async () => {
      for (const one of first) await one.idle()
      const quiet = waitForQuiet(store)
      try {
        await Promise.race([outbox.idle(), quiet.begun])
      } finally {
        quiet.cancel()
      }
      for (const other of others) await other.idle()
    })
  }
}

/** Waits until nothing was stored for some turns of the event loop. */
function waitForQuiet(store: Store): { begun: Promise<void>; cancel(): void } {
  let cancelTick = (): void => {}
  let stopListening = (): void => {}
  const begun = new Promise<void>((resolve) => {
    let left = quietTurns
    const tick = (): void => {
      if (left-- === 0) resolve()
      else cancelTick = systemClock.after(turnMs, tick)
    }
    stopListening = store.changes(() => (left = quietTurns))
    tick()
  })
  return {
    begun,
    cancel() {
      cancelTick()
      stopListening()
    },
  }
}

/** 250 ms, if the process has a processor all the time. */
const quietTurns = 50
const turnMs = 5
