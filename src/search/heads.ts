import { LocalpostError } from '../core/errors.ts'
import { createSequence } from '../core/sequence.ts'
import { createPacer } from '../core/slices.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { ScannedRows } from './block-scan.ts'
import { dropRemoved, isMostlyWaste } from './column-upkeep.ts'
import { headText, scanHeads, type HeadTerm } from './head-rows.ts'
import { mailsAfter } from './mails.ts'
import { openTextColumn, type TextColumn } from './text-column.ts'

/** Subjects and addresses of all mail in a column, so that a search by these members reads no record. */
export interface Heads {
  /**
   * Visits all ranges of mail with their matches, newest first, up to the newest mail that exists now.
   *
   * @param isEnough  Called before each further range is looked at; whether to stop. Default: never.
   */
  scan(
    terms: readonly HeadTerm[],
    visit: (rows: ScannedRows) => Promise<void>,
    isEnough?: () => boolean,
  ): Promise<void>
  /** Adds a mail that the caller has read. @param before  The id of the mail before it; `""` if there is none. */
  add(email: EmailRecord, before: string): Promise<void>
  close(): Promise<void>
}

export interface HeadsDeps {
  store: Store
  open: () => Promise<TextColumn>
  /** Whether the column is kept in a file. Then rows are added as mail is read; else only when a search needs them. */
  isKept: boolean
}

export function createHeads({ store, open, isKept }: HeadsDeps): Heads {
  /** Null before the first use. */
  let opening: Promise<TextColumn> | null = null
  /** Whether the rows are not in the order of the mails, so that the next search adds all of them again. */
  let isStale = false
  let isClosed = false
  /** The newest mail with a row; null until the column is open. */
  let cursor: string | null = null

  const sequence = createSequence()
  /** Runs work that uses the column, one after the other. It returns the column, which `caughtUp` may have replaced. */
  const inLine = (run: (column: TextColumn) => Promise<TextColumn>): Promise<void> =>
    sequence(async () => {
      cursor = (await run(await (opening ??= open()))).cursor
    })

  async function append(column: TextColumn, email: EmailRecord): Promise<void> {
    if (await column.append(email.id, headText(email), '')) await dropRemoved(store, column)
  }

  /** Checks the rows of an earlier process. If some are damaged, all are removed: the next search adds them again. */
  async function check(column: TextColumn): Promise<void> {
    if ((await column.verify(() => isClosed)) === 'damaged') await column.clear()
  }

  /** Adds the rows that are missing. Only the records of newer mail are read. */
  async function catchUp(column: TextColumn): Promise<void> {
    await check(column)
    if (isClosed) return
    if (isStale || (await isMostlyWaste(store, column))) await column.clear()
    isStale = false
    const pacer = createPacer()
    let more = true
    while (more && !isClosed) {
      const page = await mailsAfter(store, column.cursor, pageSize)
      more = page.more
      for (const email of page.records) {
        await append(column, email)
        if (pacer.due()) await pacer.turn()
      }
    }
  }

  /** The column with all rows. If its file cannot be written, for example on a full disk, the rows are kept in memory. */
  async function caughtUp(column: TextColumn): Promise<TextColumn> {
    try {
      await catchUp(column)
      return column
    } catch (error) {
      if (error instanceof LocalpostError) throw error
      await column.close().catch(() => {})
      opening = openTextColumn(null, { isFiltered: false })
      const inMemory = await opening
      await catchUp(inMemory)
      return inMemory
    }
  }

  const stopListening = store.changes(
    (change) => {
      // An older state was restored, so the rows are no longer in the order of the mails.
      if (change.op === 'insert' && cursor !== null && change.id <= cursor) isStale = true
    },
    { of: emailCollection },
  )

  return {
    scan: (terms, visit, isEnough) =>
      inLine(async (opened) => {
        const column = await caughtUp(opened)
        await column.scan((block) => scanHeads(block, terms), visit, isEnough)
        return column
      }),
    async add(email, before) {
      if (isClosed || (cursor === null ? !isKept : cursor !== before)) return
      // If this fails, the next search adds the row, or reports why it cannot.
      await inLine(async (column) => {
        await check(column)
        if (!isClosed && column.cursor === before && !isStale) await append(column, email)
        return column
      }).catch(() => {})
    },
    async close() {
      isClosed = true
      stopListening()
      await sequence(async () => (await opening?.catch(() => null))?.close())
    },
  }
}

const pageSize = 200
