import { nextTurn } from '../core/machine.ts'
import { blockBytes, type TextBlocks } from './text-blocks.ts'
import type { BlockGuide, BlockGuides } from './block-guides.ts'
import { firstIdOf, idAt, lastId, rowsBefore } from './text-rows.ts'
import { scanRows, type RowTerm } from './row-terms.ts'

export interface ScannedRows {
  /** Number of rows, including those of removed mails; at least one. */
  count: number
  /** The ids of the oldest and the newest row. */
  first: string
  last: string
  hits: number
  /** The ids of the matching rows, newest first. Call it only during the visit. */
  ids(): string[]
  /** The ids of those among them that only their records can decide. */
  unsure: ReadonlySet<string>
}

/** Rows of a block: where they begin, in order of arrival, and the ids of those that only their records can decide. */
export interface FoundRows {
  readonly starts: number[]
  readonly unsure: ReadonlySet<string>
}

/** Finds rows of a block. */
export type FindRows = (block: Buffer) => Promise<FoundRows>

/** What a scan reads. */
export interface ScanSources {
  /** The full blocks. */
  readonly blocks: TextBlocks
  /** The block that is not full yet. */
  readonly last: Buffer
  /** How many rows there are, including those of removed mails. */
  readonly rows: number
  /** Tell which full blocks cannot have a match; null if there are no filters. */
  readonly guides: BlockGuides | null
  /** Whether a block that was read is intact. */
  check(number: number, block: Buffer): boolean
}

/**
 * Visits all blocks with their matches, newest first. The next block is read while one is scanned.
 *
 * @param isEnough  Called before each further block is looked at, and not after the last; whether to stop.
 * @returns False if a block is damaged: then the rows up to its last one are not visited.
 */
export async function scanBlocks(
  { blocks, last, rows, guides, check }: ScanSources,
  wanted: readonly RowTerm[] | FindRows,
  visit: (rows: ScannedRows) => Promise<void>,
  isEnough: () => boolean,
): Promise<boolean> {
  const find: FindRows =
    typeof wanted === 'function'
      ? wanted
      : async (block) => ({ starts: await scanRows(block, wanted), unsure: none })
  const needed = typeof wanted === 'function' ? [] : wanted.filter(({ isNegative }) => !isNegative)
  const skipping = (number: number): BlockGuide | null => guides?.skipping(number, needed) ?? null
  const buffers = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)] as const
  let turn = 0
  /** Begins to read the first block, downwards from this one, that may have matches. */
  const readOn = (from: number): { number: number; block: Promise<Buffer> } | null => {
    let number = from
    while (number >= 0 && skipping(number)) number--
    if (number < 0) return null
    const block = blocks.read(number, buffers[turn++ % 2 === 0 ? 0 : 1])
    // It may fail while another block is scanned: the wait for it, below, reports that.
    block.catch(() => {})
    return { number, block }
  }
  let reading = readOn(blocks.count - 1)
  try {
    let end = await visitBlock(last, rows, find, visit)
    for (let number = blocks.count - 1; number >= 0 && !isEnough(); number--) {
      if (reading?.number === number) {
        const block: Buffer = await reading.block
        if (!check(number, block)) return false
        reading = readOn(number - 1)
        end = await visitBlock(block, end, find, visit)
        continue
      }
      const guide = skipping(number)
      if (!guide || guide.begin >= end) continue
      const { begin, first, last } = guide
      await visit({ count: end - begin, first, last, hits: 0, ids: () => [], unsure: none })
      end = begin
      if (number % skippedPerTurn === 0) await nextTurn()
    }
    return true
  } finally {
    // The next work in the sequence may remove the block that is being read.
    await reading?.block.catch(() => {})
  }
}

const none: ReadonlySet<string> = new Set()
const skippedPerTurn = 64

/** Visits the matches of one block. @returns The number of rows before the block. */
async function visitBlock(
  block: Buffer,
  end: number,
  find: FindRows,
  visit: (rows: ScannedRows) => Promise<void>,
): Promise<number> {
  const begin = rowsBefore(block)
  if (begin >= end) return begin
  const { starts, unsure } = await find(block)
  await visit({
    count: end - begin,
    first: firstIdOf(block),
    last: lastId(block),
    hits: starts.length,
    ids: () => starts.map((start) => idAt(block, start)).reverse(),
    unsure,
  })
  await nextTurn()
  return begin
}
