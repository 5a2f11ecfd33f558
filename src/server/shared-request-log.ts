import type { Clock } from '../core/clock.ts'
import { isId, type Ids } from '../core/ids.ts'
import { listRecords } from '../store/repository.ts'
import { createSharedLog } from '../store/shared-log.ts'
import type { Collection, Store, StoredRecord } from '../store/store.ts'
import { maxLoggedRequests, type RequestLog, toLoggedRequest } from './request-log.ts'
import type { LoggedRequest } from './types.ts'

interface RequestRecord extends StoredRecord, LoggedRequest {}

export const requestCollection: Collection<RequestRecord> = { name: 'requests', indexes: {} }

/** The last 1,000 requests to all instances that share a store. */
export function createSharedRequestLog({
  store,
  ...made
}: {
  store: Store
  clock: Clock
  ids: Ids
}): RequestLog {
  let listener: Parameters<RequestLog['onAdded']>[0] = () => {}
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
      const request = toLoggedRequest(exchange, made)
      log.add(() => request)
      listener(() => request)
    },
    onAdded(given, wanted = () => false) {
      listener = given
      isWanted = wanted
    },
    async list(query) {
      await log.stored()
      const page = await listRecords(store, requestCollection, query, {
        pageSize: 50,
        direction: 'desc',
        cursorIs: 'the id of a request',
        isCursor: (text) => isId('req', text),
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
