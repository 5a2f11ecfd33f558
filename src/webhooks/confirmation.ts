import type { Ids } from '../core/ids.ts'
import { type Change, insert } from '../store/store.ts'
import type { Deliveries } from './deliveries.ts'
import { webhookCreatedType } from './event-types.ts'
import type { ShapedConfirmation } from './shape.ts'
import { webhookDeliveryCollection } from './webhook.ts'

/** The URLs by which receivers confirm webhooks. */
export interface ConfirmationUrls {
  make(webhookId: string): Promise<{ token: string; url: string }>
  /** @returns The id of the webhook; null for a token that this instance did not make. */
  read(token: string): Promise<string | null>
}

interface ConfirmationDeps {
  urls: ConfirmationUrls | undefined
  log: Pick<Deliveries, 'begin'>
  ids: Ids
  now: number
}

/** The change that adds the first delivery to a new webhook: the request to confirm it, if its provider has one. */
export async function requestsToConfirm(
  webhookId: string,
  confirmation: ShapedConfirmation | undefined,
  { urls, log, ids, now }: ConfirmationDeps,
): Promise<Change[]> {
  if (!confirmation || !urls) return []
  const timestamp = new Date(now).toISOString()
  const payload = { type: webhookCreatedType, timestamp, data: { webhook_id: webhookId } } as const
  const body = confirmation.body({ webhookId, ...(await urls.make(webhookId)), time: now })
  const further = { shaped_body: JSON.stringify(body) }
  return [insert(webhookDeliveryCollection, log.begin(webhookId, ids.next('evt'), payload, further))]
}
