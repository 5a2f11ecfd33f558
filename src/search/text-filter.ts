import { filterBytes } from './text-rows.ts'

/**
 * The sequences of three bytes that a text contains, as a set of 4 KB that may also contain others. A block of 1 MB that
 * lacks one of a term's sequences does not contain the term, so it need not be read.
 */
export class TextFilter {
  readonly #bits: Uint32Array = new Uint32Array(filterBytes / 4)

  /** A filter as {@link TextFilter.write} wrote it. */
  static read(bytes: Buffer): TextFilter {
    const filter = new TextFilter()
    bytes.copy(Buffer.from(filter.#bits.buffer))
    return filter
  }

  write(into: Buffer): void {
    Buffer.from(this.#bits.buffer).copy(into)
  }

  /** Adds the sequences of a text, or of a part of it that does not continue the part before. */
  add(text: Uint8Array): void {
    const bits = this.#bits
    let place = placeOfTwo(text)
    for (let at = 2; at < text.length; at++) {
      place = nextPlace(place, text[at] ?? 0)
      bits[place >>> 5]! |= 1 << (place & 31)
    }
  }

  /** False if no text that was added contains the term. */
  mayHave(term: Uint8Array): boolean {
    const bits = this.#bits
    let place = placeOfTwo(term)
    for (let at = 2; at < term.length; at++) {
      place = nextPlace(place, term[at] ?? 0)
      if (((bits[place >>> 5] ?? 0) & (1 << (place & 31))) === 0) return false
    }
    return true
  }
}

/** Before the first sequence of a text: what its first two bytes add to the place. */
function placeOfTwo(text: Uint8Array): number {
  return ((text[0] ?? 0) << letterBits) ^ (text[1] ?? 0)
}

/** The place in the set of the sequence that ends with a byte. @param before  The place of the sequence one byte before. */
function nextPlace(before: number, byte: number): number {
  return ((before << letterBits) ^ byte) & placeMask
}

/** The low five bits of lower-case letters differ, so that three letters have a place of their own: 15 bits. */
const letterBits = 5
/** A filter has one bit for each place. Its size is a power of two. */
const placeMask = 8 * filterBytes - 1
