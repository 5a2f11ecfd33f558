import { blockBytes, type TextBlocks } from './text-blocks.ts'
import { beginBlock, countRows, isSealed, lastId, rowsBefore } from './text-rows.ts'

/** What an earlier run has left. */
export interface ResumedRows {
  /** The unfinished block, and how much of it is used. */
  last: Buffer
  used: number
  /** The id of the last row. */
  cursor: string
  /** Number of rows, with those that were dropped before the first block. */
  rows: number
  dropped: number
  wasClosed: boolean
}

/** Continues after the intact rows of an earlier run. */
export async function resume(blocks: TextBlocks, rest: Buffer): Promise<ResumedRows> {
  if (isSealed(rest)) {
    const dropped = await rowsDropped(blocks, rest)
    return { last: rest, used: rest.length, ...endOf(rest), dropped, wasClosed: true }
  }
  const last = Buffer.alloc(firstBytes)
  const before = await endOfBlocks(blocks)
  const used = beginBlock(last, before.rows)
  return { last, used, ...before, dropped: await rowsDropped(blocks, last), wasClosed: false }
}

/** The number of rows before the first one that still exists. 0 if the block has no valid number. */
async function rowsDropped(blocks: TextBlocks, last: Buffer): Promise<number> {
  const first = blocks.count > 0 ? await blocks.read(0, Buffer.alloc(firstBytes)) : last
  const rows = rowsBefore(first)
  return Number.isSafeInteger(rows) ? rows : 0
}

/** The last block grows from this size, because most instances of tests have little mail. */
const firstBytes = 8 * 1024

async function endOfBlocks(blocks: TextBlocks): Promise<{ cursor: string; rows: number }> {
  if (blocks.count > 0) {
    const block = await blocks.read(blocks.count - 1, Buffer.allocUnsafeSlow(blockBytes))
    if (isSealed(block)) return endOf(block)
    await blocks.clear()
  }
  return { cursor: '', rows: 0 }
}

function endOf(block: Buffer): { cursor: string; rows: number } {
  return { rows: rowsBefore(block) + countRows(block), cursor: lastId(block) }
}
