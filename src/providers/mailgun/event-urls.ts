import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import type { Webhook } from '../../webhooks/types.ts'
import { withNames } from '../member-names.ts'
import { chosenEvents, ownWebhooks, type OwnWebhooks } from '../own-webhooks.ts'
import type { ProviderParts } from '../provider.ts'
import { mailgun } from './conventions.ts'
import { mailgunShape, webhookEventNames } from './events.ts'

/** Names of members of our webhooks in Mailgun's API. */
const names = { url: 'url', shape_events: 'id' }

/**
 * The webhooks of an account as Mailgun has them: the URLs of each event, where ours are the events of each URL. A change reads
 * the webhooks first, so changes run one after the other.
 */
export class EventUrls {
  readonly #webhooks: ProviderParts['webhooks']
  readonly #list: OwnWebhooks['list']
  readonly #inTurn = createSequence()

  constructor(webhooks: ProviderParts['webhooks']) {
    this.#webhooks = webhooks
    this.#list = ownWebhooks(webhooks, mailgun).list
  }

  /** The URLs of each event that has any. */
  async all(): Promise<ReadonlyMap<string, string[]>> {
    const webhooks = await this.#list()
    const entries = webhookEventNames.map((event) => [event, urlsIn(webhooks, event)] as const)
    return new Map(entries.filter(([, urls]) => urls.length > 0))
  }

  /** @throws not_found for an event without any. */
  async get(event: string): Promise<string[]> {
    const urls = urlsIn(await this.#list(), event)
    if (urls.length > 0) return urls
    throw new LocalpostError('not_found', `Webhook not found: ${quote(event)}`)
  }

  /** The key that signs all of them. @throws not_found */
  async signingKey(): Promise<string> {
    const [first] = await this.#list()
    if (first) return first.secret
    const message = 'There is no signing key before there is a webhook. Create one first.'
    throw new LocalpostError('not_found', message)
  }

  /** @returns The URLs of the event. @throws webhook_exists, validation_error, state_conflict */
  create(event: string, wanted: readonly string[]): Promise<string[]> {
    return this.#inTurn(async () => {
      if (urlsIn(await this.#list(), event).length === 0) return this.#set(event, wanted)
      const message = `Webhook ${quote(event)} already exists. Update or delete it.`
      throw new LocalpostError('webhook_exists', message)
    })
  }

  /** @returns The URLs of the event. @throws not_found, webhook_exists, validation_error, state_conflict */
  change(event: string, wanted: readonly string[]): Promise<string[]> {
    return this.#inTurn(async () => {
      await this.get(event)
      return this.#set(event, wanted)
    })
  }

  /** @returns The URLs that the event had. @throws not_found, state_conflict */
  remove(event: string): Promise<string[]> {
    return this.#inTurn(async () => {
      const urls = await this.get(event)
      await this.#set(event, [])
      return urls
    })
  }

  /**
   * Checks all changes first: if one is refused, nothing changes. The changes themselves are commits of their own: if one of
   * them fails, those before it stay, so that the event may have new URLs beside its old ones.
   */
  async #set(event: string, wanted: readonly string[]): Promise<string[]> {
    const before = await this.#list()
    const changes = plan(before, event, wanted)
    this.#webhooks.assertNew(changes.created)
    for (const { id } of changes.changed) this.#webhooks.assertStored(id)
    await this.#apply(event, changes, before[0]?.secret)
    return urlsIn(await this.#list(), event)
  }

  /** @param signingKey  Of the webhooks that there are. Mailgun has one for all. */
  async #apply(event: string, { created, changed }: Changes, signingKey: string | undefined): Promise<void> {
    let secret = signingKey
    for (const url of created) {
      const input = { url, shape: mailgun, shape_events: [event], ...(secret !== undefined && { secret }) }
      const webhook = await withNames(this.#webhooks.create(input), names)
      secret = webhook.secret
    }
    for (const { id, events } of changed) {
      if (events.length === 0) await this.#webhooks.remove(id)
      else await withNames(this.#webhooks.update(id, { shape_events: events }), names)
    }
  }
}

/** What changes, so that an event has certain URLs. */
interface Changes {
  /** The URLs that get a webhook. */
  readonly created: readonly string[]
  /** The webhooks that get other events; one without any is removed. */
  readonly changed: readonly { readonly id: string; readonly events: string[] }[]
}

function plan(before: readonly Webhook[], event: string, wanted: readonly string[]): Changes {
  const created: string[] = []
  for (const url of wanted) {
    const isKnown = before.some((webhook) => sameUrl(webhook.url, url))
    if (!isKnown && !created.some((one) => sameUrl(one, url))) created.push(url)
  }
  const changed = before.flatMap((webhook) => {
    const events = eventsOf(webhook)
    const isWanted = wanted.some((one) => sameUrl(one, webhook.url))
    if (isWanted === events.includes(event)) return []
    return [{ id: webhook.id, events: isWanted ? [...events, event] : events.filter((one) => one !== event) }]
  })
  return { created, changed }
}

function urlsIn(webhooks: readonly Webhook[], event: string): string[] {
  return webhooks.filter((webhook) => eventsOf(webhook).includes(event)).map(({ url }) => url)
}

function eventsOf(webhook: Webhook): string[] {
  return chosenEvents(webhook, mailgunShape)
}

function sameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) ? new URL(one).href === new URL(other).href : one === other
}
