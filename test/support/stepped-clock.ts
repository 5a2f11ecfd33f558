import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'

/** A clock that is moved by hand, and runs what became due. */
export interface SteppedClock extends Clock {
  advance(ms: number): Promise<void>
  /** How many timers wait. */
  timers(): number
}

export function steppedClock(start: number): SteppedClock {
  let now = start
  const timers = new Set<{ at: number; run: () => void }>()
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    timers: () => timers.size,
    async advance(ms) {
      now += ms
      for (const timer of Array.from(timers)) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.run()
      }
      // What was begun goes through the store, in turns of the event loop.
      await sleep(20)
    },
  }
}
