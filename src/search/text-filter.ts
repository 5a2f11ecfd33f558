/**
 * The sequences of three bytes that a text contains, as a set of 4 KB that may also contain others. A block of 1 MB that
 * lacks one of a term's sequences does not contain the term, so it need not be read.
 */
export class TextFilter {
  readonly #bits: Uint32Array = new Uint32Array(2 ** (placeBits - 5))

  /** Adds the sequences of a text, or of a part of it that does not continue the part before. */
  add(text: Uint8Array): void {
    const bits = this.#bits
    let place = ((text[0] ?? 0) << letterBits) ^ (text[1] ?? 0)
    for (let at = 2; at < text.length; at++) {
      place = ((place << letterBits) ^ (text[at] ?? 0)) & placeMask
      bits[place >>> 5]! |= 1 << (place & 31)
    }
  }

  /** False if no text that was added contains the term. */
  mayHave(term: Uint8Array): boolean {
    const bits = this.#bits
    let place = ((term[0] ?? 0) << letterBits) ^ (term[1] ?? 0)
    for (let at = 2; at < term.length; at++) {
      place = ((place << letterBits) ^ (term[at] ?? 0)) & placeMask
      if (((bits[place >>> 5] ?? 0) & (1 << (place & 31))) === 0) return false
    }
    return true
  }
}

/** The low five bits of lower-case letters differ, so that three letters have a place of their own. */
const letterBits = 5
const placeBits = 3 * letterBits
const placeMask = 2 ** placeBits - 1
