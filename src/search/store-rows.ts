import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { TextLimit, TextQuery, TextTerm, Texts } from '../store/texts.ts'
import { monotonicNow } from '../core/machine.ts'
import type { HeadTerm } from './head-rows.ts'
import { mailsOf } from './mails.ts'
import type { MatchingIds, MatchingPage, MatchingRows, WantedRows } from './matching-rows.ts'
import type { MailFilter } from './query.ts'
import type { StoreIndexer } from './store-indexer.ts'
import type { RowTerm } from './row-terms.ts'
import { partsOfMember } from './searchable.ts'

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
    // A query without words can be decided by the record of a mail that has no text yet. Such mails may have ids after
    // `missingAfter`.
    const { id, isAll } = await indexer.readTo()
    return { ...query, missingAfter: id, hasMissing: !isAll }
  }

  /** The ids of the matches, newest first. Reads the records of the undecided ones, some at a time, while there is time. */
  async function idsByRecords(
    filter: MailFilter,
    limit: TextLimit | undefined,
    query: Query,
    isEnough: (ids: readonly string[]) => boolean = () => false,
  ): Promise<MatchingIds> {
    const deadline = limit?.mostMs === undefined ? Number.POSITIVE_INFINITY : monotonicNow() + limit.mostMs
    const { matches, left } = await texts.all(emailCollection, query, limit)
    const ids: string[] = []
    let unsearched = left
    for (let at = 0; at < matches.length && !isEnough(ids); at += readAtOnce) {
      limit?.signal?.throwIfAborted()
      const next = matches.slice(at, at + readAtOnce)
      const undecided = next.filter(({ isUndecided }) => isUndecided).map(({ id }) => id)
      const isOver = monotonicNow() > deadline
      if (isOver) unsearched += undecided.length
      const records = undecided.length > 0 && !isOver ? await mailsOf(store, undecided) : []
      const accepted = new Set(records.filter((email) => filter.accepts(email)).map(({ id }) => id))
      for (const { id, isUndecided } of next) if (!isUndecided || accepted.has(id)) ids.push(id)
    }
    return { ids, unsearched }
  }

  /** A page of a search of which records decide a part. */
  async function pageByRecords(
    filter: MailFilter,
    { cursor, offset, limit, isCounted }: WantedRows,
    textLimit: TextLimit | undefined,
    query: Query,
  ): Promise<MatchingPage> {
    const fromCursor = (ids: readonly string[]): readonly string[] =>
      cursor === null ? ids : ids.filter((id) => id < cursor)
    const isFull = (ids: readonly string[]): boolean => fromCursor(ids).length > offset + limit
    const isEnough = (ids: readonly string[]): boolean => !isCounted && isFull(ids)
    const { ids, unsearched } = await idsByRecords(filter, textLimit, query, isEnough)
    const page = fromCursor(ids).slice(offset, offset + limit)
    const more = isFull(ids)
    return { ids: page, count: ids.length, more, isPartial: !isCounted && more, unsearched }
  }

  return {
    ids: async (filter, limit) => idsByRecords(filter, limit, await queryOf(filter)),
    async candidates(filter, limit) {
      const { matches, left } = await texts.all(emailCollection, await queryOf(filter), limit)
      return { ids: matches.map(({ id }) => id), unsearched: left }
    },
    async page(filter, wanted, textLimit) {
      const { cursor, offset, limit, isCounted } = wanted
      const place = { before: cursor, offset, limit: limit + 1, isCounted }
      const query = await queryOf(filter)
      if (query.hasMissing) return pageByRecords(filter, wanted, textLimit, query)
      const found = await texts.page(emailCollection, query, place, textLimit)
      if (found.undecided > 0) return pageByRecords(filter, wanted, textLimit, query)
      const { ids, count, isPartial, left } = found
      return { ids: ids.slice(0, limit), count, more: ids.length > limit, isPartial, unsearched: left }
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
