import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { TextMatch, TextQuery, TextTerm, Texts } from '../store/texts.ts'
import { monotonicNow } from '../core/machine.ts'
import type { HeadTerm } from './head-rows.ts'
import { mailsOf } from './mail-rows.ts'
import type { MatchingPage, MatchingRows, RowsLimit, WantedRows } from './matching-rows.ts'
import type { MailFilter } from './query.ts'
import type { StoreIndexer } from './store-indexer.ts'
import type { RowTerm } from './text-rows.ts'
import { partsOfMember } from './head-parts.ts'

export interface StoreRowsDeps {
  store: Store
  texts: Texts
  indexer: Pick<StoreIndexer, 'readTo'>
}

export function createStoreRows({ store, texts, indexer }: StoreRowsDeps): MatchingRows {
  async function queryOf({ rows, heads, facts }: MailFilter): Promise<Query> {
    const terms = [...rows.map(wordTerm), ...heads.map(memberTerm)]
    const query = { terms, where: facts, missingAfter: null, hasMissing: false }
    if (rows.length > 0) return query
    // The head of a mail is also in its record. Its body must have been read.
    const { id, isAll } = await indexer.readTo()
    return { ...query, missingAfter: id, hasMissing: !isAll }
  }

  async function matchesOf(
    filter: MailFilter,
    limit?: RowsLimit,
    query?: Query,
  ): Promise<readonly TextMatch[]> {
    const { matches, left } = await texts.all(emailCollection, query ?? (await queryOf(filter)), limit)
    if (limit) limit.left += left
    return matches
  }

  /** The ids of the matches, newest first. Reads the records of the undecided ones, some at a time, while there is time. */
  async function* decided(filter: MailFilter, limit?: RowsLimit, query?: Query): AsyncGenerator<string> {
    const until = limit?.mostMs === undefined ? Number.POSITIVE_INFINITY : monotonicNow() + limit.mostMs
    const matches = await matchesOf(filter, limit, query)
    for (let at = 0; at < matches.length; at += readAtOnce) {
      limit?.signal?.throwIfAborted()
      const next = matches.slice(at, at + readAtOnce)
      const open = next.filter(({ isUndecided }) => isUndecided).map(({ id }) => id)
      const isOver = monotonicNow() > until
      if (limit && isOver) limit.left += open.length
      const records = open.length > 0 && !isOver ? await mailsOf(store, open) : []
      const accepted = new Set(records.filter((email) => filter.accepts(email)).map(({ id }) => id))
      yield* next.flatMap(({ id, isUndecided }) => (!isUndecided || accepted.has(id) ? [id] : []))
    }
  }

  async function ids(filter: MailFilter, limit?: RowsLimit): Promise<string[]> {
    const found: string[] = []
    for await (const id of decided(filter, limit)) found.push(id)
    return found
  }

  /** A page of a search of which records decide a part. */
  async function decidedPage(
    filter: MailFilter,
    { cursor, offset, limit, isCounted }: WantedRows,
    limits: RowsLimit | undefined,
    query: Query,
  ): Promise<MatchingPage> {
    const ids: string[] = []
    let [count, behind] = [0, 0]
    for await (const id of decided(filter, limits, query)) {
      count++
      if (cursor !== null && id >= cursor) continue
      if (behind++ < offset) continue
      ids.push(id)
      if (!isCounted && ids.length > limit) break
    }
    const more = ids.length > limit
    return { ids: ids.slice(0, limit), count, more, isPartial: !isCounted && more }
  }

  return {
    ids,
    async candidates(filter, limit) {
      return (await matchesOf(filter, limit)).map(({ id }) => id)
    },
    async page(filter, wanted, limits) {
      const { cursor, offset, limit, isCounted } = wanted
      const place = { before: cursor, offset, limit: limit + 1, isCounted }
      const query = await queryOf(filter)
      if (query.hasMissing) return decidedPage(filter, wanted, limits, query)
      const found = await texts.page(emailCollection, query, place, limits)
      if (found.undecided > 0) return decidedPage(filter, wanted, limits, query)
      if (limits) limits.left += found.left
      const { count, isPartial } = found
      return { ids: found.ids.slice(0, limit), count, more: found.ids.length > limit, isPartial }
    },
  }
}

/** @property hasMissing  Whether some mails have no text yet, so that their records decide. */
type Query = TextQuery & { readonly hasMissing: boolean }

const readAtOnce = 200

function wordTerm({ bytes, in: place, isNegative }: RowTerm): TextTerm {
  return { parts: place === 'body' ? ['body'] : ['head', 'body'], forms: [bytes.toString()], isNegative }
}

function memberTerm({ member, forms, isNegative }: HeadTerm): TextTerm {
  return { parts: partsOfMember[member], forms: forms.map((form) => form.toString()), isNegative }
}
