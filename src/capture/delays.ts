import type { Clock } from '../core/clock.ts'

/** A clock for the delays of rules and faults, all of which can be ended at once. */
export interface Delays extends Clock {
  /** As {@link Clock.after}. @param atEnd  Called if {@link Delays.end} comes first. Default: `run`. */
  after(delayMs: number, run: () => void, atEnd?: () => void): () => void
  /** Ends every running delay. Later calls of `after` call `atEnd` at once. */
  end(): void
}

export function createDelays(clock: Clock): Delays {
  const pending = new Set<() => void>()
  let isEnded = false
  return {
    now: () => clock.now(),
    after(delayMs, run, atEnd = run) {
      if (isEnded) {
        atEnd()
        return () => {}
      }
      const end = (): void => {
        cancel()
        atEnd()
      }
      const stop = clock.after(delayMs, () => {
        pending.delete(end)
        run()
      })
      const cancel = (): void => {
        pending.delete(end)
        stop()
      }
      pending.add(end)
      return cancel
    },
    end() {
      isEnded = true
      for (const end of pending) end()
    },
  }
}
