import { createHash } from 'node:crypto'
import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError, quote, validationError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { urlProblem } from '../net/guarded-request.ts'
import { notFound } from '../store/repository.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { type Store, insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import type { Calling } from './attempt.ts'
import { announcing } from './announcing.ts'
import { createDeliveries } from './deliveries.ts'
import type { Webhook, WebhookDelivery, WebhookInput, WebhookPattern } from './types.ts'
import { webhookInputSchema } from './schema.ts'
import { createSender, type Sender } from './sender.ts'
import type { WebhookShape } from './shape.ts'
import { type WebhookRecord, webhookCollection } from './webhook.ts'

/** The webhooks for events of emails and domains, and the log of their deliveries. */
export interface Webhooks {
  /**
   * Adds a webhook; it gets the events from now on.
   *
   * @throws validation_error; webhook_exists if a webhook with this URL exists; state_conflict if there are 20 already.
   */
  create(input: WebhookInput): Promise<Webhook>
  /** All webhooks, those of the options first. They always fit on one page. */
  list(): Promise<ListPage<Webhook>>
  /**
   * Removes a webhook and its pending deliveries; a running request is aborted.
   *
   * @throws not_found; state_conflict for one of the options.
   */
  remove(id: string): Promise<void>
  /** The deliveries: all pending ones and about the last 1,000 others, newest first. @throws invalid_cursor */
  deliveries(query?: ListQuery): Promise<ListPage<WebhookDelivery>>
  /**
   * Sends the event of a delivery again, whatever its outcome. It keeps its `webhook-id`, by which a receiver
   * recognises events that it already has.
   *
   * @returns The new delivery.
   * @throws not_found, also if the webhook is gone.
   */
  replay(deliveryId: string): Promise<WebhookDelivery>
}

/** {@link Webhooks}, and what the composition root needs of them. */
export interface RunningWebhooks extends Webhooks {
  /** Looks for due deliveries that an earlier process left or another instance stored. */
  wake(): void
  /** Resolves when no delivery is due or running. Later attempts may still be scheduled. */
  idle(): Promise<void>
  /** Reads the stored webhooks again, after a restore replaced them. */
  reload(): Promise<void>
  /** Stops at once; pending deliveries continue at the next start. */
  close(): Promise<void>
}

export interface WebhooksDeps extends Calling {
  /** Keeps webhooks and deliveries. Changes of emails and domains through it are announced. */
  store: Store
  clock: Clock
  /** Where new secrets come from. Default: the system's. */
  random?: RandomSource
  /** Follows the webhooks that other instances make and remove. Default: a new one. */
  following?: Following
  ids: Ids
  pageSize: number
  /** The forms of providers. Default: none. */
  shapes?: readonly WebhookShape[]
  /** Of the options; never stored. */
  given: readonly WebhookInput[]
  /** Waits before the second, third, … attempt, in milliseconds. */
  retryDelaysMs: readonly number[]
  /** Time limit of one attempt, in milliseconds. Default: 10,000. */
  timeoutMs?: number
  /** Maximum number of deliveries that wait for one webhook; further events are not sent to it. Default: 25,000. */
  maxWaiting?: number
  /** Called when deliveries are dropped. */
  onWarning(message: string): void
  /** Called with errors that no receiver caused. */
  onError(error: unknown): void
}

