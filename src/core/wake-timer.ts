import type { Clock } from './clock.ts'

/** Wakes its owner at the earliest of the times that were asked for. There is one timer, or none. */
export class WakeTimer {
  readonly #clock: Clock
  readonly #wake: () => void
  /** When the timer wakes the owner; infinity without one. */
  #at = Number.POSITIVE_INFINITY
  #cancel = (): void => {}
  #isClosed = false

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock
    this.#wake = wake
  }

  /** @param time  Unix time in milliseconds. If it has passed, the owner is woken at once; infinity: never. */
  wakeAt(time: number): void {
    if (this.#isClosed) return
    const now = this.#clock.now()
    if (time <= now) return this.#wake()
    // If the time has passed and its timer has not run, the clock was set.
    if (time === Number.POSITIVE_INFINITY || (this.#at <= time && this.#at > now)) return
    this.#cancel()
    this.#at = time
    this.#cancel = this.#clock.after(time - now, () => {
      this.#at = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }

  /** Call it when the owner closes. Later calls of {@link WakeTimer.wakeAt} do nothing. */
  close(): void {
    this.#isClosed = true
    this.#cancel()
  }
}
