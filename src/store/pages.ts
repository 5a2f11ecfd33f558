import type { IdOrder } from './id-order.ts'
import { readTexts, textInMemory, toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import type { Records } from './records.ts'
import type { Row, SortedIndex, Span } from './sorted-index.ts'
import { countTexts, factsOf, unsure, type Verdict } from './facts.ts'
import { misuse } from './io-errors.ts'
import { findJudged, findMatches, type Matches } from './matching.ts'
import type { CountQuery, IndexKey, Page, PageQuery, Where } from './queries.ts'
import type { StoredRecord } from './store.ts'
import { membersOf } from './stored.ts'
import { createPacer } from '../core/slices.ts'
import { compileQuery } from './where.ts'

/** One page in the order of an index; see `Store.page`. */
export async function readPage<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  query: PageQuery,
): Promise<Page<T>> {
  const limit = Math.max(0, query.limit ?? 50)
  if (query.where === undefined) {
    const { rows, more } = sliceOf(state.index(query.index ?? 'id'), query, limit)
    const texts = rows.map((row) => textInMemory(state, row))
    if (!texts.includes(undefined)) return { records: texts.map((text) => toRecord<T>(text ?? '')), more }
  }
  if (isById(query)) return readMatches(records, state, query, limit)
  const page: T[] = []
  let skipped = 0
  for await (const record of scan<T>(records, state, query, limit)) {
    if (query.where !== undefined && skipped++ < (query.offset ?? 0)) continue
    if (page.length >= limit) return { records: page, more: true }
    page.push(record)
  }
  return { records: page, more: false }
}

/** The ids of a page; see `Store.ids`. */
export async function readIds(records: Records, state: CollectionState, query: PageQuery): Promise<string[]> {
  const { limit = Number.POSITIVE_INFINITY } = query
  if (isById(query)) {
    const ids: string[] = []
    let skipping = query.offset ?? 0
    for await (const matches of matchesOf(records, state, query)) {
      for (const { id } of matches.rows(skipping, limit - ids.length)) ids.push(id)
      skipping = Math.max(0, skipping - matches.count)
      if (ids.length >= limit) break
    }
    return ids
  }
  if (query.where !== undefined)
    return (await readPage(records, state, { ...query, limit })).records.map(({ id }) => id)
  return sliceOf(state.index(query.index ?? 'id'), query, limit).rows.map(({ id }) => id)
}

/** How many records match; see `Store.count`. */
export async function countRecords(
  records: Records,
  state: CollectionState,
  query: CountQuery,
): Promise<number> {
  if (query.where === undefined) {
    const { start, end } = state.index(query.index ?? 'id').span(query.prefix, query.until)
    return Math.max(0, end - start)
  }
  let count = 0
  if (isById(query)) {
    for await (const matches of matchesOf(records, state, query)) count += matches.count
    return count
  }
  for await (const _ of scan(records, state, query, mostAtOnce)) count++
  return count
}

/** How many records have each of the texts of a fact; see `Store.tally`. */
export async function tallyTexts(
  records: Records,
  state: CollectionState,
  name: string,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const { facts } = state.collection
  const at = facts?.texts.indexOf(name) ?? -1
  if (!facts || at < 0) throw misuse(`The collection has no text ${JSON.stringify(name)}.`)
  const judge = state.facts?.tally(name, counts) ?? ((): Verdict => unsure)
  const condition = {
    mayMatch: () => true,
    matches(record: object) {
      countTexts(factsOf(facts, record)?.texts[at] ?? [], counts)
      return true
    },
  }
  const { idIndex } = state
  const all = (after: string | null): Span => {
    const { start, end } = idIndex.span()
    return { start: after === null ? start : Math.max(start, idIndex.upperBound([after])), end }
  }
  for await (const _ of findJudged(records, state, { judge, ids: null }, condition, false, all));
  return counts
}

