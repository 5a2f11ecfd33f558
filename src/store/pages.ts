import type { IdOrder } from './id-order.ts'
import { readTexts, textInMemory, toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import type { Records } from './records.ts'
import type { Row, SortedIndex, RowSpan } from './sorted-index.ts'
import { judgeOf, unsure, type Ternary, yes } from './fact-conditions.ts'
import { histogramOf } from './histogram.ts'
import { findMatches, idsIn, type MatchingPart } from './matching.ts'
import { type CountQuery, defaultPageLimit, type Page, type PageQuery, type Where } from './queries.ts'
import type { StoredRecord } from './store.ts'
import { compileQuery, type Condition, hasWhere, isOnFacts } from './where.ts'

/** One page in the order of an index; see `Store.page`. */
export async function readPage<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  query: PageQuery,
): Promise<Page<T>> {
  const limit = Math.max(0, query.limit ?? defaultPageLimit)
  if (hasWhere(query)) return await readMatches(records, state, query, limit)
  const index = state.index(query.index ?? 'id')
  let extra = 0
  for (;;) {
    const { rows, more } = sliceOf(index, query, limit + extra)
    const inMemory = rows.map((row) => textInMemory(state, row))
    const texts = inMemory.includes(undefined) ? await readTexts(records, state, rows) : inMemory
    const page = texts.flatMap((text) => (typeof text === 'string' ? [toRecord<T>(text)] : []))
    if (page.length >= limit || !more)
      return { records: page.slice(0, limit), more: more || page.length > limit }
    // Some records are damaged, or were removed meanwhile.
    extra += limit - page.length
  }
}

/** The ids of a page; see `Store.ids`. */
export async function readIds(records: Records, state: CollectionState, query: PageQuery): Promise<string[]> {
  const { limit = Number.POSITIVE_INFINITY } = query
  if (!hasWhere(query))
    return sliceOf(state.index(query.index ?? 'id'), query, limit).rows.map(({ id }) => id)
  const ids: string[] = []
  let skipping = query.offset ?? 0
  for await (const matches of matchesOf(records, state, query)) {
    for (const { id } of matches.rows(skipping, limit - ids.length)) ids.push(id)
    skipping = Math.max(0, skipping - matches.count)
    if (ids.length >= limit) break
  }
  return ids
}

/** How many records match; see `Store.count`. */
export async function countRecords(
  records: Records,
  state: CollectionState,
  query: CountQuery,
): Promise<number> {
  if (!hasWhere(query)) {
    const { start, end } = state.index(query.index ?? 'id').span(query.prefix, query.until)
    return Math.max(0, end - start)
  }
  const { where } = query
  const judge = isOnFacts(where, ['flag']) && state.facts ? judgeOf(state.facts, where) : undefined
  const values = judge ? await histogramOf(state, spanOf(state.idIndex, query), 'flags') : null
  let count = 0
  if (judge && values) {
    for (const [flags, times] of values) if (judge([flags]) === yes) count += times
    return count
  }
  for await (const matches of matchesOf(records, state, query)) count += matches.count
  return count
}

/** The records of a page in the order of the ids. Reads only the page, and the records whose facts are not enough. */
async function readMatches<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  query: PageQuery & { readonly where: Where },
  limit: number,
): Promise<Page<T>> {
  const condition = compileQuery(query, state.collection.facts)
  const page: T[] = []
  let skipping = query.offset ?? 0
  for await (const matches of matchesOf(records, state, query, condition)) {
    for (let from = skipping; from < matches.count;) {
      const rows = matches.rows(from, Math.min(maxAtOnce, limit + 1 - page.length))
      from += rows.length
      for (const text of await readTexts(records, state, rows)) {
        const record = text === null ? null : toRecord<T>(text)
        // A commit may have changed it since.
        if (!record || !condition(record)) continue
        if (page.length === limit) return { records: page, more: true }
        page.push(record)
      }
    }
    skipping = Math.max(0, skipping - matches.count)
  }
  return { records: page, more: false }
}

function matchesOf(
  records: Records,
  state: CollectionState,
  query: PageQuery & { readonly where: Where },
  condition: Condition = compileQuery(query, state.collection.facts),
): AsyncGenerator<MatchingPart> {
  const { where, also = [] } = query
  const only = idsIn(where)
  return findMatches(records, state, {
    judge: state.facts ? judgeOf(state.facts, where) : (): Ternary => unsure,
    condition,
    range: {
      backwards: query.direction === 'desc',
      span: () => spanOf(state.idIndex, query),
      ids: only && [...only, ...also],
    },
    also: also.toSorted(),
  })
}

/** The rows of a page without a condition, in its direction, and whether more follow. */
function sliceOf(
  index: SortedIndex | IdOrder,
  query: PageQuery,
  limit: number,
): { rows: readonly Row[]; more: boolean } {
  const { start, end } = spanOf(index, query)
  const skipped = Math.min(Math.max(0, query.offset ?? 0), end - start)
  const more = end - start - skipped > limit
  if (query.direction === 'desc')
    return { rows: index.slice(Math.max(start, end - skipped - limit), end - skipped).toReversed(), more }
  return { rows: index.slice(start + skipped, Math.min(end, start + skipped + limit)), more }
}

function spanOf(index: SortedIndex | IdOrder, query: PageQuery): RowSpan {
  const { start, end } = index.span(query.prefix, query.until)
  if (query.after === undefined) return { start, end: Math.max(start, end) }
  if (query.direction === 'desc')
    return { start, end: Math.max(start, Math.min(end, index.lowerBound(query.after))) }
  const from = Math.max(start, index.upperBound(query.after))
  return { start: from, end: Math.max(from, end) }
}

const maxAtOnce = 128
