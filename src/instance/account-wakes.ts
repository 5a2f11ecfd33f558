import type { Clock } from '../core/clock.ts'

/** Remembers when closed accounts have work to do, and wakes them. */
export interface AccountWakes {
  /** @param at  null: never. */
  plan(id: string, at: number | null): void
  forget(id: string): void
  close(): void
}

/** @param wake  Called with the id of an account when its time has come. */
export function createAccountWakes(clock: Clock, wake: (id: string) => void): AccountWakes {
  const times = new Map<string, number>()
  let cancelTimer: (() => void) | null = null
  let timerAt = Number.POSITIVE_INFINITY
  let isClosed = false

  function run(): void {
    timerAt = Number.POSITIVE_INFINITY
    const now = clock.now()
    for (const [id, at] of times) {
      if (at > now) continue
      times.delete(id)
      wake(id)
    }
    let next = Number.POSITIVE_INFINITY
    for (const at of times.values()) next = Math.min(next, at)
    wakeAt(next)
  }

  function wakeAt(at: number): void {
    if (isClosed || at >= timerAt) return
    cancelTimer?.()
    timerAt = at
    // The clock may be set in the meantime, so no timer runs longer than an hour.
    cancelTimer = clock.after(Math.min(Math.max(at - clock.now(), shortestWaitMs), longestWaitMs), run)
  }

  return {
    plan(id, at) {
      times.delete(id)
      if (at === null) return
      times.set(id, at)
      wakeAt(at)
    },
    forget: (id) => void times.delete(id),
    close() {
      isClosed = true
      cancelTimer?.()
    },
  }
}

const shortestWaitMs = 50
const longestWaitMs = 60 * 60 * 1000
