import { emailOrder } from '../emails/emails.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { checkPage, pagesOf } from '../store/repository.ts'
import { createPacer } from '../core/slices.ts'
import { monotonicNow } from '../core/machine.ts'
import { type FoldedPage, listFolded } from './folded.ts'
import type { CatchUpOptions, Indexer } from './indexer.ts'
import { type ContentDeps, mailFits, messageFits } from './mail-fits.ts'
import type { MatchingIds, MatchingRows, WantedRows } from './matching-rows.ts'
import type { Store } from '../store/store.ts'
import type { TextLimit } from '../store/texts.ts'
import { assertSearchQuery } from './search-page.ts'
import type { MailFilter } from './query.ts'
import { untilAborted } from '../core/until-aborted.ts'
import type { Search, MatchOptions } from './search.ts'

export interface SearchDeps extends ContentDeps {
  store: Store
  rows: MatchingRows
  indexer: Pick<Indexer, 'catchUp' | 'countCut'>
  pageSize: number
}

export function createSearch(deps: SearchDeps): Search {
  const { store, rows, indexer, pageSize } = deps

  /** Waits until mail is indexed, or until the signal aborts. @returns The number of mails that are not indexed. */
  async function caughtUp(filter: MailFilter, options: CatchUpOptions = {}): Promise<number> {
    // A regular expression reads the text of each mail itself.
    if (filter.rows.length === 0 && !filter.needsDigests) return 0
    return untilAborted(indexer.catchUp(options), options.signal)
  }

  async function* matches(filter: MailFilter, options?: MatchOptions): AsyncGenerator<EmailRecord> {
    await caughtUp(filter, options)
    yield* found(filter, options?.signal)
  }

  async function* found(filter: MailFilter, signal?: AbortSignal): AsyncGenerator<EmailRecord> {
    yield* matchesAmong(isScanned(filter) ? await scanAll(filter, signal) : null, filter, { signal })
  }

  /**
   * The matches among the mails that a scan found, newest first; without one, among those that the store's conditions find.
   *
   * @param options.mayRead  Asked before a message is read for its fields; one that may not be read is left out.
   */
  async function* matchesAmong(
    ids: readonly string[] | null,
    filter: MailFilter,
    { signal, mayRead = () => true }: { signal?: AbortSignal | undefined; mayRead?: () => boolean },
  ): AsyncGenerator<EmailRecord> {
    for await (const email of ids === null ? byStore(filter) : byIds(ids)) {
      signal?.throwIfAborted()
      if (filter.newerThan !== null && email.id <= filter.newerThan) return
      if (!filter.accepts(email) || (filter.messages.length > 0 && !mayRead())) continue
      if (await contentFits(email, filter, signal)) yield email
    }
  }

  /** Scans without a limit. Where a row is damaged, all mail is read again, and scanned once more. */
  async function scanAll(filter: MailFilter, signal?: AbortSignal): Promise<readonly string[]> {
    const { ids, unsearched } = await scan(filter, { signal })
    if (unsearched === 0) return ids
    await untilAborted(indexer.catchUp({ signal }), signal)
    return (await scan(filter, { signal })).ids
  }

  function scan(filter: MailFilter, textLimit: TextLimit): Promise<MatchingIds> {
    return filter.isByRows ? rows.ids(filter, textLimit) : rows.candidates(filter, textLimit)
  }

  /** Whether a mail whose record and rows match is a match. */
  function contentFits(email: EmailRecord, filter: MailFilter, signal?: AbortSignal): Promise<boolean> {
    // The scan has already matched the words. Only a regular expression needs the text itself.
    return filter.bodyForm ? mailFits(email, filter, deps, signal) : messageFits(email, filter, deps, signal)
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
  async function listByRows(filter: MailFilter, wanted: WantedRows, textLimit: TextLimit): Promise<Listed> {
    const { ids, ...page } = await rows.page(filter, wanted, textLimit)
    const items: EmailRecord[] = []
    for await (const email of byIds(ids)) items.push(email)
    return { ...page, items }
  }

  /** A page of a query that records and messages decide. Those that cannot be read in time count as not searched. */
  async function listByRecord(
    filter: MailFilter,
    { cursor, offset, limit, isCounted }: WantedRows,
    textLimit: TextLimit,
  ): Promise<Listed> {
    const { signal } = textLimit
    const scanned = isScanned(filter) ? await scan(filter, textLimit) : null
    const items: EmailRecord[] = []
    let count = 0
    let skipped = 0
    let more = false
    let unread = 0
    let deadline: number | null = null
    const mayRead = (): boolean => {
      deadline ??= monotonicNow() + maxReadingMs
      const isLate = monotonicNow() > deadline
      if (isLate) unread++
      return !isLate
    }
    for await (const email of matchesAmong(scanned?.ids ?? null, filter, { signal, mayRead })) {
      count++
      if (cursor !== null && email.id >= cursor) continue
      if (skipped < offset) skipped++
      else if (items.length < limit) items.push(email)
      else more = true
      if (more && !isCounted) break
    }
    const unsearched = Math.max(unread, scanned?.unsearched ?? 0)
    return { items, count, more, unsearched, isPartial: more && !isCounted }
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
    { isFolded, textLimit }: { isFolded: boolean; textLimit: TextLimit },
  ): Promise<Listed> {
    if (isFolded && filter.isOpen) return listFolded(store, wanted, filter.hidden)
    if (isByStore(filter)) return listByStore(filter, wanted)
    return filter.isByRows ? listByRows(filter, wanted, textLimit) : listByRecord(filter, wanted, textLimit)
  }

  /** The ids of the matches. Records are read only where neither the store's order nor the text decides. */
  async function ids(filter: MailFilter, options?: MatchOptions): Promise<readonly string[]> {
    await caughtUp(filter, options)
    if (isByStore(filter)) return store.ids(emailCollection, { direction: 'desc', where: filter.where })
    if (filter.isByRows) return scanAll(filter, options?.signal)
    const ids: string[] = []
    const pacer = createPacer()
    for await (const { id } of found(filter, options?.signal)) {
      ids.push(id)
      if (pacer.due()) await pacer.turn()
    }
    return ids
  }

  return {
    fits: (email, filter, signal) => mailFits(email, filter, deps, signal),
    matches,
    ids,
    async list(filter, query) {
      const order = emailOrder(pageSize)
      const { offset = 0, fold, count: extent = 'all', signal, ...paging } = query ?? {}
      assertKnownOptions(paging, ['cursor', 'limit'], 'a list')
      const page = checkPage(paging, order)
      assertSearchQuery(query ?? {})
      const unindexed = await caughtUp(filter, { maxMs: maxCatchUpMs, maxMails: maxCatchUpMails, signal })
      const wanted = { ...page, offset, isCounted: extent === 'all' }
      const isFolded = fold !== undefined
      const textLimit = { mostMs: maxReadingMs, signal }
      const listed = await listBy(filter, wanted, { isFolded, textLimit })
      const { items, count, more, unsearched = 0, mails = count, groups, isPartial } = listed
      const unread = Math.max(unsearched, unindexed)
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

function isScanned({ rows, heads }: MailFilter): boolean {
  return rows.length > 0 || heads.length > 0
}

function isByStore({ rows, heads, messages, test, bodyForm }: MailFilter): boolean {
  return rows.length === 0 && heads.length === 0 && messages.length === 0 && !test && !bodyForm
}

interface Listed {
  items: EmailRecord[]
  count: number
  more: boolean
  /** Number of mails that were not looked at. Default: 0. */
  unsearched?: number
  isPartial?: boolean
  mails?: FoldedPage['mails']
  groups?: FoldedPage['groups']
}

/** How long a page waits for mail that is not read yet: it says how many are left, as other searches cannot. */
const maxCatchUpMs = 1000
/** In that time hardly more than this many mails can be read. With more, a page says at once how many are left. */
const maxCatchUpMails = 2000

/** How long a page of a search may look at the texts of a database, and how long it may read messages. */
const maxReadingMs = 5000

const sliceSize = 200
