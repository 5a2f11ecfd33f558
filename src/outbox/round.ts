import { systemClock } from '../core/clock.ts'

/**
 * The emails that began together and still have their place. They are stored together. The next ones wait until these have
 * ended, at most {@link maxMs}. One email at a time took 1.7 times the CPU time (bench row `delivered`).
 */
export class Round {
  readonly #ids = new Set<string>()
  #stopWaiting = (): void => {}

  get size(): number {
    return this.#ids.size
  }

  join(id: string): void {
    this.#ids.add(id)
  }

  /** Call it for an email that has ended or given its place up. */
  leave(id: string): void {
    if (this.#ids.delete(id) && this.#ids.size === 0) this.#stopWaiting()
  }

  clear(): void {
    this.#ids.clear()
  }

  /** Resolves when the last email leaves, after {@link maxMs}, or at a call of {@link Round.stop}. */
  async end(): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = systemClock.after(maxMs, resolve)
      this.#stopWaiting = () => {
        cancel()
        resolve()
      }
    })
    this.#stopWaiting = () => {}
  }

  stop(): void {
    this.#stopWaiting()
  }
}

const maxMs = 25
