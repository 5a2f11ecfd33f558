import { inTime } from '../../core/in-time.ts'
import { monotonicNow } from '../../core/machine.ts'
import { storeFault } from '../io-errors.ts'
import type { LowDisk } from '../store.ts'
import type { DataFolder } from './paths.ts'

/** Knows whether the disk has little room left, before the reserve is needed. */
export class DiskRoom {
  readonly #folder: DataFolder
  readonly #lowBytes: number
  /** Whether the last write of new mail failed because the disk was full. */
  #isFull = false
  /** As last seen; null if the system does not say. */
  #free: number | null = null
  #lookedAt = -Infinity
  #looking: Promise<void> | null = null

  /** @param bytes  Below this much free space the disk counts as low. */
  constructor(folder: DataFolder, bytes: number) {
    this.#folder = folder
    this.#lowBytes = bytes
  }

  /** New mail was written. Changes that may use the reserve do not count, because they may fit where new mail does not. */
  noteWritten(): void {
    this.#isFull = false
  }

  /** New mail could not be written. */
  noteFailed(error: unknown): void {
    this.#isFull ||= storeFault(error, '').code === 'store_full'
  }

  /** As `Store.lowDisk`. Looks at the disk at most once per second. */
  async low(): Promise<LowDisk | null> {
    const { paths } = this.#folder
    const now = monotonicNow()
    if (now - this.#lookedAt >= lookEveryMs) {
      this.#lookedAt = now
      this.#looking ??= this.#look()
    }
    // The disk of a network volume may not answer.
    if (this.#looking) await inTime(this.#looking, answerMs)
    if (this.#free === null || this.#free >= this.#lowBytes) return null
    const isFull = this.#isFull
    const left = `${Math.floor(this.#free / 1024)} KB are free`
    const message = isFull
      ? `The disk of ${paths.folder} is full: the last mail did not fit, and ${left}. Free some space or remove mail, then send it again.`
      : `The disk of ${paths.folder} is almost full: ${left}. Mail that does not fit is refused. Free some space or remove mail.`
    return { isFull, message }
  }

  async #look(): Promise<void> {
    const { files, paths } = this.#folder
    this.#free = await files.freeBytes(paths.folder).catch(() => null)
    this.#looking = null
  }
}

const lookEveryMs = 1000
const answerMs = 1000
