import { readFileSync } from 'node:fs'

/** The processor time of this thread in milliseconds, which the load of the machine does not change; elsewhere than on Linux the time. */
export function workedMs(): number {
  try {
    const nanoseconds = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0])
    // Kernels without this statistic say 0.
    if (nanoseconds > 0) return nanoseconds / 1e6
  } catch {
    // Not on Linux.
  }
  return performance.now()
}

/**
 * Begins to count a wait in ticks of 10 ms. A process that has no processor for a second counts one tick, so that a limit is
 * exceeded by what waits for a timer, and not by a busy machine.
 *
 * @returns A function that ends it, and returns the milliseconds.
 */
export function countWait(): () => number {
  let ticks = 0
  const timer = setInterval(() => ticks++, tickMs)
  // If what is waited for fails, the timer is not cleared.
  timer.unref()
  return () => {
    clearInterval(timer)
    return ticks * tickMs
  }
}

const tickMs = 10
