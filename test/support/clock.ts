import { systemClock, type Clock } from '../../src/core/clock.ts'
import { fixedClock, type HeldClock } from '../../src/core/manual-clock.ts'

/** The clock that the library offers to tests, with the number of waiting timers. */
export interface TestClock extends HeldClock {
  timers(): number
}

/** A clock that moves only when a test moves it. */
export function testClock(start: number = Date.UTC(2026, 0, 2, 3, 4, 5)): TestClock {
  const clock = fixedClock(start)
  const timers = new Set<symbol>()
  // The work in progress uses the store, in turns of the event loop.
  clock.onAdvance(async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
  return {
    ...clock,
    timers: () => timers.size,
    after(delayMs, run) {
      const timer = Symbol('timer')
      timers.add(timer)
      const cancel = clock.after(delayMs, () => {
        timers.delete(timer)
        run()
      })
      return () => {
        timers.delete(timer)
        cancel()
      }
    },
  }
}

/** The machine's clock, which can be moved ahead. */
export function movableClock(): Clock & { advance(ms: number): void } {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    after: systemClock.after,
    advance: (ms) => void (ahead += ms),
  }
}
