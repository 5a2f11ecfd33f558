import { monitorEventLoopDelay, monotonicNow } from '../core/machine.ts'

/** How late the event loop ran its timers between two measurements, in seconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Measures the delay of the event loop. It begins at the first read, so it costs nothing if it is never read. */
export interface LoopMonitor {
  /**
   * The delay since the previous measurement. A measurement is kept for ten seconds, so that several readers get the same one.
   *
   * @returns null at the first read, and where nothing was measured.
   */
  read(): LoopDelay | null
  close(): void
}

/** @param now  Monotonic time in milliseconds. */
export function createLoopMonitor(now: () => number = monotonicNow): LoopMonitor {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | null = null
  let last: { delay: LoopDelay; at: number } | null = null
  return {
    read() {
      if (histogram === null) {
        histogram = monitorEventLoopDelay({ resolution: tickMs })
        histogram.enable()
        return null
      }
      if (last !== null && now() - last.at < keptMs) return last.delay
      if (histogram.count === 0) return null
      // It records the time between two ticks.
      const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - tickMs / 1000)
      const delay = {
        p50: late(histogram.percentile(50)),
        p99: late(histogram.percentile(99)),
        max: late(histogram.max),
      }
      histogram.reset()
      last = { delay, at: now() }
      return delay
    },
    close: () => void histogram?.disable(),
  }
}

const tickMs = 20
const keptMs = 10_000
