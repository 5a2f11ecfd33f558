import type { EmailPayload } from '../emails/events.ts'
import type { Collection, StoredRecord } from '../store/store.ts'
import type { DomainPayload, Webhook, WebhookCreatedPayload, WebhookDelivery, WebhookInput } from './types.ts'

/** A webhook as stored. Webhooks of the option `webhooks` are not stored. */
export interface WebhookRecord extends StoredRecord, Webhook {
  created: number
}

/** What can be changed of a webhook. `headers: {}` removes its headers. */
export type WebhookChanges = Pick<Partial<WebhookInput>, 'url' | 'shape_events' | 'headers'> & {
  /** Whether it gets events. */
  enabled?: boolean
}

/** A webhook without what is only stored. */
export function shownWebhook({ created: _created, version: _version, ...webhook }: WebhookRecord): Webhook {
  return webhook
}

/** The stored webhooks. */
export const webhookCollection: Collection<WebhookRecord> = { name: 'webhooks', indexes: {} }

/** The body of a request to a webhook: `type` says which members `data` has. */
export type WebhookPayload = EmailPayload | DomainPayload | WebhookCreatedPayload

/** The members of a delivery that are stored as they are shown. */
type StoredDeliveryMember = 'webhook_id' | 'event_id' | 'created' | 'state' | 'due' | 'attempts'

/** The delivery of one event to one webhook, as stored. */
export interface WebhookDeliveryRecord extends StoredRecord, Pick<WebhookDelivery, StoredDeliveryMember> {
  payload: WebhookPayload
  /** The body in the form of a provider; absent for that of Localpost, which is made of `payload`. */
  shaped_body?: string | undefined
  /** The trace of the email; absent where that belongs to none. */
  traceparent?: string | undefined
  tracestate?: string | undefined
  /** When it was delivered or failed; null before. */
  finished: number | null
}

/** The deliveries to all webhooks. `due` has the waiting ones of each webhook, `finished` the others. */
export const webhookDeliveryCollection: Collection<WebhookDeliveryRecord> = {
  name: 'webhook_deliveries',
  large: true,
  indexes: { due: { on: ['webhook_id', 'due', 'id'] }, finished: { on: ['finished', 'id'] } },
}
