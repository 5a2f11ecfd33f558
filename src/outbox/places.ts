import { Round } from './round.ts'

/**
 * The emails in progress, and which of them hold a place. An email that gives its place up leaves the round as well: a
 * round waits only for emails with a place.
 */
export class Places {
  readonly #inProgress = new Map<string, Promise<void>>()
  readonly #holders = new Set<string>()
  readonly #round = new Round()
  readonly #most: number

  /** @param most  How many places there are. */
  constructor(most: number) {
    this.#most = most
  }

  /** The number of emails in progress, including those without a place. */
  get size(): number {
    return this.#inProgress.size
  }

  has(id: string): boolean {
    return this.#inProgress.has(id)
  }

  /** Whether an email may begin in a lane with this many places. */
  hasRoom(places: number): boolean {
    return this.#holders.size < places && this.#inProgress.size < maxInProgress
  }

  /**
   * Gives a place to an email that begins, in the present round.
   *
   * @param start  Starts the work. Resolves after {@link Places.end}, and never rejects.
   */
  begin(id: string, start: () => Promise<void>): void {
    this.#holders.add(id)
    this.#round.join(id)
    this.#inProgress.set(id, start())
  }

  /** Takes the place of an email that waits for something that needs none. */
  pause(id: string): void {
    if (this.#holders.delete(id)) this.#round.leave(id)
  }

  /** Gives an email its place back, even if all are taken. It does not return to its round. */
  resume(id: string): void {
    this.#holders.add(id)
  }

  end(id: string): void {
    this.pause(id)
    this.#inProgress.delete(id)
  }

  beginRound(): void {
    this.#round.clear()
  }

  /** Resolves when the emails of the round have ended or gave their places up, or after the most that a round may take. */
  async endRound(): Promise<void> {
    const isAlmostFull = this.#holders.size > this.#most - minFree
    if (isAlmostFull) this.#round.clear()
    if (isAlmostFull || this.#round.size > 0) await this.#round.end()
  }

  /** Ends the wait for a round. @returns Resolves when the emails in progress have ended. */
  async close(): Promise<void> {
    this.#round.stop()
    await Promise.all(this.#inProgress.values())
  }
}

/** With fewer free places than this, the next emails always wait as long as a round may take. */
const minFree = 8
/** The maximum number of emails in progress, including the paused ones: this many servers of attachments may hang. */
const maxInProgress = 512
