import { emailOrder } from '../emails/emails.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { checkPage, pagesOf } from '../store/repository.ts'
import { createPacer } from '../core/slices.ts'
import { monotonicNow } from '../core/machine.ts'
import { type FoldedPage, listFolded } from './folded.ts'
import type { CatchUpOptions, Indexer } from './indexer.ts'
import type { Digests } from './digests.ts'
import type { MatchingRows, RowsLimit, WantedRows } from './matching-rows.ts'
import type { Store } from '../store/store.ts'
import { checkOffset, readExtent, readFold } from './search-page.ts'
import type { createMessageFields } from './message-fields.ts'
import type { MailFilter } from './query.ts'
import { foldText } from '../core/fold-text.ts'
import { searchableHead } from './searchable.ts'
import { untilAborted } from '../core/until-aborted.ts'
import type { Search, MatchOptions } from './search.ts'

export interface SearchDeps {
  store: Store
  rows: MatchingRows
  digests: Pick<Digests, 'text'>
  indexer: Pick<Indexer, 'catchUp' | 'countCut'>
  fieldsOf: ReturnType<typeof createMessageFields>
  pageSize: number
}

export function createSearch(deps: SearchDeps): Search {
  const { store, rows, digests, indexer, fieldsOf, pageSize } = deps

  async function fits(email: EmailRecord, filter: MailFilter, signal?: AbortSignal): Promise<boolean> {
    if (!filter.accepts(email) || !(await messageFits(email, filter, signal))) return false
    if (filter.rows.length === 0 && !filter.bodyForm) return true
    const { body } = await digests.text(email, signal)
    if (filter.bodyForm && !filter.bodyForm.test(body)) return false
    const text = foldText(body)
    const head = searchableHead(email)
    return filter.rows.every(({ bytes, in: place, isNegative }) => {
      const wanted = bytes.toString()
      const holds = text.includes(wanted) || (place === 'all' && head.includes(wanted))
      return holds !== isNegative
    })
  }

  async function messageFits(
    email: EmailRecord,
    { messages }: MailFilter,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    if (messages.length === 0) return true
    const fields = await fieldsOf(email, signal)
    return fields !== null && messages.every((test) => test(fields))
  }

  /** Waits until mail is indexed, or until the signal aborts. @returns The number of mails that are not indexed. */
  async function caughtUp({ rows, needsDigests }: MailFilter, options: CatchUpOptions = {}): Promise<number> {
    // A regular expression reads the text of each mail itself.
    if (rows.length === 0 && !needsDigests) return 0
    return untilAborted(indexer.catchUp(options), options.signal)
  }

  async function* matches(filter: MailFilter, options?: MatchOptions): AsyncGenerator<EmailRecord> {
    await caughtUp(filter, options)
    yield* found(filter, { signal: options?.signal })
  }

  /** @param limit  Messages are read until this time. Those that are left are counted. Default: all are read. */
  async function* found(
    filter: MailFilter,
    { limit, signal }: { limit?: ReadingLimit; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<EmailRecord> {
    const isScanned = filter.rows.length > 0 || filter.heads.length > 0
    const how = filter.isByRows ? 'ids' : 'candidates'
    const ids = isScanned
      ? await (limit ? rows[how](filter, limit.rows) : scanAll(how, filter, signal))
      : null
    for await (const email of ids === null ? byStore(filter) : byIds(ids)) {
      signal?.throwIfAborted()
      if (filter.newerThan !== null && email.id <= filter.newerThan) return
      if (!filter.accepts(email)) continue
      if (limit && filter.messages.length > 0) {
        limit.until ??= monotonicNow() + longestReadingMs
        if (monotonicNow() > limit.until) {
          limit.left++
          continue
        }
      }
      if (!(await messageFits(email, filter, signal))) continue
      // The scan has already matched the words. Only a regular expression needs the text itself.
      if (filter.bodyForm && !(await fits(email, filter, signal))) continue
      yield email
    }
  }

  /** Scans without a limit. Where a row is damaged, all mail is read again, and scanned once more. */
  async function scanAll(
    how: 'ids' | 'candidates',
    filter: MailFilter,
    signal?: AbortSignal,
  ): Promise<string[]> {
    const limit: RowsLimit = { signal, left: 0 }
    const ids = await rows[how](filter, limit)
    if (limit.left === 0) return ids
    await untilAborted(indexer.catchUp({ signal }), signal)
    return rows[how](filter, limit)
  }

  async function* byStore({ where }: MailFilter): AsyncGenerator<EmailRecord> {
    const pages = pagesOf(store, emailCollection, { direction: 'desc', limit: sliceSize, where })
    for await (const records of pages) yield* records
  }

  async function* byIds(ids: readonly string[]): AsyncGenerator<EmailRecord> {
    const pacer = createPacer()
    for (const id of ids) {
      const email = await store.get(emailCollection, id)
      if (email) yield email
      if (pacer.due()) await pacer.turn()
    }
  }

  /** A page of a query that rows decide. Only the records of the page are read. */
  async function listByRows(filter: MailFilter, wanted: WantedRows, limit: RowsLimit): Promise<Listed> {
    const { ids, count, more, isPartial } = await rows.page(filter, wanted, limit)
    const items: EmailRecord[] = []
    for await (const email of byIds(ids)) items.push(email)
    return { items, count, more, isPartial }
  }

  async function listByRecord(
    filter: MailFilter,
    { cursor, offset, limit, isCounted }: WantedRows,
    rowsLimit: RowsLimit,
  ): Promise<Listed> {
    const reading: ReadingLimit = { rows: rowsLimit, until: null, left: 0 }
    const items: EmailRecord[] = []
    let count = 0
    let skipped = 0
    let more = false
    for await (const email of found(filter, { limit: reading, signal: rowsLimit.signal })) {
      count++
      if (cursor !== null && email.id >= cursor) continue
      if (skipped < offset) skipped++
      else if (items.length < limit) items.push(email)
      else more = true
      if (more && !isCounted) return { items, count, more, left: reading.left, isPartial: true }
    }
    return { items, count, more, left: reading.left }
  }

  async function listByStore({ where }: MailFilter, { cursor, offset, limit }: WantedRows): Promise<Listed> {
    const after = cursor === null ? {} : { after: [cursor] }
    // Counted first, so that facts that are not known yet are read only once for both calls.
    const count = await store.count(emailCollection, { where })
    const page = await store.page(emailCollection, { direction: 'desc', ...after, offset, limit, where })
    return { items: page.records, count, more: page.more }
  }

  /** A page, read in the fastest way that the query allows. */
  function listBy(
    filter: MailFilter,
    wanted: WantedRows,
    { isFolded, limit }: { isFolded: boolean; limit: RowsLimit },
  ): Promise<Listed> {
    if (isFolded && filter.isOpen) return listFolded(store, wanted, filter.hidden)
    if (isByStore(filter)) return listByStore(filter, wanted)
    return filter.isByRows ? listByRows(filter, wanted, limit) : listByRecord(filter, wanted, limit)
  }

  /** The ids of the matches. Records are read only where neither the store's order nor the text decides. */
  async function ids(filter: MailFilter, options?: { complete?: boolean }): Promise<string[]> {
    await caughtUp(filter, options)
    if (isByStore(filter)) return store.ids(emailCollection, { direction: 'desc', where: filter.where })
    if (filter.isByRows) return scanAll('ids', filter)
    const ids: string[] = []
    const pacer = createPacer()
    for await (const { id } of found(filter)) {
      ids.push(id)
      if (pacer.due()) await pacer.turn()
    }
    return ids
  }

  return {
    fits,
    matches,
    ids,
    async list(filter, query) {
      const order = emailOrder(pageSize)
      const { offset, fold, count: extent, signal, ...paging } = query ?? {}
      const unindexed = await caughtUp(filter, { mostMs: longestCatchUpMs, mostMails: mostCatchUp, signal })
      assertKnownOptions(paging, ['cursor', 'limit'], 'a list')
      const wanted = {
        ...checkPage(paging, order),
        offset: checkOffset(offset, paging),
        isCounted: readExtent(extent),
      }
      const isFolded = readFold(fold)
      const limit: RowsLimit = { mostMs: longestReadingMs, signal, left: 0 }
      const listed = await listBy(filter, wanted, { isFolded, limit })
      const { items, count, more, left = 0, mails = count, groups, isPartial } = listed
      const unread = Math.max(left, limit.left, unindexed)
      const cut = filter.rows.length > 0 ? await indexer.countCut() : 0
      return {
        items,
        count,
        cursor: more ? (items.at(-1)?.id ?? null) : null,
        ...(unread > 0 && { unread_texts: unread }),
        ...(cut > 0 && { cut_texts: cut }),
        ...(isFolded && { mails }),
        ...(groups && { groups }),
        ...(isPartial && { at_least: true as const }),
      }
    },
  }
}

function isByStore({ rows, heads, messages, test, bodyForm }: MailFilter): boolean {
  return rows.length === 0 && heads.length === 0 && messages.length === 0 && !test && !bodyForm
}

interface Listed {
  items: EmailRecord[]
  count: number
  more: boolean
  /** Number of mails that were not looked at. */
  left?: number
  isPartial?: boolean
  mails?: FoldedPage['mails']
  groups?: FoldedPage['groups']
}

interface ReadingLimit {
  readonly rows: RowsLimit
  /** Null before the first message. */
  until: number | null
  left: number
}

/** How long a page waits for mail that is not read yet: it says how many are left, as other searches cannot. */
const longestCatchUpMs = 1000
/** In that time hardly more than this many mails can be read. With more, a page says at once how many are left. */
const mostCatchUp = 2000

/** How long a page of a search may look at the texts of a database, and how long it may read messages. */
const longestReadingMs = 5000

const sliceSize = 200
