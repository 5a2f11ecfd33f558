import type { Collection, StoredRecord } from '../store/store.ts'
import { emailFacts } from './facts.ts'
import type { EmailMembers } from './types.ts'

/** An email as stored. Bodies are not here: they are the blobs `content` (API) and `message` (once written). */
export interface EmailRecord extends StoredRecord, EmailMembers {
  /** Unix time in milliseconds of the acceptance. */
  created: number
  /** The work that the outbox still has to do; null when every recipient has a final event. */
  outbox: OutboxState | null
  /** `outbox.due`, or null. The outbox processes emails in this order. */
  outbox_due: number | null
  /** The written message; null until the outbox wrote it, and if it could not be composed. */
  message: MessageFacts | null
  /** Display names of the first addresses of To, `""` if one has none; absent if none of them has one. */
  to_names?: string[]
  /** The beginning of the text, white space folded; null until it was read (submissions). */
  snippet: string | null
  /** Number of attachments; null until they were read (submissions). */
  attachment_count: number | null
  /** Set while `snippet` and `attachment_count` are unknown. */
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
  /** With its angle brackets; `""` if the message has none. */
  message_id: string
  /** How many copies there are: one per recipient of tracked mail; absent if all share one message. */
  copies?: number
}

export const emailCollection: Collection<EmailRecord> = {
  name: 'emails',
  large: true,
  // By type, so that a large broadcast does not delay everything else.
  indexes: { outbox: { on: ['type', 'outbox_due', 'id'] } },
  facts: emailFacts,
  texts: ['subject', 'from', 'sender', 'to', 'cc', 'bcc', 'head', 'body'],
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

/** The content of an API send beside its record: the bodies, and the To and Cc fields with their display names. */
export interface StoredContent extends EmailContent {
  to: string
  cc: string
  /** Further header fields, by name; broadcasts have List-Unsubscribe. */
  headers?: Record<string, string>
}
