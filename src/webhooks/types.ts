// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { DomainData } from '../domains/types.ts'

/** The type of an event of an email. */
export type EmailEventType =
  | 'email.sent'
  | 'email.delivered'
  | 'email.opened'
  | 'email.clicked'
  | 'email.bounced'
  | 'email.delivery_delayed'
  | 'email.complained'
  | 'email.failed'

/** The type of an event of a domain. */
export type DomainEventType = 'domain.created' | 'domain.updated' | 'domain.verified'

/** The body of a request to a webhook for an event of a domain. */
export interface DomainPayload {
  type: DomainEventType
  /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks. */
  timestamp: string
  data: DomainData
}

/** The events of a webhook: one event, all of one kind, or everything. */
export type WebhookPattern =
  | '*'
  | 'email.*'
  | 'domain.*'
  | 'email.sent'
  | 'email.delivered'
  | 'email.opened'
  | 'email.clicked'
  | 'email.bounced'
  | 'email.delivery_delayed'
  | 'email.complained'
  | 'email.failed'
  | 'domain.created'
  | 'domain.updated'
  | 'domain.verified'

/** A webhook to create: the body of `POST /dev/webhooks`, and an entry of the option `webhooks`. */
export interface WebhookInput {
  /**
   * Where events are posted to: http or https, without user name and password; this machine and private
   * networks are fine, link-local and metadata addresses are not.
   */
  url: string
  /** `whsec_` and the base64 of 24 to 64 bytes. Default: one is made. */
  secret?: string
  /** Names of events, `email.*`, `domain.*` or `*`. Default: `*`. */
  events?: WebhookPattern[]
  /**
   * The provider whose form and signature the events of emails have, such as `resend`; it gets none of
   * domains. Default: that of Localpost.
   */
  shape?: string
  /**
   * Further headers of each request, such as `authorization`, for a receiver that asks for them.
   * Default: none.
   */
  headers?: Record<string, string>
  /** Only with `shape`, in place of `events`: names of events of the provider. Default: all. */
  shape_events?: string[]
}

/** A webhook, as `/dev/webhooks` answers it. */
export interface Webhook {
  id: string
  /** Where the events are posted to. */
  url: string
  /** `whsec_` and base64: what the receiver checks the signatures with, as Standard Webhooks says. */
  secret: string
  events: WebhookPattern[]
  /** The provider whose form the events have; absent for that of Localpost. */
  shape?: string
  /** Further headers of each request; absent without any. */
  headers?: Record<string, string>
  /** Names of events of the provider; absent where it gets all that it has. */
  shape_events?: string[]
}

/** One try to deliver an event to a webhook. */
export interface WebhookAttempt {
  /** When it began: Unix time in milliseconds. */
  timestamp: number
  /** HTTP status of the answer; null if none came. */
  status: number | null
  /** Why it failed; null if it was taken. */
  error: string | null
  duration_ms: number
  /**
   * The beginning of the answer’s body: 4 KB of the last try, 256 characters of earlier ones; null
   * without answer.
   */
  response: string | null
}

/** `delivered`: a 2xx answer came; `failed`: given up. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'

/** The delivery of one event to one webhook, as `/dev/webhooks/deliveries` answers it. */
export interface WebhookDelivery {
  id: string
  webhook_id: string
  /** The `webhook-id` header: the same for every webhook, every try and every replay of the event. */
  event_id: string
  type: EmailEventType | DomainEventType
  /** Null if the event is not of an email. */
  email_id: string | null
  /** Null if the event is not of a domain. */
  domain_id: string | null
  /** Whom the event of an email is about; null for others. */
  recipient: string | null
  /** Of the email, where it is still there; null for others. */
  subject: string | null
  /** The name of the domain, where the event is of one; null for others. */
  domain_name: string | null
  /** Unix time in milliseconds. */
  created: number
  state: WebhookDeliveryState
  /** When it is tried (again): Unix time in milliseconds; null once it is delivered or failed. */
  due: number | null
  /** The beginning of the body that is posted: at most 4,096 characters. */
  body: string
  attempts: WebhookAttempt[]
}
