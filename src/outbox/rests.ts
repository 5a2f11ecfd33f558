import type { Clock } from '../core/clock.ts'

/** Lets emails that met a fault rest before they are tried again: each time twice as long. */
export interface Rests {
  /** Resolves when the email may be tried again. */
  take(id: string): Promise<void>
  /** The email met no fault this time. */
  forget(id: string): void
  /** Ends every rest, those to come too. */
  end(): void
}

export function createRests(clock: Clock): Rests {
  /** How many faults each email met in a row. */
  const faults = new Map<string, number>()
  const running = new Set<() => void>()
  let hasEnded = false
  return {
    take(id) {
      const count = (faults.get(id) ?? 0) + 1
      // The one that failed most recently is last.
      faults.delete(id)
      faults.set(id, count)
      const [oldest] = faults.keys()
      if (faults.size > maxNoted && oldest !== undefined) faults.delete(oldest)
      return new Promise((resolve) => {
        if (hasEnded) return resolve()
        const end = (): void => {
          cancel()
          running.delete(end)
          resolve()
        }
        const cancel = clock.after(restAfter(count), end)
        running.add(end)
      })
    },
    forget: (id) => void faults.delete(id),
    end() {
      hasEnded = true
      for (const end of running) end()
    },
  }
}

/** How long to wait after so many faults in a row, in milliseconds. */
export function restAfter(faults: number): number {
  return Math.min(1000 * 2 ** (faults - 1), longestMs)
}

const longestMs = 60_000
const maxNoted = 1000
