import type { Entry } from './entry.ts'
import type { CollectionState } from './records.ts'
import type { SortedIndex, Span } from './sorted-index.ts'
import type { CountQuery, Page, PageQuery, StoredRecord } from './store.ts'
import { membersOf } from './stored.ts'
import { createPacer } from '../core/yield.ts'
import { compileWhere } from './where.ts'

/** The record of an entry, a new copy each time. */
export function readRecord<T extends StoredRecord>(entry: Entry): T {
  // The text was made from the caller's own T: the collection ties them together.
  return JSON.parse(entry.text) as T
}

/** One page in the order of an index; see `Store.page`. */
export async function readPage<T extends StoredRecord>(
  state: CollectionState,
  query: PageQuery,
): Promise<Page<T>> {
  const index = state.index(query.index ?? 'id')
  const limit = Math.max(0, query.limit ?? 50)
  if (query.where === undefined) {
    const { entries, more } = sliceOf(index, query, limit)
    return { records: entries.map((entry) => readRecord<T>(entry)), more }
  }
  const records: T[] = []
  let skipped = 0
  for await (const record of scan<T>(index, query)) {
    if (skipped++ < (query.offset ?? 0)) continue
    if (records.length >= limit) return { records, more: true }
    records.push(record)
  }
  return { records, more: false }
}

/** The ids of a page; see `Store.ids`. */
export async function readIds(state: CollectionState, query: PageQuery): Promise<string[]> {
  const { limit = Number.POSITIVE_INFINITY } = query
  if (query.where !== undefined)
    return (await readPage(state, { ...query, limit })).records.map(({ id }) => id)
  return sliceOf(state.index(query.index ?? 'id'), query, limit).entries.map(({ id }) => id)
}

/** The entries of a page without a condition, in its direction, and whether more follow. */
function sliceOf(index: SortedIndex, query: PageQuery, limit: number): { entries: Entry[]; more: boolean } {
  const span = spanOf(index, query)
  const offset = Math.max(0, query.offset ?? 0)
  if (query.direction === 'desc') {
    const end = Math.max(span.start, span.end - offset)
    const start = Math.max(span.start, end - limit)
    return { entries: index.entries.slice(start, end).reverse(), more: start > span.start }
  }
  const start = Math.min(span.end, span.start + offset)
  const end = Math.min(span.end, start + limit)
  return { entries: index.entries.slice(start, end), more: end < span.end }
}

/** How many records match; see `Store.count`. */
export async function countRecords(state: CollectionState, query: CountQuery): Promise<number> {
  const index = state.index(query.index ?? 'id')
  if (query.where === undefined) {
    const { start, end } = index.span(query.prefix, query.until)
    return Math.max(0, end - start)
  }
  let count = 0
  for await (const _ of scan(index, query)) count++
  return count
}

/** The part of the index that a query is about. */
function spanOf(index: SortedIndex, query: PageQuery): Span {
  const { start, end } = index.span(query.prefix, query.until)
  if (query.after === undefined) return { start, end: Math.max(start, end) }
  if (query.direction === 'desc')
    return { start, end: Math.max(start, Math.min(end, index.lowerBound(query.after))) }
  const from = Math.max(start, index.upperBound(query.after))
  return { start: from, end: Math.max(from, end) }
}

/**
 * The records that match, in order. Others run between two of them and while the event loop turns; where they moved
 * positions, it continues after the last record that it saw.
 */
async function* scan<T extends StoredRecord>(index: SortedIndex, query: PageQuery): AsyncGenerator<T> {
  const condition = compileWhere(query.where ?? { all: [] })
  const backwards = query.direction === 'desc'
  const pacer = createPacer()
  let { start, end } = spanOf(index, query)
  let revision = index.revision
  while (start < end) {
    const entry = index.entries[backwards ? --end : start++]
    if (!entry) return
    const { id } = entry
    const key = index.keyOf(entry) ?? []
    if (condition.mayMatch(entry.text)) {
      const record = readRecord<T>(entry)
      if (condition.matches(membersOf(record))) yield record
    }
    if (pacer.due()) await pacer.turn()
    if (index.revision === revision) continue
    revision = index.revision
    ;({ start, end } = spanOf(index, query))
    const at = index.position(key, id)
    if (backwards) end = Math.min(end, at)
    else start = Math.max(start, index.entries[at]?.id === id ? at + 1 : at)
  }
}
