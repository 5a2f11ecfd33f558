import type { Budget } from '../core/byte-budget.ts'
import { misuse } from './io-errors.ts'
import type { Blob, BlobWriter } from './store.ts'
import type { BlobId } from './names.ts'

/** A file that a large blob is written to. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** Closes the file. @returns The handle to pass to a commit. */
  finish(): Promise<unknown>
  /** Removes the file, unless a commit uses it. */
  discard(): Promise<void>
}

/** A blob writer that keeps small blobs in memory and writes larger ones to a spool file. */
export class HeldBlobWriter implements BlobWriter {
  readonly #id: BlobId
  readonly #heldBytes: number
  readonly #room: Budget
  readonly #openSpool: (id: BlobId) => Promise<Spool>
  #size = 0
  /** The pieces that are not in the spool. */
  #parts: Uint8Array[] = []
  /** How many bytes of `#parts` this writer took from `#room`. They are given back once the pieces are written or handed on. */
  #held = 0
  /** Null while all bytes are in `#parts`. Opened by the first write beyond the limits; the blob is spooled then. */
  #spool: Promise<Spool> | null = null
  #ended = false
  /** The write that failed: all later ones and `finish` fail with its error. */
  #failed: Promise<void> | null = null
  /** The running write. The file must not be closed before it ends. */
  #flushing: Promise<void> | null = null

  /**
   * @param heldBytes  Maximum number of bytes that this writer keeps in memory.
   * @param room  Limits the bytes that all writers together keep in memory.
   */
  constructor(id: BlobId, heldBytes: number, room: Budget, openSpool: (id: BlobId) => Promise<Spool>) {
    this.#id = id
    this.#heldBytes = heldBytes
    this.#room = room
    this.#openSpool = openSpool
  }

  get size(): number {
    return this.#size
  }

  write(piece: Uint8Array): Promise<void> | undefined {
    if (this.#ended) throw misuse(`The blob ${this.#id} is finished and takes no more bytes.`)
    if (this.#failed) return this.#failed
    const { byteLength } = piece
    this.#parts.push(piece)
    this.#size += byteLength
    if (this.#held + byteLength <= this.#heldBytes && this.#room.take(byteLength)) {
      this.#held += byteLength
      return undefined
    }
    const flushed = this.#flush()
    this.#flushing = flushed.catch(() => {
      this.#failed = flushed
    })
    return flushed
  }

  finish(): Blob | Promise<Blob> {
    this.#ended = true
    if (this.#spool) return this.#finishSpool(this.#spool)
    // From here on the bytes are counted by the queue of commits.
    this.#giveBack()
    return { id: this.#id, size: this.#size, parts: this.#parts }
  }

  async #finishSpool(spool: Promise<Spool>): Promise<Blob> {
    if (this.#flushing) await this.#flushing
    if (this.#failed) await this.#failed
    if (this.#parts.length > 0) await this.#flush()
    return { id: this.#id, size: this.#size, spooled: await (await spool).finish() }
  }

  async discard(): Promise<void> {
    this.#ended = true
    if (this.#flushing) await this.#flushing
    this.#parts = []
    this.#giveBack()
    // If the spool could not be opened, there is nothing to remove.
    const opened = await this.#spool?.catch(() => null)
    await opened?.discard()
  }

  /** Gives back the room of the pieces, which are no longer counted here. */
  #giveBack(): void {
    this.#room.give(this.#held)
    this.#held = 0
  }

  async #flush(): Promise<void> {
    const [pieces, held] = [this.#parts, this.#held]
    this.#parts = []
    this.#held = 0
    this.#spool ??= this.#openSpool(this.#id)
    try {
      const [first] = pieces
      await (await this.#spool).write(pieces.length === 1 && first ? first : Buffer.concat(pieces))
    } finally {
      this.#room.give(held)
    }
  }
}
