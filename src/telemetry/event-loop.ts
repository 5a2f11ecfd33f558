import { monitorEventLoopDelay } from '../core/machine.ts'

/** How late the event loop ran its timers since the last read, in seconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Measures the delay of the event loop. It begins at the first read, so it costs nothing where nobody reads. */
export interface LoopMonitor {
  /** null where nothing was measured since the last read. */
  read(): LoopDelay | null
  close(): void
}

export function createLoopMonitor(): LoopMonitor {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | null = null
  return {
    read() {
      if (histogram === null) {
        histogram = monitorEventLoopDelay({ resolution: tickMs })
        histogram.enable()
        return null
      }
      if (histogram.count === 0) return null
      // It records the time between two ticks.
      const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - tickMs / 1000)
      const delay = {
        p50: late(histogram.percentile(50)),
        p99: late(histogram.percentile(99)),
        max: late(histogram.max),
      }
      histogram.reset()
      return delay
    },
    close: () => void histogram?.disable(),
  }
}

const tickMs = 20
