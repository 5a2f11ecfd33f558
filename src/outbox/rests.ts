import type { Clock } from '../core/clock.ts'

/** Delays the next try of an email after an error: 1 second, doubled after each further error, up to a minute. */
export interface Rests {
  /** Resolves when the email may be tried again. */
  take(id: string): Promise<void>
  /** Call it after a try without an error. */
  forget(id: string): void
  /** Ends all waits, including later ones. */
  end(): void
}

export function createRests(clock: Clock): Rests {
  /** The number of consecutive errors of each email. */
  const faults = new Map<string, number>()
  const running = new Set<() => void>()
  let hasEnded = false
  return {
    take(id) {
      const count = (faults.get(id) ?? 0) + 1
      // Deleted and added again, so that the email that failed most recently is last.
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

/** How long to wait after this many consecutive errors, in milliseconds. */
export function restAfter(faults: number): number {
  return Math.min(1000 * 2 ** (faults - 1), longestMs)
}

const longestMs = 60_000
const maxNoted = 1000
