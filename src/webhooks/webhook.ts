import type { EmailEvent } from '../emails/email.ts'
import type { DomainRecord } from '../domains/domain.ts'
import type { Collection, StoredRecord } from '../store/store.ts'
import type { DomainEventType, EmailEventType, WebhookPattern } from './event-types.ts'

/** A webhook, as `/dev/webhooks` answers it. */
export interface Webhook {
  id: string
  /** Where the events are posted to. */
  url: string
  /** `whsec_` and base64: the key of the signatures, for the receiver to check them with. */
  secret: string
  events: WebhookPattern[]
}

/** What a webhook is made of: the body of `POST /dev/webhooks`, and an entry of the option `webhooks`. */
export interface WebhookInput {
  /** http or https, without user name and password; never a link-local or metadata address. */
  url: string
  /** `whsec_` and the base64 of 24 to 64 bytes. Default: one is made. */
  secret?: string
  /** Names of events, or patterns. Default: `['*']`. */
  events?: WebhookPattern[]
}

/** A webhook as stored; those of the options are not. */
export interface WebhookRecord extends StoredRecord, Webhook {
  created: number
}

export const webhookCollection: Collection<WebhookRecord> = { name: 'webhooks', indexes: {} }

/** What a domain is announced with. Its records and keys are not: ask for them by the id. */
export type DomainData = { domain_id: string; verified_for_sending_status: boolean } & Pick<
  DomainRecord,
  | 'name'
  | 'status'
  | 'created'
  | 'verification_info'
  | 'is_warmed_up'
  | 'warmed_up_at'
  | 'open_tracking_enabled'
  | 'click_tracking_enabled'
>

/** The body of a request to a webhook. */
export type WebhookPayload =
  | {
      type: EmailEventType
      /** When it happened: ISO 8601 in UTC, as Standard Webhooks has it; the same moment as `data.timestamp`. */
      timestamp: string
      /** The email, the recipient, and all that is known of the event, spelt as in `last_event`. */
      data: { email_id: string; recipient: string } & EmailEvent
    }
  | { type: DomainEventType; timestamp: string; data: DomainData }

/** One try to bring an event to a webhook. */
export interface WebhookAttempt {
  /** When it began: Unix time in milliseconds. */
  timestamp: number
  /** HTTP status of the answer; null where none came. */
  status: number | null
  /** Why it failed; null where it was taken. */
  error: string | null
  duration_ms: number
  /** The beginning of the answer's body: 4 KB of the last try, 256 characters of earlier ones; null without answer. */
  response: string | null
}

/** `delivered`: a 2xx answer came; `failed`: given up. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'

/** One event on its way to one webhook, as stored. */
export interface WebhookDeliveryRecord extends StoredRecord {
  webhook_id: string
  /** The `webhook-id` header: the same for every webhook, every try and every replay of the event. */
  event_id: string
  payload: WebhookPayload
  created: number
  state: WebhookDeliveryState
  /** When to try (again): Unix time in milliseconds; null once it is delivered or failed. */
  due: number | null
  /** When it was delivered or failed; null before. */
  finished: number | null
  attempts: WebhookAttempt[]
}

export const webhookDeliveryCollection: Collection<WebhookDeliveryRecord> = {
  name: 'webhook_deliveries',
  large: true,
  indexes: { due: { on: ['webhook_id', 'due', 'id'] }, finished: { on: ['finished', 'id'] } },
}

/** An entry of the log, as `/dev/webhooks/deliveries` answers it. */
export interface WebhookDelivery {
  id: string
  webhook_id: string
  event_id: string
  type: EmailEventType | DomainEventType
  /** Null where the event is not of an email. */
  email_id: string | null
  /** Null where the event is not of a domain. */
  domain_id: string | null
  /** Whom the event of an email is about; null for others. */
  recipient: string | null
  /** Of the email, where it is still there; null for others. */
  subject: string | null
  /** The name of the domain, where the event is of one; null for others. */
  domain_name: string | null
  created: number
  state: WebhookDeliveryState
  /** When it is tried (again): Unix time in milliseconds; null once it is delivered or failed. */
  due: number | null
  /** The beginning of the body that is posted: at most 4,096 characters. */
  body: string
  attempts: WebhookAttempt[]
}
