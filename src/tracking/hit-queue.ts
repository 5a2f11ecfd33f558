import { clearTimeout, setTimeout } from '../core/machine.ts'
import { createSequence } from '../core/sequence.ts'

export interface HitQueueDeps<H> {
  /** Stores hits with one write. @returns About the size of what was written, in characters; null if the email is gone. */
  store(hits: readonly H[]): Promise<number | null>
  /** Whether the email still exists, at a cost that does not depend on the size of its record. */
  emailExists(): Promise<boolean>
  /** Whether a pause may begin: not once the queue is to be closed. */
  mayPause(): boolean
  /** Called when nothing waits or is being written, so that the queue can be forgotten. */
  onEmpty(): void
  /** Called when hits could not be stored after they were answered. */
  onError(error: unknown): void
}

/**
 * The hits of one email that are not stored yet.
 *
 * One write runs at a time; hits that come meanwhile share the next one. The write of a large record begins a pause, in
 * which hits are answered but only collected. Hits that were to be written next are collected too. The pause ends after its
 * time, with too many waiting hits, or by {@link HitQueue.flush}; then what waits is written.
 */
export class HitQueue<H> {
  readonly #deps: HitQueueDeps<H>
  readonly #inLine = createSequence()
  #waiting: H[] = []
  /** The write that has not begun; it takes all hits that wait when it begins. */
  #next: Promise<boolean> | null = null
  #pause: NodeJS.Timeout | null = null

  constructor(deps: HitQueueDeps<H>) {
    this.#deps = deps
  }

  /** Resolves when the hit is stored; during a pause at once, before that. @returns Whether the email still exists. */
  async add(hit: H): Promise<boolean> {
    this.#waiting.push(hit)
    if (this.#pause && this.#waiting.length < maxWaiting) return this.#deps.emailExists()
    this.#endPause()
    return this.#write()
  }

  /** Ends the pause, and resolves when the hits that wait now are stored. */
  async flush(): Promise<void> {
    this.#endPause()
    if (this.#waiting.length > 0) await this.#write().catch(this.#deps.onError)
    await this.#inLine(async () => {})
    this.#reportIfEmpty()
  }

  #write(): Promise<boolean> {
    this.#next ??= this.#inLine(async () => {
      this.#next = null
      try {
        return await (this.#pause ? this.#deps.emailExists() : this.#storeWaiting())
      } finally {
        this.#reportIfEmpty()
      }
    })
    return this.#next
  }

  async #storeWaiting(): Promise<boolean> {
    const size = await this.#deps.store(this.#waiting.splice(0))
    if (size !== null && size > freeChars && this.#deps.mayPause()) {
      this.#pause = setTimeout(() => void this.flush(), Math.max(minPauseMs, size / charsPerMs))
      this.#pause.unref()
    }
    return size !== null
  }

  #endPause(): void {
    if (this.#pause) clearTimeout(this.#pause)
    this.#pause = null
  }

  #reportIfEmpty(): void {
    if (!this.#pause && !this.#next && this.#waiting.length === 0) this.#deps.onEmpty()
  }
}

// In characters, which are about as many bytes: a record of up to 16 KB is written at each hit; above, one email writes
// at most 1 MB each second.
const freeChars = 16 * 1024
const charsPerMs = 1000
const minPauseMs = 1000
/** The maximum number of hits of one email that wait in memory. */
const maxWaiting = 500
