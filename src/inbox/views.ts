import type { Complete } from '../core/complete.ts'
import type { EmailContent, EmailRecord } from '../emails/email.ts'
import { broadcastCollection } from '../broadcasts/broadcast.ts'
import { maxFieldLength } from '../emails/header-facts.ts'
import { eventStatuses, outcomeOf } from '../emails/events.ts'
import { initialTags } from '../emails/tags.ts'
import { begunConversation } from '../emails/conversation.ts'
import { listedSubject, toLastEvent, toMembers } from '../emails/views.ts'
import { attachmentNames } from '../mime/attachment-names.ts'
import type { PlacedPart } from '../mime/part.ts'
import type { MimeStructure } from '../mime/structure.ts'
import { fieldOf } from '../core/header-fields.ts'
import { foldSpace, joinSentences } from '../core/text.ts'
import type { ParsedFacts, ParsedAttachment } from '../mime/parse.ts'
import type { Digest } from '../reading/digest.ts'
import type { FoldedGroup } from '../search/folded.ts'
import type { Store } from '../store/store.ts'
import { readListUnsubscribe } from './list-unsubscribe.ts'
import type { ListedBroadcast, Mail, MailAttachment, MailSummary, MimeTree } from './types.ts'
import type { Findings } from '../reading/findings.ts'

/** A mail in a list of the inbox. */
export function toMailSummary(email: EmailRecord, digest: Digest): Complete<MailSummary> {
  return {
    ...toListed(email, digest),
    source: email.source,
    // Only the record of an answer has one.
    thread: email.thread ?? begunConversation(email.message?.message_id ?? ''),
    is_answer: email.thread !== undefined,
    trace_id: email.trace_id,
    last_event: toLastEvent(email),
    outcomes: toOutcomes(email),
  }
}

/** A mail in a list of another interface than the page's: more fields of its header, and no outcomes. */
export interface MailEntry extends Listed, Pick<EmailRecord, 'cc' | 'bcc' | 'reply_to' | 'envelope'> {
  /** With its angle brackets; `""` if there is none, or the message is not written yet. */
  message_id: string
}

export function toMailEntry(email: EmailRecord, digest: Digest): MailEntry {
  const { cc, bcc, reply_to, envelope, message } = email
  const message_id = message?.message_id ?? ''
  return { ...toListed(email, digest), cc, bcc, reply_to, envelope, message_id }
}

/** What every list shows. */
type Listed = Complete<
  Omit<MailSummary, 'source' | 'thread' | 'is_answer' | 'trace_id' | 'last_event' | 'outcomes'>
>

function toListed(email: EmailRecord, digest: Digest): Listed {
  return {
    id: email.id,
    from: email.from,
    to: email.to,
    to_names: firstNames(email.to_names),
    subject: listedSubject(email),
    snippet: digest.snippet,
    received: email.created,
    size_bytes: email.message?.size_bytes ?? 0,
    unread: email.unread,
    tags: email.tags,
    attachment_count: digest.attachment_count,
  }
}

/** The names that a list shows. */
function firstNames(names: readonly string[] = []): string[] {
  const first = names.slice(0, 3)
  return first.some((name) => name !== '') ? first : []
}

/** The broadcast that an email represents in a folded list. */
export async function toListedBroadcast(
  store: Store,
  email: EmailRecord,
  { id, emails, unread, statuses }: FoldedGroup,
): Promise<Complete<ListedBroadcast>> {
  const record = await store.get(broadcastCollection, id)
  // The counts of the group are in the order of `eventStatuses`.
  const outcomes = eventStatuses.map((status, at) => [status, statuses[at] ?? 0] as const)
  return {
    id,
    // Old broadcasts are removed; their emails stay.
    subject: record?.subject ?? email.subject,
    emails,
    unread,
    outcomes: Object.fromEntries(outcomes.filter(([, count]) => count > 0)),
  }
}

/**
 * A mail in detail.
 *
 * @param content  The bodies as the email's detail shows them.
 * @param message  The parsed message; null while it is not written.
 * @param facts  Facts from other sources.
 */
export function toMail(
  email: EmailRecord,
  digest: Digest,
  content: EmailContent,
  message: ParsedFacts | null,
  facts: Findings & Pick<Mail, 'dkim' | 'transcript'>,
): Complete<Mail> {
  const { html, text } = content
  const { template_id: _notShown, ...members } = toMembers(email)
  return {
    ...toMailSummary(email, digest),
    ...members,
    headers: message?.headers ?? [],
    html,
    text,
    links: facts.links,
    codes: facts.codes,
    attachments: toAttachments(message?.attachments ?? []),
    dkim: facts.dkim,
    list_unsubscribe: readListUnsubscribe(message?.headers ?? []),
    transcript: facts.transcript,
    problem: joinSentences([message?.problem, facts.clipped, ...recordProblems(email, message)]),
  }
}

/** The differences between the record of a mail and its message, as sentences. There are some only where a limit was exceeded. */
function recordProblems(email: EmailRecord, message: ParsedFacts | null): (string | null)[] {
  // An API send that is no raw message has no X-Tags field that counts, and is refused where it exceeds a limit.
  if ((email.source !== 'smtp' && !email.raw) || !message)
    return [initialTags(email.envelope.rcpt_to).problem]
  const valueOf = (name: string): string => fieldOf(message.headers, name) ?? ''
  const cut = ['From', 'Reply-To', 'Subject', 'Message-ID'].filter(
    (name) => foldSpace(valueOf(name)).length > maxFieldLength,
  )
  if ([...message.to, ...message.cc].some(({ address }) => address.length > maxFieldLength))
    cut.push('A recipient')
  return [
    cut.length === 0
      ? null
      : `More than ${maxFieldLength} characters, of which the list and searches have the beginning: ${cut.join(', ')}.`,
    initialTags(email.envelope.rcpt_to, valueOf('x-tags')).problem,
  ]
}

function toOutcomes({ recipients }: EmailRecord): MailSummary['outcomes'] {
  const counts: MailSummary['outcomes'] = {}
  for (const { events } of recipients) {
    const status = outcomeOf(events)
    if (status) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

/** The attachments as a mail lists them. */
export function toAttachments(attachments: readonly ParsedAttachment[]): Complete<MailAttachment>[] {
  const names = attachmentNames(attachments)
  return attachments.map((attachment, at) => {
    const { index, content_type, size_bytes, sha256, content_id, disposition } = attachment
    return { index, filename: names[at] ?? '', content_type, size_bytes, sha256, content_id, disposition }
  })
}

/** The MIME tree of a message, with what the message says of each part and the role that it has. */
export function toTree({ nodes, parts, text, html, problem }: MimeStructure): MimeTree {
  const bodies = new Set([...text, ...html])
  const roleOf = (part: PlacedPart): 'text' | 'html' | 'attachment' => {
    if (!bodies.has(part)) return 'attachment'
    return part.content_type === 'text/html' ? 'html' : 'text'
  }
  const facts = nodes.map((node) => {
    const part = node.index === null ? undefined : parts[node.index]
    const {
      charset = null,
      encoding = null,
      filename = null,
      content_id = null,
      disposition = null,
    } = part ?? {}
    const role = part ? roleOf(part) : null
    return { ...node, charset, encoding, filename, content_id, disposition, role }
  })
  return { parts: facts, problem }
}
