import { nextTurn } from '../store/turns.ts'
import { blockBytes, memoryBlocks, openFileBlocks, type TextBlocks } from './text-blocks.ts'
import {
  beginBlock,
  countRows,
  firstId,
  idAt,
  lastId,
  rowsBefore,
  scanRows,
  toRow,
  wholeLength,
  type RowTerm,
} from './text-rows.ts'

/** A stretch of rows that was looked at. */
export interface ScannedRows {
  /** How many there are, also of mails that are gone; at least one. */
  count: number
  /** The ids of the oldest and of the newest. */
  first: string
  last: string
  /** For how many all terms hold. */
  hits: number
  /** The ids of those, newest first: to be asked for during the visit only. */
  ids(): string[]
}

/** The text of every mail, one row each in order of arrival, to be scanned. What it holds can always be read anew. */
export interface TextColumn {
  /** The id of the last mail that has a row; `""` without any. Every mail up to it has one. */
  readonly cursor: string
  /** Rows, also of mails that are gone. */
  readonly rows: number
  append(id: string, head: string, body: string): Promise<void>
  /** Shows where all terms hold, newest first; nothing can be appended before the last visit has ended. */
  scan(terms: readonly RowTerm[], visit: (rows: ScannedRows) => Promise<void>): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/**
 * @param folder  Where its file is; null keeps it in memory.
 */
export async function openTextColumn(folder: string | null): Promise<TextColumn> {
  const { blocks, rest } = folder
    ? await openFileBlocks(folder)
    : { blocks: memoryBlocks(), rest: Buffer.alloc(0) }
  let { last, used, cursor, rows } = await resume(blocks, rest)
  /** One at a time: the two buffers of a scan are all that searches cost, however many there are. */
  let line: Promise<unknown> = Promise.resolve()
  let isClosed = false
  const inLine = <T>(run: () => Promise<T>): Promise<T> => {
    const next = line.then(run)
    line = next.catch(() => {})
    return next
  }
  return {
    get cursor() {
      return cursor
    },
    get rows() {
      return rows
    },
    append: (id, head, body) =>
      inLine(async () => {
        const row = toRow(id, head, body)
        if (used + row.length > blockBytes) {
          await blocks.add(last.fill(0, used))
          last = Buffer.alloc(blockBytes)
          used = beginBlock(last, rows)
        }
        used += row.copy(last, used)
        cursor = id
        rows++
      }),
    scan: (terms, visit) =>
      inLine(async () => {
        const buffers = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)] as const
        const read = (number: number): Promise<Buffer> | null =>
          number < 0 ? null : blocks.read(number, buffers[number % 2 === 0 ? 0 : 1])
        let number = blocks.count - 1
        let end = rows
        // The next block is read while this one is looked at.
        let reading = read(number)
        end = await visitBlock(last.subarray(0, used), end, terms, visit)
        while (reading) {
          const block: Buffer = await reading
          reading = read(--number)
          end = await visitBlock(block, end, terms, visit)
        }
      }),
    clear: () =>
      inLine(async () => {
        await blocks.clear()
        rows = 0
        cursor = ''
        used = beginBlock(last, 0)
      }),
    close: () =>
      inLine(async () => {
        if (isClosed) return
        isClosed = true
        await blocks.close(last.subarray(0, used))
      }),
  }
}

/** @returns How many rows stand before the block. */
async function visitBlock(
  block: Buffer,
  end: number,
  terms: readonly RowTerm[],
  visit: (rows: ScannedRows) => Promise<void>,
): Promise<number> {
  const begin = rowsBefore(block)
  if (begin >= end) return begin
  const starts = await scanRows(block, terms)
  await visit({
    count: end - begin,
    first: firstId(block),
    last: lastId(block),
    hits: starts.length,
    ids: () => starts.map((start) => idAt(block, start)).reverse(),
  })
  await nextTurn()
  return begin
}

/** Goes on behind the last row that is whole. */
async function resume(
  blocks: TextBlocks,
  rest: Buffer,
): Promise<{ last: Buffer; used: number; cursor: string; rows: number }> {
  const last = Buffer.alloc(blockBytes)
  const end = wholeLength(rest)
  if (end > 0) {
    const used = rest.copy(last, 0, 0, end)
    return { last, used, ...endOf(last.subarray(0, used)) }
  }
  if (blocks.count === 0) return { last, used: beginBlock(last, 0), cursor: '', rows: 0 }
  const before = endOf(await blocks.read(blocks.count - 1, Buffer.alloc(blockBytes)))
  return { last, used: beginBlock(last, before.rows), ...before }
}

function endOf(block: Buffer): { cursor: string; rows: number } {
  return { rows: rowsBefore(block) + countRows(block), cursor: lastId(block) }
}
