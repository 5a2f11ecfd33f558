import { messageOf } from '../core/errors.ts'
import type { Files } from '../core/files.ts'
import { nodeFiles } from '../core/node-files.ts'
import { blockBytes, type DerivedFile, memoryBlocks, openFileBlocks, type TextBlocks } from './text-blocks.ts'
import { beginBlock, countRows, isSealedBlock, lastId, rowsBefore } from './text-rows.ts'

/** What an earlier run has left. */
export interface ResumedRows {
  /** The unfinished block, and how much of it is used. */
  last: Buffer
  used: number
  cursor: string
  /** Number of rows, with those that were dropped before the first block. */
  rows: number
  dropped: number
  wasClosed: boolean
}

/** The file of a column in a folder. */
export interface BlocksDeps {
  /** Default: that of the text of mail. */
  readonly fileName?: DerivedFile
  /** Default: the machine's. */
  readonly files?: Files
  readonly onNotice?: (text: string) => void
}

/**
 * Opens the blocks of a column. If their file cannot be opened or read, for example on a full disk, they are in memory, so
 * that a start does not fail because of data that can be rebuilt.
 *
 * @param folder  The folder of the file; null keeps them in memory.
 */
export async function openBlocks(
  folder: string | null,
  { files = nodeFiles, fileName = 'mail-text.5', onNotice = () => {} }: BlocksDeps,
): Promise<{ blocks: TextBlocks; state: ResumedRows }> {
  if (folder !== null) {
    let opened: TextBlocks | null = null
    try {
      const { blocks, rest } = await openFileBlocks(folder, fileName, files)
      opened = blocks
      return { blocks, state: await resume(blocks, rest) }
    } catch (error) {
      await opened?.giveUp()
      const reason = messageOf(error)
      onNotice(
        `The search index cannot be kept in ${folder} (${reason}). Until the next start it is kept in memory and rebuilt from the messages.`,
      )
    }
  }
  const blocks = memoryBlocks()
  return { blocks, state: await resume(blocks, Buffer.alloc(0)) }
}

/** Continues after the intact rows of an earlier run. */
async function resume(blocks: TextBlocks, rest: Buffer): Promise<ResumedRows> {
  if (isSealedBlock(rest)) {
    const dropped = await rowsDropped(blocks, rest)
    return { last: rest, used: rest.length, ...endOfBlock(rest), dropped, wasClosed: true }
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
    if (isSealedBlock(block)) return endOfBlock(block)
    await blocks.clear()
  }
  return { cursor: '', rows: 0 }
}

function endOfBlock(block: Buffer): { cursor: string; rows: number } {
  return { rows: rowsBefore(block) + countRows(block), cursor: lastId(block) }
}
