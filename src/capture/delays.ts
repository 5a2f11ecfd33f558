import type { Clock } from '../core/clock.ts'

/** A clock whose delays can all be ended at once: those that a rule or a fault puts before an answer. */
export interface Delays extends Clock {
  /**
   * As {@link Clock.after}.
   *
   * @param atEnd  What happens instead where `end` comes first. Default: the same as after the delay.
   */
  after(delayMs: number, run: () => void, atEnd?: () => void): () => void
  /** Ends every delay now, and each that is still asked for. */
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
