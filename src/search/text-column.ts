import { createSequence } from '../core/sequence.ts'
import { BlockGuides } from './block-guides.ts'
import { scanBlocks, type FindRows, type ScannedRows } from './block-scan.ts'
import { EarlierBlocks } from './earlier-blocks.ts'
import { GrowingBlock } from './growing-block.ts'
import { openBlocks, type BlocksDeps } from './open-blocks.ts'
import { blockBytes } from './text-blocks.ts'
import { cutMark, cutRows, lastId, rowsBefore, sealBlock, toTextRow } from './text-rows.ts'
import type { RowTerm } from './row-terms.ts'

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
  const { isFiltered = true } = deps
  const growing = new GrowingBlock(state)
  const earlier = new EarlierBlocks(blocks)
  const guides = isFiltered ? new BlockGuides(growing.used()) : null
  const cut = new Set(cutRows(growing.used()))
  /** Number of rows that were removed with their blocks. The numbers of rows in blocks include them. */
  let { dropped } = state
  /** Number of blocks at the beginning that have no row of a mail that still exists: as far as `dropBefore` has looked. */
  let dead = 0
  /** Only one operation runs at a time, so that all searches together use only two buffers. */
  const inLine = createSequence()
  let isClosed = false
  const readHeads = async (): Promise<void> => {
    if (guides) await earlier.readHeads(guides, cut)
  }
  const clear = async (): Promise<void> => {
    await blocks.clear()
    growing.clear()
    earlier.clear()
    dropped = 0
    dead = 0
    guides?.clear()
    cut.clear()
  }
  /** Moves the growing block, which is full, to the others. If this fails, nothing has changed. */
  const finishBlock = async (): Promise<void> => {
    const full = growing.full()
    guides?.writeFilter(full)
    sealBlock(full)
    await blocks.add(full)
    guides?.addFull(blocks.count - 1, full)
    growing.beginNext()
  }
  /** Drops the dead blocks. @param before  Number of rows in them, with those that were dropped earlier. */
  const dropDead = async (before: number): Promise<void> => {
    try {
      await blocks.drop(dead)
    } catch {
      return
    }
    earlier.drop(dead)
    guides?.drop(dead)
    dropped = before
    dead = 0
  }
  return {
    get cursor() {
      return growing.cursor
    },
    get rows() {
      return growing.rows - dropped
    },
    wasClosed: state.wasClosed,
    cut,
    append: (id, head, body) =>
      inLine(async () => {
        const row = toTextRow(id, head, body)
        const isFull = !growing.hasRoomFor(row)
        if (isFull) await finishBlock()
        growing.add(id, row)
        guides?.addRow(row)
        if (body.endsWith(cutMark)) cut.add(id)
        return isFull
      }),
    dropBefore: (id) =>
      inLine(async () => {
        await readHeads()
        const buffer = Buffer.allocUnsafeSlow(blockBytes)
        const next = async (): Promise<Buffer> =>
          dead < blocks.count ? blocks.read(dead, buffer) : growing.used()
        const isDead = (block: Buffer): boolean =>
          dead < blocks.count && earlier.check(dead, block) && lastId(block) < id
        let block = await next()
        while (isDead(block)) {
          dead++
          block = await next()
        }
        if (dead === 0 || dead * 2 < blocks.count || !earlier.check(dead, block)) return
        await dropDead(rowsBefore(block))
      }),
    scan: (wanted, visit, isEnough = () => false) =>
      inLine(async () => {
        await readHeads()
        const check = (number: number, block: Buffer): boolean => earlier.check(number, block)
        const sources = { blocks, last: growing.used(), rows: growing.rows, guides, check }
        return scanBlocks(sources, wanted, visit, isEnough)
      }),
    verify: (isStopped = () => false) =>
      inLine(async () => {
        if (earlier.areChecked) return 'intact'
        await readHeads()
        return earlier.verify(isStopped)
      }),
    clear: () => inLine(clear),
    close: (isWhole = true) =>
      inLine(async () => {
        if (isClosed) return
        isClosed = true
        if (!isWhole) return await blocks.giveUp()
        const rest = growing.used()
        // The next start takes a block of full length for one of those with a filter.
        if (rest.length === blockBytes) guides?.writeFilter(rest)
        sealBlock(rest)
        await blocks.close(rest)
      }),
  }
}
