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

  /** Those of each event that has any. */
  async all(): Promise<ReadonlyMap<string, string[]>> {
    const all = await this.#list()
    const entries = webhookEventNames.map((event) => [event, urlsIn(all, event)] as const)
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

  /** Nothing is changed where one of the URLs is refused, or a webhook cannot be changed. */
  async #set(event: string, wanted: readonly string[]): Promise<string[]> {
    const before = await this.#list()
    const isWanted = ({ url }: Webhook): boolean => wanted.some((one) => sameUrl(one, url))
    const isNew = (url: string, i: number): boolean =>
      !before.some((webhook) => sameUrl(webhook.url, url)) &&
      wanted.findIndex((one) => sameUrl(one, url)) === i
    const created = wanted.filter(isNew)
    this.#webhooks.assertNew(created)
    const changed = before.filter((webhook) => isWanted(webhook) !== eventsOf(webhook).includes(event))
    for (const { id } of changed) this.#webhooks.assertStored(id)
    // Mailgun has one signing key for all.
    let secret = before[0]?.secret
    for (const url of created) {
      const input = { url, shape: mailgun, shape_events: [event], ...(secret !== undefined && { secret }) }
      ;({ secret } = await withNames(this.#webhooks.create(input), names))
    }
    for (const webhook of changed) {
      const events = eventsOf(webhook)
      const shape_events = isWanted(webhook) ? [...events, event] : events.filter((one) => one !== event)
      if (shape_events.length === 0) await this.#webhooks.remove(webhook.id)
      else await withNames(this.#webhooks.update(webhook.id, { shape_events }), names)
    }
    return urlsIn(await this.#list(), event)
  }
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
