import { BlockGuides } from './block-guides.ts'
import { blockBytes } from './text-blocks.ts'
import { openBlocks, type BlocksDeps } from './open-blocks.ts'
import {
  beginBlock,
  cutMark,
  cutRows,
  headBytes,
  isSealedBlock,
  lastId,
  readHead,
  rowsBefore,
  sealBlock,
  toTextRow,
  type RowTerm,
} from './text-rows.ts'
import { nextTurn } from '../core/machine.ts'
import { scanBlocks, type FindRows, type ScannedRows } from './block-scan.ts'
import { createSequence } from '../core/sequence.ts'

/** The searchable text of all mail, one row per mail in order of arrival. It can always be rebuilt from the messages. */
export interface TextColumn {
  /** The id of the last mail with a row; `""` if there is none. All earlier mails have a row too. */
  readonly cursor: string
  /** Number of rows, including those of removed mails. */
  readonly rows: number
  /** Whether an earlier run closed it, so that every row has the text of its mail. */
  readonly wasClosed: boolean
  /**
   * Checks the blocks of an earlier run that no scan has read, once.
   *
   * @param isStopped  Whether to stop after a block; the rest is checked by the next call.
   * @returns `damaged` if a block is: then the column must be cleared. `stopped` if some are not checked yet.
   */
  verify(isStopped?: () => boolean): Promise<'intact' | 'damaged' | 'stopped'>
  /**
   * The ids of the rows whose body ends with {@link cutMark}; those of an earlier run after the first scan for terms, or
   * after {@link verify}. The owner takes out removed mails.
   */
  readonly cut: Set<string>
  /** Adds a row of folded text. @returns Whether this finished a block, so that it is time for {@link dropBefore}. */
  append(id: string, head: string, body: string): Promise<boolean>
  /**
   * Frees the space of rows of earlier mails, in whole blocks, once at least half of all blocks can be freed. If that
   * fails, as on a full disk, the next call tries it again.
   */
  dropBefore(id: string): Promise<void>
  /**
   * Visits all ranges with their matches, newest first. Appends wait until the last visit has ended.
   *
   * @param isEnough  Called before each further range is looked at, and not after the last; whether to stop. Default: never.
   * @returns False if a block is damaged: then the rows up to its last one are not visited, and the column must be cleared.
   */
  scan(
    wanted: readonly RowTerm[] | FindRows,
    visit: (rows: ScannedRows) => Promise<void>,
    isEnough?: () => boolean,
  ): Promise<boolean>
  clear(): Promise<void>
  /** @param isWhole  False if rows may lack the text of their mail: then it does not count as closed. Default: true. */
  close(isWhole?: boolean): Promise<void>
}

export interface TextColumnDeps extends BlocksDeps {
  /** Whether full blocks have a filter, for searches by terms. Default: true. */
  readonly isFiltered?: boolean
}

