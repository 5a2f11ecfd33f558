import { TextFilter } from './text-filter.ts'
import { filterOfBlock, firstIdOf, lastId, readHead, rowsBefore } from './text-rows.ts'
import type { RowTerm } from './row-terms.ts'

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

  /** @param unfinished  The rows of the block that is not full yet. */
  constructor(unfinished: Uint8Array) {
    this.#filter = filterOf(unfinished)
  }

  /** Adds a row of the unfinished block. */
  addRow(row: Uint8Array): void {
    this.#filter.add(row)
  }

  /** Writes the filter of the unfinished block into it. */
  writeFilter(block: Buffer): void {
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
