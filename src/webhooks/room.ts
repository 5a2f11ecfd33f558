import { LocalpostError, quote, validationError } from '../core/errors.ts'
import { urlProblem } from '../net/guarded-request.ts'
import type { Calling } from './attempt.ts'
import type { WebhookSender } from './sender.ts'

/** Decides which webhooks may be added: at most 20, each with a URL of its own that may be called. */
export interface WebhookRoom {
  /** @throws state_conflict if there cannot be so many more. */
  assertRoom(count: number): void
  /**
   * @param url  As `URL` writes it, so that `http://x.test` and `http://X.test/` are the same URL.
   * @param ownId  The webhook that may have it already. Default: none, for a new one.
   * @throws validation_error if it may not be called; webhook_exists.
   */
  assertUrl(url: string, ownId?: string): void
  /** Stores a webhook. Its URL is taken meanwhile: two concurrent requests must not create the same webhook twice. */
  storing<T>(webhook: { url: string; isNew: boolean }, work: () => Promise<T>): Promise<T>
}

/** @param senders  The current webhooks, by id. */
export function createWebhookRoom(
  senders: ReadonlyMap<string, WebhookSender>,
  problemOf: Calling['problemOf'],
): WebhookRoom {
  const beingStored = new Set<string>()
  let newWebhooks = 0
  return {
    assertRoom(count) {
      if (count === 0 || senders.size + newWebhooks + count <= maxWebhooks) return
      throw new LocalpostError('state_conflict', `There are ${maxWebhooks} webhooks. Remove one first.`)
    },
    assertUrl(url, ownId) {
      const problem = urlProblem(url, problemOf)
      if (problem !== null)
        throw validationError([{ field: 'url', message: `may not be called: ${problem}` }])
      const duplicate = [...senders.values()].find(
        ({ webhook }) => webhook.id !== ownId && new URL(webhook.url).href === url,
      )
      if (!duplicate && !beingStored.has(url)) return
      const which = duplicate ? `: ${quote(duplicate.webhook.id)}` : ''
      throw new LocalpostError(
        'webhook_exists',
        `There is a webhook to ${quote(url)} already${which}. A second one would deliver each event twice: use that one, or remove it first.`,
      )
    },
    async storing({ url, isNew }, work) {
      beingStored.add(url)
      if (isNew) newWebhooks++
      try {
        return await work()
      } finally {
        beingStored.delete(url)
        if (isNew) newWebhooks--
      }
    },
  }
}

const maxWebhooks = 20
