import type { Clock } from '../core/clock.ts'

/** Remembers when closed accounts have work to do, and wakes them. */
export class AccountWakes {
  readonly #clock: Clock
  readonly #wake: (id: string) => void
  readonly #times = new Map<string, number>()
  #cancelTimer = (): void => {}
  #timerAt = Number.POSITIVE_INFINITY
  #isClosed = false

  /** @param wake  Called with the id of an account when its time has come. */
  constructor(clock: Clock, wake: (id: string) => void) {
    this.#clock = clock
    this.#wake = wake
  }

  /** @param at  null: never. */
  plan(id: string, at: number | null): void {
    this.#times.delete(id)
    if (at === null) return
    this.#times.set(id, at)
    this.#wakeAt(at)
  }

  forget(id: string): void {
    this.#times.delete(id)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  #wakeAt(at: number): void {
    if (this.#isClosed || at >= this.#timerAt) return
    this.#cancelTimer()
    this.#timerAt = at
    // The clock may be set in the meantime, so no timer runs longer than an hour.
    const waitMs = Math.min(Math.max(at - this.#clock.now(), shortestWaitMs), longestWaitMs)
    this.#cancelTimer = this.#clock.after(waitMs, () => this.#wakeDue())
  }

  #wakeDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    for (const [id, at] of this.#times) {
      if (at > now) continue
      this.#times.delete(id)
      this.#wake(id)
    }
    this.#wakeAt(Math.min(...this.#times.values()))
  }
}

const shortestWaitMs = 50
const longestWaitMs = 60 * 60 * 1000
