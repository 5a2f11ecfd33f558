import { blockBytes } from './text-blocks.ts'
import { beginBlock } from './text-rows.ts'

/** The last block of a column, which still grows, and with it the end of the column. */
export class GrowingBlock {
  /** The block, with room for more rows; never longer than a full one. */
  #bytes: Buffer
  /** How many of its bytes are used: the head at least. */
  #used: number
  #rows: number
  #cursor: string

  /** Continues a block. */
  constructor({ last, used, rows, cursor }: { last: Buffer; used: number; rows: number; cursor: string }) {
    this.#bytes = last
    this.#used = used
    this.#rows = rows
    this.#cursor = cursor
  }

  /** The number of rows up to its end, with those of all blocks before. */
  get rows(): number {
    return this.#rows
  }

  /** The id of the last row of the column; `""` if there is none. */
  get cursor(): string {
    return this.#cursor
  }

  /** The used bytes, not a copy: valid until the block changes. */
  used(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  hasRoomFor(row: Buffer): boolean {
    return this.#used + row.length <= blockBytes
  }

  add(id: string, row: Buffer): void {
    if (this.#used + row.length > this.#bytes.length)
      this.#bytes = grown(this.#bytes, this.#used + row.length)
    this.#used += row.copy(this.#bytes, this.#used)
    this.#cursor = id
    this.#rows++
  }

  /** The block at its full length, with zeros after its last row. It stays the growing one until {@link beginNext}. */
  full(): Buffer {
    this.#bytes = grown(this.#bytes, blockBytes)
    return this.#bytes.fill(0, this.#used)
  }

  /** Begins the block after this one, in the same bytes. */
  beginNext(): void {
    this.#used = beginBlock(this.#bytes, this.#rows)
  }

  /** Begins the first block of an empty column. */
  clear(): void {
    this.#rows = 0
    this.#cursor = ''
    this.beginNext()
  }
}

/** The same bytes in a buffer of at least this length, with room for more rows. */
function grown(last: Buffer, length: number): Buffer {
  if (last.length >= length) return last
  const next = Buffer.alloc(Math.min(blockBytes, Math.max(length, 2 * last.length)))
  last.copy(next)
  return next
}
