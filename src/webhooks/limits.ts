import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { urlProblem } from '../net/guarded-request.ts'
import type { Calling } from './attempt.ts'
import { maxWebhooks } from './schema.ts'
import type { WebhookSender } from './sender.ts'

/** Decides which webhooks may be added: at most {@link maxWebhooks}, each with a URL of its own that may be called. */
export class WebhookLimits {
  readonly #senders: ReadonlyMap<string, WebhookSender>
  readonly #problemOf: Calling['problemOf']
  /** The URLs of webhooks that are being stored: two concurrent requests must not create the same webhook twice. */
  readonly #reserved = new Set<string>()
  /** How many of them are new webhooks. */
  #reservedPlaces = 0

  /** @param senders  The current webhooks, by id. */
  constructor(senders: ReadonlyMap<string, WebhookSender>, problemOf: Calling['problemOf']) {
    this.#senders = senders
    this.#problemOf = problemOf
  }

  /** @throws state_conflict if `count` more would exceed {@link maxWebhooks}. */
  assertPlaces(count: number): void {
    if (count === 0 || this.#senders.size + this.#reservedPlaces + count <= maxWebhooks) return
    throw new LocalpostError('state_conflict', `There are ${maxWebhooks} webhooks. Remove one first.`)
  }

  /**
   * @param url  As `URL` writes it, so that `http://x.test` and `http://X.test/` are the same URL.
   * @param except  The id of the webhook that may have it already. Default: none, for a new one.
   * @throws validation_error if it may not be called; webhook_exists.
   */
  assertUrl(url: string, except?: string): void {
    const problem = urlProblem(url, this.#problemOf)
    if (problem !== null) throw validationError([{ field: 'url', message: `may not be called: ${problem}` }])
    const others = [...this.#senders.values()].filter(({ webhook }) => webhook.id !== except)
    const duplicate = others.find(({ webhook }) => new URL(webhook.url).href === url)
    if (!duplicate && !this.#reserved.has(url)) return
    const which = duplicate ? `: ${quote(duplicate.webhook.id)}` : ''
    throw new LocalpostError(
      'webhook_exists',
      `There is a webhook to ${quote(url)} already${which}. A second one would deliver each event twice: use that one, or remove it first.`,
    )
  }

  /** Reserves a URL, and a place if the webhook is new, while `work` stores it. Call it in the same turn as the assertions. */
  async whileReserved<T>(webhook: { url: string; isNew: boolean }, work: () => Promise<T>): Promise<T> {
    const places = webhook.isNew ? 1 : 0
    this.#reserved.add(webhook.url)
    this.#reservedPlaces += places
    try {
      return await work()
    } finally {
      this.#reserved.delete(webhook.url)
      this.#reservedPlaces -= places
    }
  }
}