export async function createWebhooks(deps: WebhooksDeps): Promise<RunningWebhooks> {
  const { store, ids, given, timeoutMs = 10_000, maxWaiting = 25_000, shapes = [] } = deps
  const { random = createRandomSources(null)('webhooks'), following = createFollowing() } = deps
  const log = createDeliveries(deps)
  const senders = new Map<string, Sender>()
  // URLs of webhooks that are being stored: two concurrent requests must not create the same webhook twice.
  const urlsInTheMaking = new Set<string>()
  let isClosed = false
  const onFinished = (): void => void log.trim().catch(onError)

  function onError(error: unknown): void {
    if (!isClosed) deps.onError(error)
  }

  function add(webhook: Webhook): Sender {
    const shape = shapes.find(({ name }) => name === webhook.shape) ?? null
    const sender = createSender(webhook, { ...deps, shape, timeoutMs, onFinished, onError })
    senders.set(webhook.id, sender)
    return sender
  }

  /** Adds a stored webhook, unless that was done before. */
  function keep({ id, url, secret, events, shape, shape_events }: Webhook): void {
    if (isClosed || senders.has(id)) return
    add({ id, url, secret, events, ...(shape && { shape }), ...(shape_events && { shape_events }) }).wake()
  }

  /** Stops the sender of a webhook that was removed, by `remove`, a reset or another instance. */
  function drop(id: string): void {
    const sender = senders.get(id)
    senders.delete(id)
    void sender?.close()
  }

  /** @param url  As `URL` writes it, so that `http://x.test` and `http://X.test/` are the same URL. */
  function assertNewUrl(url: string): void {
    const duplicate = [...senders.values()].find(({ webhook }) => new URL(webhook.url).href === url)
    if (!duplicate && !urlsInTheMaking.has(url)) return
    const which = duplicate ? `: ${quote(duplicate.webhook.id)}` : ''
    throw new LocalpostError(
      'webhook_exists',
      `There is a webhook to ${quote(url)} already${which}. A second one would deliver each event twice: use that one, or remove it first.`,
    )
  }

  for (const webhook of fromOptions(given, random, shapes)) add(webhook)
  await following.open(store, webhookCollection, {
    ids: () => [...senders.keys()].filter((id) => !id.startsWith(optionPrefix)),
    put: (record: WebhookRecord) => keep(record),
    remove: drop,
  })
  // Other instances may have webhooks in their options that are not in those of this one.
  if (!store.isShared) await log.removeWaitingExcept(new Set(senders.keys()))
  const stopChanges = store.changes((change) => {
    if (change.op === 'remove' && change.collection === webhookCollection.name) drop(change.id)
  })

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
      if (senders.size >= maxWebhooks) {
        throw new LocalpostError('state_conflict', `There are ${maxWebhooks} webhooks. Remove one first.`)
      }
      const url = new URL(read.url).href
      const problem = urlProblem(url, deps.problemOf)
      if (problem !== null)
        throw validationError([{ field: 'url', message: `may not be called: ${problem}` }])
      assertNewUrl(url)
      const webhook = toWebhook(ids.next('wh'), read, random, shapes)
      urlsInTheMaking.add(url)
      try {
        await store.commit([insert(webhookCollection, { ...webhook, created: deps.clock.now() })])
        // The change from the store may already have added it.
        if (!senders.has(webhook.id)) add(webhook)
      } finally {
        urlsInTheMaking.delete(url)
      }
      return webhook
    },
    async list() {
      const items = [...senders.values()].map(({ webhook }) => ({ ...webhook, events: [...webhook.events] }))
      return { items, count: items.length, cursor: null }
    },
    async remove(id) {
      if (!senders.has(id)) throw notFound('webhook', id)
      if (id.startsWith(optionPrefix)) {
        throw new LocalpostError(
          'state_conflict',
          `The webhook ${quote(id)} comes from the options; start without it.`,
        )
      }
      await store.commit([remove(webhookCollection, id)])
      await log.removeWaiting(id)
    },
    deliveries: log.list,
    async replay(deliveryId) {
      const delivery = await log.replay(deliveryId, senders)
      senders.get(delivery.webhook_id)?.wake()
      return delivery
    },
  }
}

const maxWebhooks = 20
const optionPrefix = 'option_'

function toWebhook(
  id: string,
  input: WebhookInput,
  random: RandomSource,
  shapes: readonly WebhookShape[],
): Webhook {
  const { url, secret = `whsec_${random.bytes(32).toString('base64')}`, shape } = input
  const { events = ['*'], shape_events } = shapedEvents(input, shapes)
  const shaped = { ...(shape && { shape }), ...(shape_events && { shape_events }) }
  return { id, url, secret, events: [...new Set<WebhookPattern>(events)], ...shaped }
}

/** The events of a webhook in our names, and in those of its provider. @throws validation_error */
function shapedEvents(
  { events, shape: name, shape_events }: WebhookInput,
  shapes: readonly WebhookShape[],
): Pick<WebhookInput, 'events' | 'shape_events'> {
  const wrong = (field: string, message: string): never => {
    throw validationError([{ field, message }])
  }
  if (name === undefined)
    return shape_events === undefined ? { events } : wrong('shape_events', 'must be given with a shape')
  const names = shapes.map((shape) => shape.name)
  const shape = shapes.find((one) => one.name === name)
  if (!shape) return wrong('shape', `must be one of ${names.join(', ')}, not ${quote(name)}`)
  if (shape_events === undefined) return { events: events ?? ['email.*'] }
  if (events) return wrong('events', 'must not be given together with shape_events')
  const ours = shape_events.flatMap((type, i) => {
    const known = Object.keys(shape.events)
    const ours = Object.hasOwn(shape.events, type) ? shape.events[type] : undefined
    return ours ?? wrong(`shape_events[${i}]`, `must be one of ${known.join(', ')}, not ${quote(type)}`)
  })
  return { events: ours, shape_events: [...new Set(shape_events)] }
}

// Named after the address, so that pending deliveries continue after a restart, and never go to another address.
function fromOptions(
  given: readonly WebhookInput[],
  random: RandomSource,
  shapes: readonly WebhookShape[],
): Webhook[] {
  return given.map((input, i) => {
    const digest = createHash('sha256').update(input.url).digest('hex').slice(0, 16)
    const duplicates = given.slice(0, i).filter(({ url }) => url === input.url).length
    return toWebhook(
      `${optionPrefix}${digest}${duplicates > 0 ? `_${duplicates + 1}` : ''}`,
      input,
      random,
      shapes,
    )
  })
}