/** Whether a query has a condition, and is in the order of the ids. */
function isById<Q extends CountQuery>(query: Q): query is Q & { readonly where: Where } {
  return query.where !== undefined && (query.index ?? 'id') === 'id'
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
  for await (const matches of matchesOf(records, state, query)) {
    for (let from = skipping; from < matches.count;) {
      const rows = matches.rows(from, Math.min(mostAtOnce, limit + 1 - page.length))
      from += rows.length
      const texts = await readTexts(records, state, rows)
      for (const text of texts) {
        const record = text === null ? null : toRecord<T>(text)
        // A commit may have changed it since.
        if (!record || !condition.matches(record)) continue
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
): AsyncGenerator<Matches> {
  const { idIndex } = state
  const backwards = query.direction === 'desc'
  const condition = compileQuery(query, state.collection.facts)
  const span = (after: string | null): Span => {
    const { start, end } = spanOf(idIndex, query)
    if (after === null) return { start, end }
    if (backwards) return { start, end: Math.min(end, idIndex.lowerBound([after])) }
    return { start: Math.max(start, idIndex.upperBound([after])), end }
  }
  return findMatches(records, state, query.where, condition, backwards, span, query.also)
}

/** The rows of a page without a condition, in its direction, and whether more follow. */
function sliceOf(
  index: SortedIndex | IdOrder,
  query: PageQuery,
  limit: number,
): { rows: readonly Row[]; more: boolean } {
  const { start, end } = behindOffset(spanOf(index, query), query)
  const more = end - start > limit
  if (query.direction === 'desc')
    return { rows: index.slice(Math.max(start, end - limit), end).toReversed(), more }
  return { rows: index.slice(start, Math.min(end, start + limit)), more }
}

/** A span without the records that a query skips. */
function behindOffset({ start, end }: Span, { offset = 0, direction }: PageQuery): Span {
  const skipped = Math.min(Math.max(0, offset), end - start)
  return direction === 'desc' ? { start, end: end - skipped } : { start: start + skipped, end }
}

/** The part of the index that a query is about. */
function spanOf(index: SortedIndex | IdOrder, query: PageQuery): Span {
  const { start, end } = index.span(query.prefix, query.until)
  if (query.after === undefined) return { start, end: Math.max(start, end) }
  if (query.direction === 'desc')
    return { start, end: Math.max(start, Math.min(end, index.lowerBound(query.after))) }
  const from = Math.max(start, index.upperBound(query.after))
  return { start: from, end: Math.max(from, end) }
}

/**
 * The records that match, in order. Other commits may run between two records. If they moved positions, the search
 * continues after the last record that it saw.
 *
 * @param wanted  About how many records the caller takes.
 */
async function* scan<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  query: PageQuery,
  wanted: number,
): AsyncGenerator<T> {
  const index = state.index(query.index ?? 'id')
  const condition = compileQuery(query, state.collection.facts)
  const backwards = query.direction === 'desc'
  const atOnce = query.where === undefined ? Math.min(wanted + 1, mostAtOnce) : mostAtOnce
  const pacer = createPacer()
  const begin = (): Span => {
    const span = spanOf(index, query)
    return query.where === undefined ? behindOffset(span, query) : span
  }
  let { start, end } = begin()
  let last: { id: string; key: IndexKey } | null = null
  while (start < end) {
    const { revision } = index
    const rows = backwards
      ? index.slice(Math.max(start, end - atOnce), end).toReversed()
      : index.slice(start, Math.min(end, start + atOnce))
    const keys = rows.map((row) => index.keyOf(row) ?? [])
    const texts = await readTexts(records, state, rows)
    for (const [i, row] of rows.entries()) {
      if (index.revision !== revision) break
      last = { id: row.id, key: keys[i] ?? [] }
      // A commit may have changed it since.
      const text = textInMemory(state, row) ?? texts[i]
      if (text && condition.mayMatch(text)) {
        const record = toRecord<T>(text)
        if (condition.matches(membersOf(record))) yield record
      }
      if (pacer.due()) await pacer.turn()
    }
    if (index.revision === revision) {
      if (backwards) end -= rows.length
      else start += rows.length
      continue
    }
    ;({ start, end } = last ? spanOf(index, query) : begin())
    if (!last) continue
    const at = index.position(last.key, last.id)
    if (backwards) end = Math.min(end, at)
    else start = Math.max(start, index.at(at)?.id === last.id ? at + 1 : at)
  }
}

/** How many records are read at once. */
const mostAtOnce = 128
