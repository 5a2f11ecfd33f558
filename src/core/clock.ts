import { clearTimeout, dateNow, setTimeout } from './machine.ts'

/** The clock, injected everywhere so that tests can control it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /**
   * Calls `run` once after a delay, however long, and never after `Infinity`. The timer does not keep the process
   * alive.
   *
   * @returns A function that cancels the call; harmless afterwards.
   */
  after(delayMs: number, run: () => void): () => void
}

/** The clock of the machine. */
export const systemClock: Clock = clockOf({ setTimeout, clearTimeout })

/** The machine's time with other timers, for the tests of long delays. */
export function clockOf(timers: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>): Clock {
  return {
    now: dateNow,
    after(delayMs, run) {
      let timer: NodeJS.Timeout
      const wait = (leftMs: number): void => {
        const stepMs = Math.min(leftMs, maxTimerMs)
        timer = timers.setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : run()), stepMs)
        timer.unref()
      }
      wait(delayMs)
      return () => timers.clearTimeout(timer)
    },
  }
}

// A longer timer runs at once.
const maxTimerMs = 0x7fffffff
