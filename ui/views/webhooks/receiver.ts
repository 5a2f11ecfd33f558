import type { Webhook, WebhookDelivery } from '../../../src/webhooks/types.ts'

/** The webhooks by id; null until they are read. */
export type KnownWebhooks = ReadonlyMap<string, Webhook> | null

/** Where a delivery goes, in words: the URL of its webhook without the scheme. */
export function receiverOf(
  { webhook_id }: Pick<WebhookDelivery, 'webhook_id'>,
  webhooks: KnownWebhooks,
): string {
  if (webhooks === null) return 'a webhook'
  return webhooks.get(webhook_id)?.url.replace(/^https?:\/\//, '') ?? 'a deleted webhook'
}
