import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { Counts } from '../core/counts.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Ids } from '../core/ids.ts'
import type { Tracer } from '../core/tracer.ts'
import { changeRecord, notFound } from '../store/repository.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { type Store, insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import type { Calling } from './attempt.ts'
import { announcing, type WantsEvent } from './announcing.ts'
import { type ConfirmationUrls, requestsToConfirm } from './confirmation.ts'
import { createDeliveries } from './deliveries.ts'
import { optionPrefix, optionWebhooks, toWebhook, withChanges } from './from-input.ts'
import { WebhookLimits } from './limits.ts'
import type { RunningWebhooks } from './service.ts'
import type { Webhook, WebhookInput } from './types.ts'
import { checkedChangesSchema, webhookInputSchema } from './schema.ts'
import { WebhookSenders } from './senders.ts'
import type { WebhookShape } from './shape.ts'
import { shownWebhook, type WebhookRecord, webhookCollection } from './webhook.ts'

export interface WebhooksDeps extends Calling {
  /** Keeps webhooks and deliveries. Changes of emails and domains through it are announced. */
  store: Store
  clock: Clock
  /** Where new secrets come from. Default: the system's. */
  random?: RandomSource
  /** Follows the webhooks that other instances make and remove. Default: a new one. */
  following?: Following
  ids: Ids
  /** Default: none. */
  tracer?: Tracer | null
  pageSize: number
  /** The forms of providers. Default: none. */
  shapes?: readonly WebhookShape[]
  /** Default: a webhook in the form of a provider gets every event that it asks for. */
  wants?: WantsEvent
  /** Default: no webhook has to be confirmed. */
  confirmationUrls?: ConfirmationUrls
  /** Of the options; never stored. */
  given: readonly WebhookInput[]
  /** Waits before the second, third, … attempt, in milliseconds. */
  retryDelaysMs: readonly number[]
  /** Time limit of one attempt, in milliseconds. Default: 10,000. */
  timeoutMs?: number
  /** Maximum number of deliveries that wait for one webhook; further events are not sent to it. Default: 25,000. */
  maxWaiting?: number
  /** Counts tries of deliveries. Default: nothing is counted. */
  tally?: Counts['webhooks'] | undefined
  /** Called when deliveries are dropped. */
  onWarning(message: string): void
  /** Called with errors that no receiver caused. */
  onError(error: unknown): void
}

/** Opens the webhooks of the options and of the store, follows their changes, and announces events of commits to them. */
export async function createWebhooks(deps: WebhooksDeps): Promise<RunningWebhooks> {
  const { store, ids, given, timeoutMs = 10_000, maxWaiting = 25_000, shapes = [], tracer = null } = deps
  const { random = createRandomSources(null)('webhooks'), following = createFollowing() } = deps
  const log = createDeliveries(deps)
  const onFinished = (): void => void log.trim().catch(onError)
  const senders = new WebhookSenders({ ...deps, shapes, tracer, timeoutMs, onFinished, onError })
  const { byId } = senders
  const limits = new WebhookLimits(byId, deps.problemOf)

  function onError(error: unknown): void {
    if (!senders.isClosed) deps.onError(error)
  }

  async function change(id: string, changed: (record: WebhookRecord) => WebhookRecord): Promise<Webhook> {
    assertStored(id)
    const record = await changeRecord(store, webhookCollection, id, 'webhook', changed)
    senders.keep(record)
    return shownWebhook(record)
  }

  function assertStored(id: string): void {
    if (!byId.has(id)) throw notFound('webhook', id)
    if (!id.startsWith(optionPrefix)) return
    throw new LocalpostError(
      'state_conflict',
      `The webhook ${quote(id)} comes from the options; start without it.`,
    )
  }

  for (const webhook of optionWebhooks(given, random, shapes)) senders.add(webhook)
  await following.open(store, webhookCollection, {
    ids: () => [...byId.keys()].filter((id) => !id.startsWith(optionPrefix)),
    put: (record: WebhookRecord) => senders.keep(record),
    remove: (id) => senders.drop(id),
  })
  // Other instances may have webhooks in their options that are not in those of this one.
  if (!store.isShared) await log.removeWaitingExcept(new Set(byId.keys()))
  // `following` reports no removals if the store is not shared.
  const stopChanges = store.changes(
    (change) => {
      if (change.op === 'remove') senders.drop(change.id)
    },
    { of: webhookCollection },
  )

  // Until the store is closed: what is stored after `close` is sent after the next start.
  store.beforeCommit(announcing({ ...deps, log, senders: byId, maxWaiting, onError }))
  return {
    wake: () => senders.wake(),
    idle: () => senders.idle(),
    async reload() {
      const stored = await store.page(webhookCollection, { limit: 1000 })
      for (const webhook of stored.records) senders.keep(webhook)
      senders.wake()
    },
    async close() {
      stopChanges()
      await senders.close()
    },
    async create(input) {
      const read = parseInput(webhookInputSchema, input)
      limits.assertPlaces(1)
      const url = new URL(read.url).href
      limits.assertUrl(url)
      const webhook = toWebhook(ids.next('wh'), read, random, shapes)
      await limits.whileReserved({ url, isNew: true }, async () => {
        const created = deps.clock.now()
        const { confirmation } = senders.shapeOf(webhook) ?? {}
        const how = { urls: deps.confirmationUrls, log, ids, now: created }
        const deliveries = await requestsToConfirm(webhook.id, confirmation, how)
        await store.commit([insert(webhookCollection, { ...webhook, created }), ...deliveries])
        // The change from the store may already have added it.
        const sender = byId.get(webhook.id) ?? senders.add(webhook)
        sender.added(deliveries.length)
      })
      return webhook
    },
    assertStored,
    assertNew(urls) {
      for (const url of urls) limits.assertUrl(new URL(parseInput(webhookInputSchema, { url }).url).href)
      limits.assertPlaces(urls.length)
    },
    async list() {
      const items = [...byId.values()].map(({ webhook }) => ({ ...webhook, events: [...webhook.events] }))
      return { items, count: items.length, cursor: null }
    },
    async update(id, changes) {
      assertStored(id)
      parseInput(checkedChangesSchema, { url: changes.url, headers: changes.headers })
      const url = changes.url === undefined ? undefined : new URL(changes.url).href
      const save = (): Promise<Webhook> =>
        change(id, (record) => withChanges(record, { ...changes, url }, shapes))
      if (url === undefined) return save()
      limits.assertUrl(url, id)
      return limits.whileReserved({ url, isNew: false }, save)
    },
    async confirm(token) {
      const id = await deps.confirmationUrls?.read(token)
      const confirmation = id && byId.get(id)?.shape?.confirmation
      if (!id || !confirmation) throw notFound('webhook to confirm', token)
      const now = deps.clock.now()
      await change(id, (record) => (record.confirmed === undefined ? { ...record, confirmed: now } : record))
      return confirmation.answer(id)
    },
    async remove(id) {
      assertStored(id)
      await store.commit([remove(webhookCollection, id)])
      await log.removeWaiting(id)
    },
    deliveries: log.list,
    clearDeliveries: log.removeFinished,
    async replay(deliveryId) {
      const delivery = await log.replay(deliveryId, byId)
      byId.get(delivery.webhook_id)?.wake()
      return delivery
    },
  }
}
