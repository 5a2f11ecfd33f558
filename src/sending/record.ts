import {
  attachmentsBlob,
  contentBlob,
  rawBlob,
  type EmailRecord,
  type StoredContent,
} from '../emails/email.ts'
import type { Complete } from '../core/complete.ts'
import { sentTo } from '../emails/events.ts'
import { initialTags } from '../emails/tags.ts'
import { answeredConversation } from '../emails/conversation.ts'
import type { EmailType } from '../emails/types.ts'
import { fieldOf } from '../core/header-fields.ts'
import { foldSpace } from '../core/text.ts'
import { traceIdOf, traceOfFields, traceParentOf, type TraceContext } from '../core/trace-context.ts'
import { snippetOf } from '../mime/html/snippet.ts'
import { blobOf, type Blob } from '../store/store.ts'
import type { ScheduledRecord } from './scheduled.ts'
import type { Accepted, Checked } from './check-request.ts'

/** What is stored of an accepted request. */
export interface StoredParts {
  /** The members of its record that follow from its content. */
  members: Complete<
    Pick<
      EmailRecord,
      | 'subject'
      | 'template_id'
      | 'snippet'
      | 'attachment_count'
      | 'raw'
      | 'thread'
      | 'metadata'
      | 'tracking'
      | 'provider'
      | 'provider_key'
      | 'ignores_suppressions'
    >
  >
  /** The tags of the request; those of its recipients are added. */
  tags: readonly string[]
  /** That of its own header fields; undefined without a valid one. */
  trace: TraceContext | undefined
  /** When it is to be sent: Unix time in milliseconds; null: at once. */
  send_at: number | null
  content: Uint8Array
  /** Its attachment references; null without any. */
  attachments: Uint8Array | null
  /** The message, if the request has the whole of it. */
  raw: Uint8Array | null
}

/**
 * Serializes the content of an accepted request. Needs no id, so that nothing is awaited between the id and the commit.
 *
 * @param headers  Further header fields.
 */
export function toStoredParts(
  { request, references, rendered, raw }: Pick<Checked, 'request' | 'references' | 'rendered' | 'raw'>,
  headers: Readonly<Record<string, string>> | undefined = request.headers,
): StoredParts {
  const { metadata, tracking, provider, send_at, ignore_suppressions } = request
  const content: StoredContent = {
    html: rendered.html,
    text: rendered.text,
    to: headerOf(request.to),
    cc: headerOf(request.cc),
    ...(headers ? { headers } : {}),
  }
  return {
    members: {
      subject: rendered.subject,
      template_id: request.template_id ?? null,
      snippet: snippetOf(rendered.text, rendered.html),
      attachment_count: raw ? raw.attachment_count : references.length,
      raw: raw && true,
      thread: raw ? raw.thread : headers && conversationIn(headers),
      metadata,
      tracking,
      provider,
      provider_key: provider && providerKey(provider),
      ignores_suppressions: ignore_suppressions || undefined,
    },
    tags: raw ? [...(request.tags ?? none), ...raw.tags] : (request.tags ?? none),
    trace: raw ? raw.trace : headers && traceOfFields(headers),
    send_at: send_at === undefined ? null : new Date(send_at).getTime(),
    content: Buffer.from(JSON.stringify(content)),
    attachments: references.length > 0 ? Buffer.from(JSON.stringify(references)) : null,
    raw: raw ? raw.bytes : null,
  }
}

const none: readonly string[] = []

/** The conversation that the header fields of a request say it answers in. */
function conversationIn(headers: Readonly<Record<string, string>>): string | undefined {
  const fields = Object.entries(headers)
  return answeredConversation({
    references: fieldOf(fields, 'references') ?? '',
    inReplyTo: fieldOf(fields, 'in-reply-to') ?? '',
  })
}

/** The key by which emails are found that a provider's answer named. */
export function providerKey({ name, message_id }: { name: string; message_id: string }): string {
  return `${name}/${message_id}`
}

/** An accepted request that is sent later, with its blobs. */
export function toScheduledRecord(
  accepted: Pick<Accepted, 'addresses' | 'domain'>,
  kept: StoredParts,
  facts: Omit<NewEmail, 'type'> & { send_at: number },
): { record: ScheduledRecord; blobs: Blob[] } {
  const { id, via, send_at } = facts
  const { email: whole, blobs } = toEmail(accepted, kept, { ...facts, type: 'transactional' })
  const { provider_key, version, created, ...others } = whole
  const { id: _id, recipients: _recipients, outbox: _outbox, outbox_due: _due, ...email } = others
  return {
    record: { id, version, send_at, created, ...(provider_key && { provider_key }), via, email },
    blobs,
  }
}

/** The email that a scheduled one becomes. */
export function toSentEmail(record: ScheduledRecord, id: string, now: number): EmailRecord {
  const { email, via, provider_key } = record
  return {
    ...email,
    ...(provider_key !== undefined && { provider_key }),
    id,
    version: 1,
    created: now,
    recipients: email.envelope.rcpt_to.map((recipient) => sentTo(recipient, now)),
    outbox: { due: now, attempts: 0, via },
    outbox_due: now,
  }
}

/** What an email has besides its request. */
interface NewEmail {
  id: string
  now: number
  type: EmailType
  via: 'capture' | 'relay'
  /** For what follows from it; undefined if it belongs to no trace. */
  trace: TraceContext | undefined
}

/** The email of an accepted request, with its blobs. */
export function toEmail(
  { addresses, domain }: Pick<Accepted, 'addresses' | 'domain'>,
  kept: StoredParts,
  facts: NewEmail,
): { email: EmailRecord; blobs: Blob[] } {
  const { id, now, type, via, trace } = facts
  const { from_address, mail_from = from_address, rcpt_to } = addresses
  const { members } = kept
  const email: Complete<EmailRecord> = {
    // Named one by one: an object made of others is several times slower to write as JSON.
    from: addresses.from,
    to: addresses.to,
    to_names: addresses.to_names,
    cc: addresses.cc,
    cc_names: addresses.cc_names,
    bcc: addresses.bcc,
    bcc_names: addresses.bcc_names,
    reply_to: addresses.reply_to,
    subject: members.subject,
    template_id: members.template_id,
    snippet: members.snippet,
    attachment_count: members.attachment_count,
    raw: members.raw,
    thread: members.thread,
    metadata: members.metadata,
    tracking: members.tracking,
    provider: members.provider,
    provider_key: members.provider_key,
    trace_id: trace && traceIdOf(trace),
    trace_parent: trace && traceParentOf(trace),
    trace_state: trace?.tracestate,
    ignores_suppressions: members.ignores_suppressions,
    id,
    // Set here, because otherwise the store would copy the whole record to add it.
    version: 1,
    type,
    source: 'api',
    domain_id: domain.id,
    created: now,
    envelope: { mail_from, rcpt_to },
    recipients: rcpt_to.map((recipient) => sentTo(recipient, now)),
    outbox: { due: now, attempts: 0, via },
    outbox_due: now,
    message: null,
    unread: true,
    tags: initialTags(rcpt_to, '', kept.tags).tags,
    undigested: undefined,
  }
  const blobs = [blobOf(contentBlob(id), kept.content)]
  if (kept.raw) blobs.push(blobOf(rawBlob(id), kept.raw))
  if (kept.attachments) blobs.push(blobOf(attachmentsBlob(id), kept.attachments))
  return { email, blobs }
}

function headerOf(addresses: string | readonly string[] | undefined): string {
  return foldSpace(typeof addresses === 'string' ? addresses : (addresses ?? []).join(', '))
}
