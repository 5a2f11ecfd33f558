import type { Change } from '../store/store.ts'
import { insert } from '../store/store.ts'
import type { Deliveries } from './deliveries.ts'
import { webhookCreatedType } from './event-types.ts'
import type { WebhookShape } from './shape.ts'
import { webhookDeliveryCollection } from './webhook.ts'

/** The URLs by which receivers confirm webhooks. */
export interface ConfirmationUrls {
  make(webhookId: string): Promise<{ token: string; url: string }>
  /** @returns The id of the webhook; null for a token that this instance did not make. */
  read(token: string): Promise<string | null>
}

/**
 * The change that adds the first delivery to a new webhook: the request to confirm it.
 *
 * @returns null if the provider has none.
 */
export async function confirmationOf(
  webhookId: string,
  shape: WebhookShape | undefined,
  {
    urls,
    log,
    eventId,
    now,
  }: { urls: ConfirmationUrls | undefined; log: Pick<Deliveries, 'begin'>; eventId: string; now: number },
): Promise<Change | null> {
  if (!shape?.confirmation || !urls) return null
  const body = shape.confirmation.body({ webhookId, ...(await urls.make(webhookId)), time: now })
  const payload = {
    type: webhookCreatedType,
    timestamp: new Date(now).toISOString(),
    data: { webhook_id: webhookId },
  } as const
  const further = { shaped_body: JSON.stringify(body) }
  return insert(webhookDeliveryCollection, log.begin(webhookId, eventId, payload, further))
}
