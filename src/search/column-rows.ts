import { emailCollection } from '../emails/email.ts'
import type { Where } from '../store/queries.ts'
import type { Store } from '../store/store.ts'
import { createPacer } from '../core/slices.ts'
import type { Heads } from './heads.ts'
import type { ColumnIndexer } from './column-indexer.ts'
import type { MailFilter } from './query.ts'
import type { TextColumn } from './text-column.ts'
import type { MatchingIds, MatchingPage, MatchingRows, WantedRows } from './matching-rows.ts'
import type { ScannedRows } from './block-scan.ts'

export interface ColumnRowsDeps {
  store: Store
  column: Pick<TextColumn, 'scan'>
  heads: Pick<Heads, 'scan'>
  /** Told when a row is damaged, and when a search begins that does not need the texts. */
  indexer: Pick<ColumnIndexer, 'readAgain' | 'pause'>
}

/** Decides about the matching rows of a range; null if all of them are matches. */
type Decide = ((id: string) => 'match' | 'unsure' | 'none') | null

interface Collector {
  /** Called with the id of each match, except those of a range that `takeRange` took. */
  take(id: string): void
  /**
   * Asked about a range of which each row that the filter accepts is a match, so that their ids need not be read.
   * Returns whether it took the range. Default: it takes none.
   */
  takeRange?(rows: ScannedRows): boolean
  /** Asked before each further range is looked at: whether to stop. Default: never. */
  isEnough?(): boolean
}

/** Finds mail by the columns of this process: of subjects and addresses, and of text. */
export function createColumnRows({ store, column, heads, indexer }: ColumnRowsDeps): MatchingRows {
  /**
   * Visits the ranges of rows whose text and head match, newest first. For `unsure` ids the records decide.
   *
   * @returns Number of mails that were not searched: all, if a row is damaged.
   */
  async function scan(
    filter: MailFilter,
    visit: (rows: ScannedRows, decide: Decide) => Promise<void>,
    isEnough?: () => boolean,
  ): Promise<number> {
    if (filter.rows.length === 0) {
      indexer.pause()
      const visitHeads = (rows: ScannedRows): Promise<void> =>
        visit(rows, rows.unsure.size === 0 ? null : (id) => (rows.unsure.has(id) ? 'unsure' : 'match'))
      await heads.scan(filter.heads, visitHeads, isEnough)
      return 0
    }
    const matches = filter.heads.length > 0 ? await headMatches(filter) : null
    const decide: Decide = matches && ((id) => matches.get(id) ?? 'none')
    if (await column.scan(filter.rows, (rows) => visit(rows, decide), isEnough)) return 0
    indexer.readAgain()
    return store.count(emailCollection)
  }

  async function headMatches(filter: MailFilter): Promise<Map<string, 'match' | 'unsure'>> {
    const found = new Map<string, 'match' | 'unsure'>()
    await heads.scan(filter.heads, async (rows) => {
      for (const id of rows.ids()) found.set(id, rows.unsure.has(id) ? 'unsure' : 'match')
    })
    return found
  }

  async function candidates(filter: MailFilter): Promise<MatchingIds> {
    const ids: string[] = []
    const unsearched = await scan(filter, async (rows, decide) => {
      ids.push(...rows.ids().filter((id) => decide?.(id) !== 'none'))
    })
    return { ids, unsearched }
  }

  /** @returns Number of mails that were not searched. */
  async function each(filter: MailFilter, collector: Collector): Promise<number> {
    const { facts } = filter
    const visit = async (rows: ScannedRows, decide: Decide): Promise<void> => {
      if (rows.hits === 0) return
      // Rows outlive their mails. Where none of this range was removed, every row is a mail.
      const isWhole = !facts && (await countBetween(rows)) === rows.count
      if (isWhole && !decide && collector.takeRange?.(rows)) return
      // The facts of mails are asked once for many rows, or for each of a few.
      const stored = facts && rows.hits > fewHits ? await idsBetween(rows, facts) : null
      const isStored = async (id: string): Promise<boolean> =>
        stored?.has(id) ??
        (await store.count(emailCollection, { prefix: [id], ...(facts && { where: facts }) })) > 0
      const pacer = createPacer()
      for (const id of rows.ids()) {
        if (pacer.due()) await pacer.turn()
        const decided = decide ? decide(id) : 'match'
        if (decided === 'none') continue
        if (decided === 'unsure') {
          const email = await store.get(emailCollection, id)
          if (!email || !filter.accepts(email)) continue
        } else if (!isWhole && !(await isStored(id))) continue
        collector.take(id)
      }
    }
    return scan(filter, visit, () => collector.isEnough?.() ?? false)
  }

  /** Both ends included. */
  async function countBetween({ first, last }: ScannedRows): Promise<number> {
    const upTo = await store.count(emailCollection, { until: [last] })
    const upToFirst = await store.count(emailCollection, { until: [first] })
    return upTo - upToFirst + (await store.count(emailCollection, { prefix: [first] }))
  }

  /** Both ends included. */
  async function idsBetween({ first, last }: ScannedRows, where: Where): Promise<ReadonlySet<string>> {
    const ids = await store.ids(emailCollection, { after: [first], until: [last], where })
    const isFirst = (await store.count(emailCollection, { prefix: [first], where })) > 0
    return new Set(isFirst ? [first, ...ids] : ids)
  }

  async function ids(filter: MailFilter): Promise<MatchingIds> {
    const found: string[] = []
    const unsearched = await each(filter, { take: (id) => found.push(id) })
    return { ids: found, unsearched }
  }

  async function page(filter: MailFilter, wanted: WantedRows): Promise<MatchingPage> {
    const { cursor, offset, limit, isCounted } = wanted
    const ids: string[] = []
    let count = 0
    let skipped = 0
    let isPartial = false
    // One more than the page, which says that there are more.
    const isFull = (): boolean => ids.length > limit
    const unsearched = await each(filter, {
      take(id) {
        count++
        if (cursor !== null && id >= cursor) return
        if (skipped < offset) skipped++
        else if (!isFull()) ids.push(id)
      },
      takeRange({ hits, first }) {
        const isBeforePage = cursor !== null && first >= cursor
        if (!isFull() && !isBeforePage) {
          // With a cursor the range may hold rows of the page; without one, all of it may be skipped.
          if (cursor !== null || skipped + hits > offset) return false
          skipped += hits
        }
        count += hits
        return true
      },
      isEnough() {
        isPartial = !isCounted && isFull()
        return isPartial
      },
    })
    return { ids: ids.slice(0, limit), count, more: isFull(), isPartial, unsearched }
  }

  return { candidates, ids, page }
}

/** For fewer hits in a range, each is looked up. */
const fewHits = 32
