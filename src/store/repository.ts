import { isErrorOf, LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { givenCursor, maxPageSize, type ListPage, type ListQuery } from '../core/lists.ts'
import type { IndexKey, PageQuery, Where } from './queries.ts'
import { type Collection, type Store, type StoredRecord, update } from './store.ts'

/**
 * Reads a record that a caller named.
 *
 * @param noun  What the record is, for the message: `domain`.
 * @throws not_found when there is none.
 */
export async function readRecord<T extends StoredRecord>(
  store: Store,
  collection: Collection<T>,
  id: string,
  noun: string,
): Promise<T> {
  const record = await store.get(collection, id)
  if (!record) throw notFound(noun, id)
  return record
}

/** @param noun  As for {@link readRecord}. */
export function notFound(noun: string, id: string): LocalpostError {
  const message = `There is no ${noun} ${quote(id)}. Check the id: it may have been removed.`
  return new LocalpostError('not_found', message)
}

/**
 * Changes one record; repeats on the newest version where another commit changed it meanwhile.
 *
 * @param change  Gives the new record; it must not keep state, since it may be called more than once.
 *   Returning the same object means that nothing is written.
 * @returns The record as stored.
 * @throws not_found when there is none.
 */
export function changeRecord<T extends StoredRecord>(
  store: Store,
  collection: Collection<T>,
  id: string,
  noun: string,
  change: (record: T) => T,
): Promise<T> {
  return untilCommitted(async () => {
    const record = await readRecord(store, collection, id, noun)
    const next = change(record)
    if (next === record) return record
    await store.commit([update(collection, next)])
    return { ...next, version: record.version + 1 }
  })
}

/**
 * Repeats "read, decide, commit" while commits of others came in between; each repetition must read again.
 *
 * A commit may be refused because of one that reads do not show yet. The next repetition is then refused too, and a
 * later one sees the other commit.
 */
export async function untilCommitted<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (attempts === maxAttempts || !isErrorOf(error, 'version_conflict', 'unique_conflict')) throw error
    }
  }
}

// Each refusal means that another commit was stored, so only that many concurrent callers could need that many attempts.
const maxAttempts = 1000

/** All records of a query, read in pages. @param query  `limit` is the number of records of a page. */
export async function* pagesOf<T extends StoredRecord>(
  store: Pick<Store, 'page'>,
  collection: Collection<T>,
  query: PageQuery,
): AsyncGenerator<T[]> {
  // An index names members of the record.
  const members = (collection.indexes[query.index ?? 'id']?.on ?? ['id']) as readonly (keyof T)[]
  for (let { after } = query; ;) {
    const { records, more } = await store.page(collection, { ...query, after })
    if (records.length > 0) yield records
    const last = records.at(-1)
    if (!more || !last) return
    after = members.map((member) => last[member] as IndexKey[number])
  }
}

/** How a list is ordered, and what its cursors are. */
export interface ListOrder<T extends StoredRecord> {
  /** Items per page where the query does not say. */
  pageSize: number
  /** Default: `id`. */
  index?: string
  prefix?: IndexKey
  /** Only these records; `count` counts them too. */
  where?: Where
  direction?: 'asc' | 'desc'
  /** The kind of cursor of this list, for the message: `the id of a domain`. */
  cursorIs: string
  isCursor(text: string): boolean
  /** The cursor of the page that begins after a record. Default: the id of the record. */
  cursorOf?(record: T): string
  /** The key in the index for a cursor, without the prefix. Default: the cursor itself. */
  keyOf?(cursor: string): string
}

/**
 * One page of a collection, for the lists of all resources.
 *
 * @throws invalid_cursor when the cursor is not of the form of this list's cursors; validation_error for field `limit`
 *   unless it is a whole number from 1 to 500.
 */
export async function listRecords<T extends StoredRecord>(
  store: Store,
  collection: Collection<T>,
  query: ListQuery | undefined,
  order: ListOrder<T>,
): Promise<ListPage<T>> {
  assertKnownOptions(query, ['cursor', 'limit'], 'a list')
  const { cursor, limit } = checkPage(query, order)
  const { index = 'id', prefix = [], direction = 'asc', where } = order
  const after = cursor === null ? undefined : [...prefix, order.keyOf?.(cursor) ?? cursor]
  const [page, count] = await Promise.all([
    store.page(collection, { index, prefix, direction, after, limit, where }),
    store.count(collection, { index, prefix, where }),
  ])
  const last = page.more ? page.records.at(-1) : undefined
  return { items: page.records, count, cursor: last ? (order.cursorOf?.(last) ?? last.id) : null }
}

/** Which page of a list is asked for. @throws As {@link listRecords}. */
export function checkPage(
  query: ListQuery | undefined,
  order: Pick<ListOrder<StoredRecord>, 'cursorIs' | 'isCursor' | 'pageSize'>,
): { cursor: string | null; limit: number } {
  const cursor = givenCursor(query) ?? null
  if (cursor !== null && !order.isCursor(cursor)) {
    const advice = `here it is ${order.cursorIs}. Pass the cursor of the previous page unchanged, or none.`
    throw new LocalpostError('invalid_cursor', `${quote(cursor)} is not a cursor of this list: ${advice}`)
  }
  const limit = query?.limit ?? order.pageSize
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw validationError([
      { field: 'limit', message: `must be a whole number from 1 to ${maxPageSize}, not ${quote(limit)}` },
    ])
  }
  return { cursor, limit }
}
