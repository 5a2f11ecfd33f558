/** Decodes bytes piece by piece. Invalid input is skipped or passed on unchanged; it never throws. */
export interface TransferDecoder {
  /** How many of the octets so far do not belong to the encoding. */
  readonly misfits: number
  /** @returns The bytes that can be decoded so far; may be empty. */
  write(slice: Buffer): Buffer
  /** @returns The remaining bytes. */
  end(): Buffer
}

/** Decodes an encoding whose lines are decoded each on its own. */
export abstract class LineDecoder implements TransferDecoder {
  #misfits = 0
  /** The beginning of a line whose end is still to come. */
  #held: Buffer = Buffer.alloc(0)

  get misfits(): number {
    return this.#misfits
  }

  protected countMisfits(octets: number): void {
    this.#misfits += octets
  }

  /** Where to split an unfinished last line that is longer than `maxLineLength`. Default: after all of `bytes`. */
  protected cutOf(bytes: Buffer): number {
    return bytes.length
  }

  /** @param isLast  Whether the data ends with these lines; otherwise all of them are complete. */
  protected abstract decode(lines: Buffer, isLast: boolean): Buffer

  write(slice: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, slice]) : slice
    let end = bytes.lastIndexOf(newline) + 1
    if (bytes.length - end > maxLineLength) end = this.cutOf(bytes)
    this.#held = Buffer.from(bytes.subarray(end))
    return end === 0 ? Buffer.alloc(0) : this.decode(bytes.subarray(0, end), false)
  }

  end(): Buffer {
    return this.decode(this.#held, true)
  }
}

/** Longer lines are decoded in pieces. No real encoder writes such lines. */
const maxLineLength = 64 * 1024
const newline = 0x0a
