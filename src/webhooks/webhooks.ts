import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { Counts } from '../core/counts.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Ids } from '../core/ids.ts'
import type { Tracer } from '../core/tracer.ts'
import { changeRecord, notFound } from '../store/repository.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { type Change, type Store, insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import type { Calling } from './attempt.ts'
import { announcing, type WantsEvent } from './announcing.ts'
import { createDeliveries } from './deliveries.ts'
import { optionWebhooks, headersMember, optionPrefix, shapedEvents, toWebhook } from './from-input.ts'
import { webhookCreatedType } from './event-types.ts'
import { WebhookLimits } from './limits.ts'
import type { RunningWebhooks } from './service.ts'
import type { Webhook, WebhookInput } from './types.ts'
import { webhookChangesSchema, webhookInputSchema } from './schema.ts'
import { WebhookSender } from './sender.ts'
import type { WebhookShape } from './shape.ts'
import { shownWebhook, type WebhookRecord, webhookCollection, webhookDeliveryCollection } from './webhook.ts'

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

/** The URLs by which receivers confirm webhooks. */
interface ConfirmationUrls {
  make(webhookId: string): Promise<{ token: string; url: string }>
  /** @returns The id of the webhook; null for a token that this instance did not make. */
  read(token: string): Promise<string | null>
}

/** Opens the webhooks of the options and of the store, follows their changes, and announces events of commits to them. */
export async function createWebhooks(deps: WebhooksDeps): Promise<RunningWebhooks> {
  const { store, ids, given, timeoutMs = 10_000, maxWaiting = 25_000, shapes = [], tracer = null } = deps
  const { random = createRandomSources(null)('webhooks'), following = createFollowing() } = deps
  const log = createDeliveries(deps)
  const senders = new Map<string, WebhookSender>()
  const limits = new WebhookLimits(senders, deps.problemOf)
  let isClosed = false
  const onFinished = (): void => void log.trim().catch(onError)

  function onError(error: unknown): void {
    if (!isClosed) deps.onError(error)
  }

  const shapeOf = (webhook: Webhook): WebhookShape | null =>
    shapes.find(({ name }) => name === webhook.shape) ?? null

  function add(webhook: Webhook): WebhookSender {
    const shape = shapeOf(webhook)
    const sender = new WebhookSender(webhook, { ...deps, tracer, shape, timeoutMs, onFinished, onError })
    senders.set(webhook.id, sender)
    return sender
  }

  /** Adds a stored webhook, or takes its changes. */
  function keep(record: WebhookRecord): void {
    if (isClosed) return
    const webhook = shownWebhook(record)
    const sender = senders.get(webhook.id)
    if (sender) sender.change(webhook)
    else add(webhook).wake()
  }

  async function change(id: string, changed: (record: WebhookRecord) => WebhookRecord): Promise<Webhook> {
    assertStored(id)
    const record = await changeRecord(store, webhookCollection, id, 'webhook', changed)
    keep(record)
    return shownWebhook(record)
  }

  /** The change that adds the first delivery to a new webhook: the request to confirm it, if its provider has one. */
  async function confirmationFor(webhook: Webhook, now: number): Promise<Change[]> {
    const urls = deps.confirmationUrls
    const confirmation = shapeOf(webhook)?.confirmation
    if (!confirmation || !urls) return []
    const webhookId = webhook.id
    const timestamp = new Date(now).toISOString()
    const payload = { type: webhookCreatedType, timestamp, data: { webhook_id: webhookId } } as const
    const body = confirmation.body({ webhookId, ...(await urls.make(webhookId)), time: now })
    const further = { shaped_body: JSON.stringify(body) }
    return [insert(webhookDeliveryCollection, log.begin(webhookId, ids.next('evt'), payload, further))]
  }

  function assertStored(id: string): void {
    if (!senders.has(id)) throw notFound('webhook', id)
    if (!id.startsWith(optionPrefix)) return
    throw new LocalpostError(
      'state_conflict',
      `The webhook ${quote(id)} comes from the options; start without it.`,
    )
  }

  /** Stops the sender of a webhook that was removed, by `remove`, a reset or another instance. */
  function drop(id: string): void {
    const sender = senders.get(id)
    senders.delete(id)
    void sender?.close()
  }

  for (const webhook of optionWebhooks(given, random, shapes)) add(webhook)
  await following.open(store, webhookCollection, {
    ids: () => [...senders.keys()].filter((id) => !id.startsWith(optionPrefix)),
    put: (record: WebhookRecord) => keep(record),
    remove: drop,
  })
  // Other instances may have webhooks in their options that are not in those of this one.
  if (!store.isShared) await log.removeWaitingExcept(new Set(senders.keys()))
  const stopChanges = store.changes(
    (change) => {
      if (change.op === 'remove') drop(change.id)
    },
    { of: webhookCollection },
  )

  // Until the store is closed: what is stored after `close` is sent after the next start.
  store.beforeCommit(announcing({ ...deps, log, senders, maxWaiting, onError }))
  return {
    wake: () => senders.forEach((sender) => sender.wake()),
    async idle() {
      await Promise.all([...senders.values()].map((sender) => sender.idle()))
    },
    async reload() {
      const stored = await store.page(webhookCollection, { limit: 1000 })
      for (const webhook of stored.records) keep(webhook)
      for (const sender of senders.values()) sender.wake()
    },
    async close() {
      isClosed = true
      stopChanges()
      await Promise.all([...senders.values()].map((sender) => sender.close()))
    },
    async create(input) {
      const read = parseInput(webhookInputSchema, input)
      limits.assertPlaces(1)
      const url = new URL(read.url).href
      limits.assertUrl(url)
      const webhook = toWebhook(ids.next('wh'), read, random, shapes)
      await limits.whileReserved({ url, isNew: true }, async () => {
        const created = deps.clock.now()
        const deliveries = await confirmationFor(webhook, created)
        await store.commit([insert(webhookCollection, { ...webhook, created }), ...deliveries])
        // The change from the store may already have added it.
        const sender = senders.get(webhook.id) ?? add(webhook)
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
      const items = [...senders.values()].map(({ webhook }) => ({ ...webhook, events: [...webhook.events] }))
      return { items, count: items.length, cursor: null }
    },
    async update(id, { url: given, shape_events, headers, enabled }) {
      assertStored(id)
      parseInput(webhookChangesSchema, { url: given, headers })
      const url = given === undefined ? undefined : new URL(given).href
      const save = (): Promise<Webhook> =>
        change(id, ({ headers: before, disabled, ...record }) => ({
          ...record,
          ...(url !== undefined && { url }),
          ...(shape_events && shapedEvents({ shape: record.shape, shape_events }, shapes)),
          ...headersMember(headers ?? before),
          ...((enabled === undefined ? disabled : !enabled) && { disabled: true }),
        }))
      if (url === undefined) return save()
      limits.assertUrl(url, id)
      return limits.whileReserved({ url, isNew: false }, save)
    },
    async confirm(token) {
      const id = await deps.confirmationUrls?.read(token)
      const confirmation = id && senders.get(id)?.shape?.confirmation
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
      const delivery = await log.replay(deliveryId, senders)
      senders.get(delivery.webhook_id)?.wake()
      return delivery
    },
  }
}
