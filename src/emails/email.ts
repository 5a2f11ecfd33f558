import { untilCommitted } from '../store/repository.ts'
import {
  update,
  type Blob,
  type Collection,
  type Facts,
  type Store,
  type StoredRecord,
} from '../store/store.ts'
import { eventStatuses, outcomeOf } from './events.ts'
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
  /** Display names of the addresses of To, `""` where one has none; absent if none of them has one. */
  to_names?: string[]
  /** The same for Cc. */
  cc_names?: string[]
  /** The same for Bcc, which only API sends have. */
  bcc_names?: string[]
  /** The beginning of the text, white space folded; null until it was read (submissions). */
  snippet: string | null
  /** Number of attachments; null until they were read (submissions). */
  attachment_count: number | null
  /** The conversation that it answers in, by its header; absent if that names no other message. See `conversation.ts`. */
  thread?: string
  /** With `trace_id`, the `traceparent` of what follows: the id of the span, `-`, and the flags. */
  trace_parent?: string
  /** With `trace_id`, the `tracestate` of what follows; absent for none. */
  trace_state?: string
  /** Whether the request had the whole message, which is the blob `raw`. */
  raw?: true
  /** `provider.name`, `/` and `provider.message_id`; absent without a provider. */
  provider_key?: string
  /** Whether its recipients get it although they are on the suppression list. */
  ignores_suppressions?: true
  /** Set while `snippet` and `attachment_count` are unknown. */
  undigested?: true
}

/** Whether what lists show of a mail's content was not stored yet. */
export function needsDigest({ snippet, undigested }: EmailRecord): boolean {
  return snippet === null || undigested === true
}

/** Whether the first delivery was tried, or the mail did not come through the outbox. */
export const hasArrived = (email: EmailRecord): boolean => email.outbox === null || email.outbox.attempts > 0

/** The work that the outbox still has to do for an email. */
export interface OutboxState {
  /** When to try (again): Unix time in milliseconds. */
  due: number
  /** How many deliveries were tried. */
  attempts: number
  /** `relay` only for mail accepted while `relayAll` was on. */
  via: 'capture' | 'relay'
}

/** The facts of a written message that the record has. */
export interface MessageFacts {
  size_bytes: number
  /** With its angle brackets; `""` if the message has none. */
  message_id: string
  /** How many copies there are: one per recipient of tracked mail; absent if all share one message. */
  copies?: number
}

const flags = [
  'unread',
  'api',
  'smtp',
  'transactional',
  'broadcast',
  'attachments',
  'no attachments',
  'undigested',
  ...eventStatuses,
] as const

const bits = Object.fromEntries(flags.map((flag, at) => [flag, 1 << at])) as Readonly<
  Record<(typeof flags)[number], number>
>

/** The facts that searches use beside words and addresses. They are stored: other flags need another version. */
export const emailFacts: Facts<EmailRecord> = {
  version: 1,
  flags,
  members: ['unread'],
  numbers: ['created', 'size'],
  // Tags and the domain's name in lower case.
  texts: ['tag', 'sender domain', 'domain id'],
  of({ unread, source, type, attachment_count, recipients, created, message, tags, from, domain_id }) {
    let set = unread ? bits.unread : 0
    set |= source === 'api' ? bits.api : bits.smtp
    set |= type === 'transactional' ? bits.transactional : bits.broadcast
    if (attachment_count === null) set |= bits.undigested
    else set |= attachment_count > 0 ? bits.attachments : bits['no attachments']
    for (const { events } of recipients) {
      const outcome = outcomeOf(events)
      if (outcome !== undefined) set |= bits[outcome]
    }
    return {
      flags: set,
      numbers: [created, message?.size_bytes ?? 0],
      texts: [
        tags.length === 0 ? none : tags.map((tag) => tag.toLowerCase()),
        [senderDomain(from)],
        [domain_id],
      ],
    }
  },
}

const none: readonly string[] = []

/** The domain of an address, also of one with a name before it, in lower case. */
function senderDomain(from: string): string {
  const end = from.endsWith('>') ? from.length - 1 : from.length
  return from.slice(from.lastIndexOf('@') + 1, end).toLowerCase()
}

/** All emails of an account, sent and received. */
export const emailCollection: Collection<EmailRecord> = {
  name: 'emails',
  large: true,
  // By type, so that a large broadcast does not delay everything else.
  indexes: { outbox: { on: ['type', 'outbox_due', 'id'] }, provider: { on: ['provider_key', 'id'] } },
  facts: emailFacts,
  texts: { version: 3, parts: ['subject', 'from', 'sender', 'to', 'cc', 'bcc', 'head', 'body'] },
}

/** The blob that holds the rendered bodies of an API send, as {@link StoredContent} in JSON. */
export const contentBlob = (id: string): `${string}/${string}` => `${id}/content`
/** The blob that holds the attachment references of an API send, as an array in JSON; absent without any. */
export const attachmentsBlob = (id: string): `${string}/${string}` => `${id}/attachments`
/** The blob that holds the message of an API send as it was given, before its signature; absent where it was composed. */
export const rawBlob = (id: string): `${string}/${string}` => `${id}/raw`
/** The blob that holds the RFC 5322 bytes. */
export const messageBlob = (id: string): `${string}/${string}` => `${id}/message`

/** The bodies of an email; `""` for one that it does not have. */
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

/**
 * Changes one stored email, and repeats the change on the newest version if another commit was first.
 *
 * @param change  Makes the new record of the stored one, without side effects; null leaves it as it is.
 * @param blobs  Blobs to store with the change.
 * @returns The email as stored now; null if it was removed.
 */
export async function modifyEmail(
  store: Store,
  id: string,
  change: (email: EmailRecord) => EmailRecord | null,
  blobs: readonly Blob[] = [],
): Promise<EmailRecord | null> {
  return untilCommitted(async () => {
    const email = await store.get(emailCollection, id)
    if (!email) return null
    const changed = change(email)
    if (!changed) return email
    await store.commit([update(emailCollection, changed)], blobs)
    return { ...changed, version: email.version + 1 }
  })
}
