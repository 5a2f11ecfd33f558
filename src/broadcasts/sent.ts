import type { Complete } from '../core/complete.ts'
import { isId } from '../core/ids.ts'
import type { ListPage } from '../core/lists.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { nextTurn } from '../core/machine.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { eventStatuses } from '../emails/events.ts'
import { listRecords, pagesOf, readRecord } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { broadcastCollection, type BroadcastRecord } from './broadcast.ts'
import { allZeros, countedStatuses, createTimeline, type Timeline } from './timeline.ts'
import type { BroadcastDetail, BroadcastListQuery, BroadcastSummary, BroadcastTotals } from './types.ts'

/** Broadcasts that were sent, and their results. */
export interface SentBroadcasts {
  /** The newest first; the last 1,000 are kept. @throws invalid_cursor, validation_error */
  list(query?: BroadcastListQuery): Promise<ListPage<BroadcastSummary>>
  /**
   * A broadcast with its results until now. Reads all of its emails: a few hundred milliseconds for 50,000.
   *
   * @throws not_found
   */
  get(id: string): Promise<BroadcastDetail>
}

export function createSentBroadcasts(deps: { store: Store; pageSize: number }): SentBroadcasts {
  const { store, pageSize } = deps
  // Callers at the same time, such as several open pages, share one count.
  const counting = createSharedWork()

  async function read(id: string): Promise<BroadcastDetail> {
    const record = await readRecord(store, broadcastCollection, id, 'broadcast')
    const timeline = createTimeline(record.created)
    const rare = { delivery_delayed: 0, complained: 0, failed: 0 }
    const totals: BroadcastTotals = { emails: 0, ...allZeros, ...rare, unsubscribed: record.unsubscribed }
    for await (const email of emailsOf(store, id)) countEmail(email, totals, timeline)
    return { ...toBroadcastSummary(record), totals, timeline: timeline.result() }
  }

  return {
    async list(query) {
      assertKnownOptions(query, ['audience_id', 'cursor', 'limit'], 'broadcasts.list()')
      const { audience_id, ...page } = query ?? {}
      const { items, ...rest } = await listRecords(store, broadcastCollection, page, {
        pageSize,
        direction: 'desc',
        cursorIs: 'the id of a broadcast',
        isCursor: (text) => isId('bc', text),
        ...(audience_id !== undefined && { index: 'audience', prefix: [audience_id] }),
      })
      return { items: items.map(toBroadcastSummary), ...rest }
    },
    get: (id) => counting.run(id, () => read(id)),
  }
}

/** Counts an email once for each status that it had: in the totals, and at the time of its first such event. */
function countEmail({ recipients }: EmailRecord, totals: BroadcastTotals, timeline: Timeline): void {
  const firstAt = new Map<string, number>()
  for (const { events } of recipients)
    for (const { status, timestamp } of events) if (!firstAt.has(status)) firstAt.set(status, timestamp)
  totals.emails++
  for (const status of statuses) if (firstAt.has(status)) totals[status]++
  for (const status of countedStatuses) {
    const at = firstAt.get(status)
    if (at !== undefined) timeline.add(status, at)
  }
}

const statuses = eventStatuses.filter((status) => status !== 'sent')

async function* emailsOf(store: Store, id: string): AsyncGenerator<EmailRecord> {
  const query = { where: { text: 'tag', equals: id }, limit: readAtOnce }
  for await (const records of pagesOf(store, emailCollection, query)) {
    yield* records
    await nextTurn()
  }
}

/** Reading this many takes a few milliseconds. */
const readAtOnce = 200

function toBroadcastSummary(record: BroadcastRecord): Complete<BroadcastSummary> {
  const { id, audience_id, from, subject, created, count } = record
  return { id, audience_id, from, subject, created, count }
}
