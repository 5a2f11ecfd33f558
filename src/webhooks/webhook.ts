import type { EmailEvent } from '../emails/types.ts'
import type { StoredDomainMember } from '../domains/domain.ts'
import type { DomainDetail } from '../domains/types.ts'
import type { Collection, StoredRecord } from '../store/store.ts'
import type { DomainEventType, EmailEventType, Webhook, WebhookDelivery } from './types.ts'

/** A webhook as stored. Webhooks of the option `webhooks` are not stored. */
export interface WebhookRecord extends StoredRecord, Webhook {
  created: number
}

export const webhookCollection: Collection<WebhookRecord> = { name: 'webhooks', indexes: {} }

/** The members of a domain in its events. Its DNS records and keys are not included: request them by the id. */
export type DomainData = { domain_id: string } & Pick<
  DomainDetail,
  StoredDomainMember | 'verified_for_sending_status'
>

/** The body of a request to a webhook. */
export type WebhookPayload =
  | {
      type: EmailEventType
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same time as `data.timestamp`. */
      timestamp: string
      /** The id of the email, the address of the recipient, and all members of the event, named as in `last_event`. */
      data: { email_id: string; recipient: string } & EmailEvent
    }
  | { type: DomainEventType; timestamp: string; data: DomainData }

/** The members of a delivery that are stored as they are shown. */
type StoredDeliveryMember = 'webhook_id' | 'event_id' | 'created' | 'state' | 'due' | 'attempts'

/** The delivery of one event to one webhook, as stored. */
export interface WebhookDeliveryRecord extends StoredRecord, Pick<WebhookDelivery, StoredDeliveryMember> {
  payload: WebhookPayload
  /** When it was delivered or failed; null before. */
  finished: number | null
}

export const webhookDeliveryCollection: Collection<WebhookDeliveryRecord> = {
  name: 'webhook_deliveries',
  large: true,
  indexes: { due: { on: ['webhook_id', 'due', 'id'] }, finished: { on: ['finished', 'id'] } },
}
