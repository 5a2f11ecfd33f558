import {
  filterBytes,
  filterOfBlock,
  firstIdOf,
  lastId,
  readHead,
  rowsBefore,
  type RowTerm,
} from './text-rows.ts'

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
/** As many places as a filter has bits. */
const placeBits = 3 * letterBits
const placeMask = 2 ** placeBits - 1

/** What is known of a full block without reading it. */
export interface BlockGuide {
  readonly begin: number
  readonly first: string
  readonly last: string
  readonly filter: TextFilter
}

/** Guides to the full blocks of a text column, so that a search need not read blocks that lack one of its terms. */
export class BlockGuides {
  /** By number of the block. A block of an earlier run has none until its head is read. */
  #guides: (BlockGuide | undefined)[] = []
  #filter: TextFilter

  constructor(unfinished: Uint8Array) {
    this.#filter = filterOf(unfinished)
  }

  addRow(row: Uint8Array): void {
    this.#filter.add(row)
  }

  writeTo(block: Buffer): void {
    this.#filter.write(filterOfBlock(block))
  }

  /** Notes that the unfinished block is full. @param number  Its number. */
  addFull(number: number, block: Buffer): void {
    this.#guides[number] = {
      begin: rowsBefore(block),
      first: firstIdOf(block),
      last: lastId(block),
      filter: this.#filter,
    }
    this.#filter = new TextFilter()
  }

  /** Adds a block of an earlier run, by its head. A block whose head is damaged has no guide. */
  addHead(number: number, head: Buffer): void {
    const read = readHead(head)
    if (!read) return
    const { rowsBefore: begin, first, last, filter } = read
    this.#guides[number] = { begin, first, last, filter: TextFilter.read(filter) }
  }

  /** Removes the first blocks. */
  drop(count: number): void {
    this.#guides.splice(0, count)
  }

  clear(): void {
    this.#guides = []
    this.#filter = new TextFilter()
  }

  /** The guide to a block that lacks one of the terms; null if the block has to be read. */
  skipping(number: number, terms: readonly RowTerm[]): BlockGuide | null {
    const guide = this.#guides[number]
    return guide && terms.some(({ bytes }) => !guide.filter.mayHave(bytes)) ? guide : null
  }
}

function filterOf(text: Uint8Array): TextFilter {
  const filter = new TextFilter()
  filter.add(text)
  return filter
}
