import type { Complete } from '../core/complete.ts'
import type { Clock } from '../core/clock.ts'
import { emailCollection } from '../emails/email.ts'
import { isId, type Ids } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { listRecords, notFound, readRecord } from '../store/repository.ts'
import type { PageQuery } from '../store/queries.ts'
import { type Store, insert } from '../store/store.ts'
import { maxBodyChars, maxEarlierAnswerChars } from './schema.ts'
import { type WebhookDeliveryRecord, type WebhookPayload, webhookDeliveryCollection } from './webhook.ts'
import type { WebhookAttempt, WebhookDelivery } from './types.ts'

/** The deliveries to all webhooks: the waiting ones, and a log of the last finished ones. */
export interface Deliveries {
  /** Newest first. @throws invalid_cursor */
  list(query?: ListQuery): Promise<ListPage<WebhookDelivery>>
  /** Stores the same event for the same webhook again. @param webhooks  The current webhooks, by id. @throws not_found */
  replay(id: string, webhooks: ReadonlyMap<string, unknown>): Promise<WebhookDelivery>
  /** A new delivery of an event, due at once. */
  begin(
    webhookId: string,
    eventId: string,
    payload: WebhookPayload,
    further?: DeliveryExtras,
  ): WebhookDeliveryRecord
  /** Removes the oldest finished deliveries, a hundred at a time, when there are more than 1,000. */
  trim(): Promise<void>
  /** Removes all finished deliveries. @returns How many there were. */
  removeFinished(): Promise<number>
  /** Removes the deliveries that wait for a webhook. */
  removeWaiting(webhookId: string): Promise<void>
  /** Removes the deliveries that wait for other webhooks than these. */
  removeWaitingExcept(webhookIds: ReadonlySet<string>): Promise<void>
}

/** What only some deliveries have. */
type DeliveryExtras = Pick<WebhookDeliveryRecord, 'shaped_body' | 'traceparent' | 'tracestate'>

interface DeliveriesDeps {
  store: Store
  clock: Clock
  ids: Ids
  pageSize: number
}

export function createDeliveries({ store, clock, ids, pageSize }: DeliveriesDeps): Deliveries {
  let isTrimming = false

  function begin(
    webhook_id: string,
    event_id: string,
    payload: WebhookPayload,
    further: DeliveryExtras = {},
  ): WebhookDeliveryRecord {
    const created = clock.now()
    const facts = { id: ids.next('whd'), version: 1, webhook_id, event_id, payload, ...further, created }
    return { ...facts, state: 'pending', due: created, finished: null, attempts: [] }
  }

  async function removeWaiting(webhookId: string): Promise<void> {
    await removeAll({ index: 'due', prefix: [webhookId] })
  }

  async function removeAll(query: PageQuery): Promise<number> {
    const gone = await store.ids(webhookDeliveryCollection, query)
    return gone.length === 0 ? 0 : store.bulk(webhookDeliveryCollection, gone, 'remove')
  }

  async function show(record: WebhookDeliveryRecord): Promise<WebhookDelivery> {
    const { data } = record.payload
    const email = 'email_id' in data ? await store.get(emailCollection, data.email_id) : null
    return toDelivery(record, email?.subject ?? null)
  }

  return {
    begin,
    removeWaiting,
    async list(query) {
      const isCursor = (text: string): boolean => isId('whd', text)
      const order = { pageSize, direction: 'desc', cursorIs: 'the id of a delivery', isCursor } as const
      const page = await listRecords(store, webhookDeliveryCollection, query, order)
      return { ...page, items: await Promise.all(page.items.map(show)) }
    },
    async replay(id, webhooks) {
      const stored = await readRecord(store, webhookDeliveryCollection, id, 'delivery')
      const { webhook_id, event_id, payload, shaped_body, traceparent, tracestate } = stored
      if (!webhooks.has(webhook_id)) throw notFound('webhook', webhook_id)
      const again = begin(webhook_id, event_id, payload, { shaped_body, traceparent, tracestate })
      await store.commit([insert(webhookDeliveryCollection, again)])
      return show(again)
    },
    async trim() {
      if (isTrimming) return
      isTrimming = true
      try {
        const surplus = (await store.count(webhookDeliveryCollection, { index: 'finished' })) - maxFinished
        if (surplus >= trimmedAtOnce) await removeAll({ index: 'finished', limit: surplus })
      } finally {
        isTrimming = false
      }
    },
    removeFinished: () => removeAll({ index: 'finished' }),
    async removeWaitingExcept(webhookIds) {
      // The index is ordered by webhook, then by time. Each step reads the first delivery of the next webhook, and
      // jumps over its others.
      let after: [string, number] | undefined
      for (;;) {
        const page = await store.page(webhookDeliveryCollection, { index: 'due', after, limit: 1 })
        const [next] = page.records
        if (!next) return
        if (!webhookIds.has(next.webhook_id)) await removeWaiting(next.webhook_id)
        after = [next.webhook_id, Number.MAX_SAFE_INTEGER]
      }
    },
  }
}

/** How many finished deliveries are kept. */
const maxFinished = 1000
/** There may be so many more before the next removal. */
const trimmedAtOnce = 100

/**
 * The delivery after a try: delivered by a 2xx answer, failed by 410 (Gone) or after the last try, otherwise due again.
 *
 * @param retryDelaysMs  Waits before the second, third, … try, in milliseconds.
 * @param now  Unix time in milliseconds.
 */
export function afterAttempt(
  delivery: WebhookDeliveryRecord,
  attempt: WebhookAttempt,
  retryDelaysMs: readonly number[],
  now: number,
): WebhookDeliveryRecord {
  // Only the last answer is kept in full: those of every try would take most of the space.
  const earlier = delivery.attempts.map((one) => ({
    ...one,
    response: one.response?.slice(0, maxEarlierAnswerChars) ?? null,
  }))
  const attempts = [...earlier, attempt]
  const delay = retryDelaysMs[delivery.attempts.length]
  const isDelivered = attempt.error === null
  if (!isDelivered && attempt.status !== 410 && delay !== undefined)
    return { ...delivery, attempts, due: now + delay }
  return { ...delivery, attempts, state: isDelivered ? 'delivered' : 'failed', due: null, finished: now }
}

/** What is posted. */
export function postedBody({ payload, shaped_body }: WebhookDeliveryRecord): string {
  return shaped_body ?? JSON.stringify(payload)
}

function toDelivery(record: WebhookDeliveryRecord, subject: string | null): Complete<WebhookDelivery> {
  const { id, webhook_id, event_id, payload, created, state, due, attempts } = record
  const { data } = payload
  return {
    id,
    webhook_id,
    event_id,
    type: payload.type,
    email_id: 'email_id' in data ? data.email_id : null,
    domain_id: 'domain_id' in data ? data.domain_id : null,
    recipient: 'recipient' in data ? data.recipient : null,
    subject,
    domain_name: 'domain_id' in data ? data.name : null,
    created,
    state,
    due,
    body: postedBody(record).slice(0, maxBodyChars),
    attempts,
  }
}
