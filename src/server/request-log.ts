import type { Clock } from '../core/clock.ts'
import { type Ids, isId } from '../core/ids.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { shorten } from '../core/quote.ts'
import { maskKey } from '../keys/keys.ts'
import type { LoggedRequest } from './types.ts'
import { monotonicNow } from '../core/machine.ts'
import { checkPage, listRecords } from '../store/repository.ts'
import { createSharedLog } from '../store/shared-log.ts'
import type { Collection, Store, StoredRecord } from '../store/store.ts'

/**
 * A request as it is known when it is answered. Who answers it fills in what is not `readonly`, before it is added to the
 * log, which keeps nothing of this object.
 */
export interface Exchange {
  readonly source: LoggedRequest['source']
  readonly method: string
  readonly path: string
  status: number
  /** From `performance.now()`, before anything else. */
  readonly startedAt: number
  key: string | null
  warnings: string[]
  /** As it was read: UTF-8. */
  requestBody: Uint8Array | null
  responseBody: string | null
}

/** A request that has begun. */
export function beginExchange(source: Exchange['source'], method: string, path: string): Exchange {
  return {
    source,
    method,
    path,
    status: 0,
    startedAt: monotonicNow(),
    key: null,
    warnings: [],
    requestBody: null,
    responseBody: null,
  }
}

/** The last 1,000 requests to `/v1`, and sends of the library. */
export interface RequestLog {
  add(exchange: Exchange): void
  /**
   * Calls back with each one from now on, for the live events, in place of an earlier listener.
   *
   * @param isWanted  Whether requests to other instances are wanted too, which have to be read. Default: never.
   * @returns A function that ends this.
   */
  onAdded(listener: (request: () => LoggedRequest) => void, isWanted?: () => boolean): () => void
  /** Newest first. A promise where instances share a store. @throws invalid_cursor */
  list(query?: ListQuery): ListPage<LoggedRequest> | Promise<ListPage<LoggedRequest>>
  clear(): void | Promise<void>
}

/** How both logs are listed: pages of this size, and cursors that are ids of requests. */
const listing = {
  pageSize: 50,
  cursorIs: 'the id of a request',
  isCursor: (text: string): boolean => isId('req', text),
}

type AddedListener = Parameters<RequestLog['onAdded']>[0]

/** The log of one instance, in memory. */
export function createRequestLog(deps: { clock: Clock; ids: Ids }): RequestLog {
  let kept: LoggedRequest[] = []
  let listener: AddedListener = () => {}
  return {
    add(exchange) {
      const request = toLoggedRequest(exchange, deps)
      kept.push(request)
      // Cut in large steps: shifting at every request would move a thousand entries each time.
      if (kept.length >= 2 * maxLoggedRequests) kept = kept.slice(-maxLoggedRequests)
      listener(() => request)
    },
    onAdded(given) {
      listener = given
      return () => {
        listener = () => {}
      }
    },
    list(query) {
      assertKnownOptions(query, ['cursor', 'limit'], 'a list')
      const { cursor, limit } = checkPage(query, listing)
      const newest = kept.slice(-maxLoggedRequests).reverse()
      const rest = cursor === null ? newest : newest.filter(({ id }) => id < cursor)
      const items = rest.slice(0, limit).map((request) => ({ ...request, warnings: [...request.warnings] }))
      const last = items.length < rest.length ? items.at(-1) : undefined
      return { items, count: newest.length, cursor: last?.id ?? null }
    },
    clear() {
      kept = []
    },
  }
}

/** A request as the log shows it: keys are masked everywhere. */
function toLoggedRequest(exchange: Exchange, { clock, ids }: { clock: Clock; ids: Ids }): LoggedRequest {
  const { source, method, path, status, key, warnings, startedAt, requestBody, responseBody } = exchange
  // Member by member: a spread makes an object that is ten times as large, and a thousand are kept.
  return {
    id: ids.next('req'),
    source,
    timestamp: clock.now(),
    method,
    path: masked(path, key),
    status,
    duration_ms: Math.round((monotonicNow() - startedAt) * 1000) / 1000,
    api_key: key === null ? null : maskKey(key),
    warnings: warnings.map((warning) => shorten(masked(warning, key), maxWarningChars)),
    request_body: requestBody && masked(firstText(requestBody, key), key),
    response_body: responseBody === null ? null : masked(bounded(responseBody, key), key),
  }
}

/** How many requests of an account are kept. */
const maxLoggedRequests = 1000
const maxChars = 16 * 1024
const maxWarningChars = 500

function masked(text: string, key: string | null): string {
  return isMasked(key) && text.includes(key) ? text.replaceAll(key, maskKey(key)) : text
}

/** A shorter text would be masked everywhere. */
function isMasked(key: string | null): key is string {
  return key !== null && key.length >= 8
}

function firstText(bytes: Uint8Array, key: string | null): string {
  let end = endOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), key)
  // Do not cut within a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString()
}

function bounded(text: string, key: string | null): string {
  // Through a buffer, since a slice of a string keeps the whole of it in memory.
  return text.length <= maxChars ? text : Buffer.from(text.slice(0, endOf(text, key))).toString()
}

/** Where a text is cut. A key that goes over the end is left out, because a part of it would not be masked. */
function endOf(text: string | Buffer, key: string | null): number {
  if (text.length <= maxChars || !isMasked(key)) return Math.min(text.length, maxChars)
  const size = Buffer.isBuffer(text) ? Buffer.byteLength(key) : key.length
  // Where such a key can be: searching the whole text could take long.
  const from = Math.max(0, maxChars - size + 1)
  const to = maxChars + size - 1
  const at = (Buffer.isBuffer(text) ? text.subarray(from, to) : text.slice(from, to)).indexOf(key)
  return at === -1 ? maxChars : from + at
}

interface RequestRecord extends StoredRecord, LoggedRequest {}

export const requestCollection: Collection<RequestRecord> = { name: 'requests', indexes: {} }

/** The last 1,000 requests to all instances that share a store. */
export function createSharedRequestLog(deps: { store: Store; clock: Clock; ids: Ids }): RequestLog {
  const { store } = deps
  let listener: AddedListener = () => {}
  let isWanted = (): boolean => false
  const log = createSharedLog({
    store,
    collection: requestCollection,
    limits: [{ index: 'id', prefix: [], most: maxLoggedRequests }],
    onForeign(id) {
      if (isWanted()) void tell(id).catch(() => {})
    },
  })

  async function tell(id: string): Promise<void> {
    const record = await store.get(requestCollection, id)
    if (record) listener(() => withoutVersion(record))
  }

  return {
    add(exchange) {
      const request = toLoggedRequest(exchange, deps)
      log.add(() => request)
      listener(() => request)
    },
    onAdded(given, wanted = () => false) {
      listener = given
      isWanted = wanted
      return () => {
        listener = () => {}
        isWanted = () => false
      }
    },
    async list(query) {
      await log.stored()
      const page = await listRecords(store, requestCollection, query, {
        ...listing,
        direction: 'desc',
      })
      return { ...page, items: page.items.map(withoutVersion) }
    },
    clear: () => log.clear(),
  }
}

function withoutVersion(record: RequestRecord): LoggedRequest {
  const { version: _, ...request } = record
  return request
}