/** Opens the text column. @param folder  The folder of its file; null keeps it in memory. */
export async function openTextColumn(folder: string | null, deps: TextColumnDeps = {}): Promise<TextColumn> {
  const { blocks, state } = await openBlocks(folder, deps)
  let { last, used, cursor, rows, dropped } = state
  const { isFiltered = true } = deps
  const guides = isFiltered ? new BlockGuides(last.subarray(0, used)) : null
  const cut = new Set(cutRows(last.subarray(0, used)))
  /** Number of blocks at the beginning that have no row of a mail that still exists. */
  let dead = 0
  /** Only one operation runs at a time, so that all searches together use only two buffers. */
  const inLine = createSequence()
  let isClosed = false
  /** The blocks of an earlier run that are not checked yet. Each is checked when it is first read: it takes a second for 2 GB. */
  let unchecked = new Set(Array.from({ length: blocks.count }, (_, number) => number))
  let areHeadsRead = false
  const clear = async (): Promise<void> => {
    await blocks.clear()
    rows = 0
    cursor = ''
    used = beginBlock(last, 0)
    unchecked.clear()
    dropped = 0
    dead = 0
    guides?.clear()
    cut.clear()
  }
  /** Reads what the blocks of an earlier run say of themselves. Call it before one of them is checked. */
  const readHeads = async (): Promise<void> => {
    if (areHeadsRead) return
    const head = Buffer.allocUnsafeSlow(headBytes)
    let whole: Buffer | null = null
    for (const number of unchecked) {
      const read = await blocks.read(number, head)
      guides?.addHead(number, read)
      if (!readHead(read)?.hasCut) continue
      whole ??= Buffer.allocUnsafeSlow(blockBytes)
      for (const id of cutRows(await blocks.read(number, whole))) cut.add(id)
    }
    areHeadsRead = true
  }
  /** Whether a block that was read is intact. */
  const check = (number: number, block: Buffer): boolean => {
    if (unchecked.has(number) && !isSealedBlock(block)) return false
    unchecked.delete(number)
    return true
  }
  return {
    get cursor() {
      return cursor
    },
    get rows() {
      return rows - dropped
    },
    wasClosed: state.wasClosed,
    cut,
    append: (id, head, body) =>
      inLine(async () => {
        const row = toTextRow(id, head, body)
        const isFull = used + row.length > blockBytes
        if (isFull) {
          last = grown(last, blockBytes)
          last.fill(0, used)
          guides?.writeTo(last)
          sealBlock(last)
          await blocks.add(last)
          guides?.addFull(blocks.count - 1, last)
          used = beginBlock(last, rows)
        }
        if (used + row.length > last.length) last = grown(last, used + row.length)
        used += row.copy(last, used)
        guides?.addRow(row)
        if (body.endsWith(cutMark)) cut.add(id)
        cursor = id
        rows++
        return isFull
      }),
    dropBefore: (id) =>
      inLine(async () => {
        if (guides) await readHeads()
        const buffer = Buffer.allocUnsafeSlow(blockBytes)
        const firstLiving = async (): Promise<Buffer> =>
          dead < blocks.count ? blocks.read(dead, buffer) : last
        let block = await firstLiving()
        for (; dead < blocks.count && check(dead, block) && lastId(block) < id; block = await firstLiving())
          dead++
        if (dead === 0 || dead * 2 < blocks.count || !check(dead, block)) return
        const before = rowsBefore(block)
        try {
          await blocks.drop(dead)
        } catch {
          return
        }
        unchecked = new Set([...unchecked].map((number) => number - dead).filter((number) => number >= 0))
        guides?.drop(dead)
        dropped = before
        dead = 0
      }),
    scan: (wanted, visit, isEnough = () => false) =>
      inLine(async () => {
        if (guides) await readHeads()
        const sources = { blocks, last: last.subarray(0, used), rows, guides, check }
        return scanBlocks(sources, wanted, visit, isEnough)
      }),
    verify: (isStopped = () => false) =>
      inLine(async () => {
        if (unchecked.size === 0) return 'intact'
        if (guides) await readHeads()
        const buffer = Buffer.allocUnsafeSlow(blockBytes)
        for (const number of unchecked) {
          if (!check(number, await blocks.read(number, buffer))) return 'damaged'
          await nextTurn()
          if (isStopped()) break
        }
        return unchecked.size === 0 ? 'intact' : 'stopped'
      }),
    clear: () => inLine(clear),
    close: (isWhole = true) =>
      inLine(async () => {
        if (isClosed) return
        isClosed = true
        if (!isWhole) return await blocks.giveUp()
        // The next start takes a block of full length for one of those with a filter.
        if (used === blockBytes) guides?.writeTo(last)
        sealBlock(last.subarray(0, used))
        await blocks.close(last.subarray(0, used))
      }),
  }
}

/** The same bytes in a buffer of at least this length, with room for more rows. */
function grown(last: Buffer, length: number): Buffer {
  if (last.length >= length) return last
  const next = Buffer.alloc(Math.min(blockBytes, Math.max(length, 2 * last.length)))
  last.copy(next)
  return next
}
