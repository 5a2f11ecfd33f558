import type { ListPage, ListQuery } from '../core/lists.ts'
import type { Webhook, WebhookDelivery, WebhookInput } from './types.ts'
import type { WebhookChanges } from './webhook.ts'

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
  /** Removes all finished deliveries from the log. Pending ones stay, and are sent. @returns How many were removed. */
  clearDeliveries(): Promise<number>
  /**
   * Sends the event of a delivery again, whatever its outcome. It keeps its `webhook-id`, by which a receiver
   * recognises events that it already has.
   *
   * @returns The new delivery.
   * @throws not_found, also if the webhook is gone.
   */
  replay(deliveryId: string): Promise<WebhookDelivery>
}

/** {@link Webhooks}, and what the routes of the server and of providers need of them. */
export interface ServedWebhooks extends Webhooks {
  /**
   * Changes members of a webhook. What waits for it goes to the new address.
   *
   * @throws As {@link Webhooks.create}; not_found; state_conflict for one of the options.
   */
  update(id: string, changes: WebhookChanges): Promise<Webhook>
  /** Refuses URLs of which not all can become new webhooks. @throws As {@link Webhooks.create}. */
  assertNew(urls: readonly string[]): void
  /** @throws not_found; state_conflict for a webhook of the options, which cannot be changed. */
  assertStored(id: string): void
  /**
   * Notes that the receiver of a webhook followed the URL that it got.
   *
   * @returns What it gets as answer.
   * @throws not_found for a token that this instance did not make, or whose webhook is gone.
   */
  confirm(token: string): Promise<{ readonly type: string; readonly text: string }>
}

/** {@link ServedWebhooks}, and what the composition root needs of them. */
export interface RunningWebhooks extends ServedWebhooks {
  /** Looks for due deliveries that an earlier process left or another instance stored. */
  wake(): void
  /** Resolves when no delivery is due or running. Later attempts may still be scheduled. */
  idle(): Promise<void>
  /** Reads the stored webhooks again, after a restore replaced them. */
  reload(): Promise<void>
  /** Stops at once; pending deliveries continue at the next start. */
  close(): Promise<void>
}
