import { systemClock } from '../core/clock.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Store } from '../store/store.ts'

/** Background work that can be waited for. */
export interface Busy {
  idle(): Promise<void>
}

/**
 * Makes a function that waits for what an instance has begun: first deliveries, then webhooks and background work.
 *
 * The wait for deliveries ends when nothing is due, or when nothing was stored for a while: it would never end for a
 * delivery that a rule delays by the instance's own clock, which a test may hold.
 *
 * @param deps.first  What gives the outbox work; finished first.
 */
export function createSettle(deps: {
  store: Pick<Store, 'changes'>
  outbox: Pick<Outbox, 'idle'>
  first: readonly Busy[]
  others: readonly Busy[]
}): () => Promise<void> {
  const { store, outbox, first, others } = deps
  return () =>
    keepAlive(async () => {
      for (const work of first) await work.idle()
      await waitForDeliveries(store, outbox)
      for (const work of others) await work.idle()
    })
}

async function waitForDeliveries(store: Pick<Store, 'changes'>, outbox: Pick<Outbox, 'idle'>): Promise<void> {
  let isIdle = false
  const idle = outbox.idle().then(() => {
    isIdle = true
  })
  let turnsLeft = quietTurns
  const stopListening = store.changes(() => {
    turnsLeft = quietTurns
  })
  try {
    while (!isIdle && turnsLeft-- > 0) await Promise.race([idle, nextTurn()])
  } finally {
    stopListening()
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.after(turnMs, resolve))
}

// The time in which nothing is stored is counted in turns of the event loop: a process that had no processor for long
// first reads what has arrived.
const quietMs = 250
const turnMs = 5
const quietTurns = quietMs / turnMs
