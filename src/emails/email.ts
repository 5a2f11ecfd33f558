import type { AttachmentReference } from '../attachments/attachments.ts'
import type { Collection, StoredRecord } from '../store/store.ts'

/** @see docs/interface.md 2.1: broadcasts are made by `/dev/broadcasts`, everything else is transactional. */
export type EmailType = 'transactional' | 'broadcast'

/**
 * What can happen to one recipient. The interface shows the first five; the other three appear only when asked for
 * or when something local truly failed.
 */
export const eventStatuses = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'delivery_delayed',
  'complained',
  'failed',
] as const
/** One of {@link eventStatuses}. */
export type EventStatus = (typeof eventStatuses)[number]

/** Amazon SES's bounce vocabulary, in the spelling of its events. */
export const bounceTypes = ['Permanent', 'Transient', 'Undetermined'] as const
export type BounceType = (typeof bounceTypes)[number]
/** What a bounce is, more exactly, in the same vocabulary. */
export const bounceSubtypes = [
  'General',
  'NoEmail',
  'Suppressed',
  'OnAccountSuppressionList',
  'MailboxFull',
  'MessageTooLarge',
  'ContentRejected',
  'AttachmentRejected',
  'Undetermined',
] as const
export type BounceSubtype = (typeof bounceSubtypes)[number]

/** One thing that happened to one recipient, as stored: all that is known of it. Answers show a part (`views.ts`). */
export type EmailEvent = { timestamp: number } & (
  | { status: 'sent' | 'complained' }
  | { status: 'delivered'; processing_time_millis: number; reporting_mta: string; smtp_response: string }
  | {
      status: 'bounced'
      type: BounceType
      subtype: BounceSubtype
      /** The reply or the fault that caused it; absent when it was asked for. */
      smtp_response?: string
      reporting_mta?: string
    }
  | { status: 'delivery_delayed'; smtp_response?: string }
  | { status: 'failed'; reason: string }
  | { status: 'opened'; ip: string; user_agent: string }
  | { status: 'clicked'; ip: string; user_agent: string; link: string }
)

/** One distinct envelope recipient and all that happened to it, in ascending time order. */
export interface RecipientState {
  recipient: string
  events: EmailEvent[]
}

/** An email as stored. Bodies are not here: they are the blobs `content` (API) and `message` (once written). */
export interface EmailRecord extends StoredRecord {
  type: EmailType
  /** How it came: through `/v1` or the library, or as an SMTP submission. */
  source: 'api' | 'smtp'
  /** Display name plus address, white space folded; `""` where a submission names nobody. */
  from: string
  /** Bare addresses of the To header, in its order. */
  to: string[]
  cc: string[]
  bcc: string[]
  reply_to: string | null
  subject: string
  template_id: string | null
  domain_id: string
  /** Unix time in milliseconds of the acceptance. */
  created: number
  envelope: { mail_from: string; rcpt_to: string[] }
  recipients: RecipientState[]
  /** What the outbox still has to do; null when every recipient has a final event. */
  outbox: OutboxState | null
  /** `outbox.due`, or null: the order in which the outbox takes them up. */
  outbox_due: number | null
  /** The written message; null until the outbox wrote it, and for good where it could not be composed. */
  message: MessageFacts | null
  unread: boolean
  tags: string[]
  /** The beginning of the text, white space folded; null while it was not looked at (submissions). */
  snippet: string | null
  /** Number of attachments; null while it was not looked at (submissions). */
  attachment_count: number | null
  /** Only while these two are to be found out: the inbox finds such records by it. */
  undigested?: true
}

export interface OutboxState {
  /** When to try (again): Unix time in milliseconds. */
  due: number
  /** How many deliveries were tried. */
  attempts: number
  /** `relay` only for mail accepted while `relayAll` was on. */
  via: 'capture' | 'relay'
}

export interface MessageFacts {
  size_bytes: number
  /** With its angle brackets; `""` where the message has none. */
  message_id: string
  /** How many copies there are: one per recipient of tracked mail; absent where all share one message. */
  copies?: number
}

export const emailCollection: Collection<EmailRecord> = {
  name: 'emails',
  large: true,
  // By type, so that a large broadcast does not stand before everything else.
  indexes: { outbox: { on: ['type', 'outbox_due', 'id'] }, undigested: { on: ['undigested', 'id'] } },
}

/** The blob that holds the rendered bodies of an API send, as {@link StoredContent} in JSON. */
export const contentBlob = (id: string): `${string}/${string}` => `${id}/content`
/** The blob that holds the attachment references of an API send, as an array in JSON; absent without any. */
export const attachmentsBlob = (id: string): `${string}/${string}` => `${id}/attachments`
/** The blob that holds the RFC 5322 bytes. */
export const messageBlob = (id: string): `${string}/${string}` => `${id}/message`

export interface EmailContent {
  html: string
  text: string
}

/** What is kept of an API send beside its record: the bodies, and the To and Cc fields with their display names. */
export interface StoredContent extends EmailContent {
  to: string
  cc: string
  /** Further header fields, by name; broadcasts have List-Unsubscribe. */
  headers?: Record<string, string>
}

/** A value for a placeholder: itself, or with a default that stands in where `value` is null or absent. */
export type VariableValue = string | { value?: string | null; default?: string }

/** The body of `POST /v1/emails`, docs/interface.md 4.2. */
export interface SendRequest {
  from: string
  /** One address, with or without display name; lists are accepted and warned of. */
  to: string | string[]
  subject?: string
  html?: string
  text?: string
  template_id?: string
  cc?: string | string[]
  bcc?: string | string[]
  reply_to?: string
  variables?: Record<string, VariableValue>
  attachments?: AttachmentReference[]
}

/** `last_event`, docs/interface.md 2.3: the members depend on the status. */
export type LastEvent = { recipient: string; timestamp: number } & (
  | { status: 'sent' | 'opened' | 'complained' | 'failed' | 'delivery_delayed' }
  | { status: 'delivered'; processing_time_millis: number; reporting_mta: string; smtp_response: string }
  | { status: 'bounced'; type: BounceType; subtype: BounceSubtype }
  | { status: 'clicked'; link: string; user_agent: string; ip: string }
)

/** An entry of the list item's `recipient_statuses`, docs/interface.md 2.1. */
export type RecipientStatus = { recipient: string; timestamp: number } & (
  | { status: Exclude<EventStatus, 'bounced'> }
  | { status: 'bounced'; type: BounceType; subtype: BounceSubtype }
)

/** An entry of a recipient's `events`, docs/interface.md 2.2. */
export type RecipientEvent = { timestamp: number } & (
  | { status: Exclude<EventStatus, 'opened' | 'clicked'> }
  | { status: 'opened' | 'clicked'; ip: string; user_agent: string }
)

/** An email in a list, docs/interface.md 2.1. */
export interface EmailListItem {
  id: string
  type: EmailType
  to: string[]
  subject: string
  last_event: LastEvent
  email_sent_timestamp: number
  recipient_statuses: RecipientStatus[]
}

/** An email in detail, docs/interface.md 2.2. */
export interface EmailDetail extends Omit<EmailListItem, 'recipient_statuses'> {
  template_id: string | null
  domain_id: string
  html: string
  text: string
  from: string
  recipient_statuses: { recipient: string; events: RecipientEvent[] }[]
}
