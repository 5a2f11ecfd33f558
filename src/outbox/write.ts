import type { Complete } from '../core/complete.ts'
import { LocalpostError } from '../core/errors.ts'
import { collectBefore } from '../core/page-memory.ts'
import type { ComposedMessage, MessageInput } from '../mime/compose/compose.ts'
import { composeSigned, type Signing } from '../mime/dkim/sign.ts'
import type { Blob, BlobWriter, Store } from '../store/store.ts'
import { maxMessageBytes, type AttachmentSources } from '../attachments/attachments.ts'
import { loadAttachments } from '../attachments/load-all.ts'
import { readAttachmentReferences, readStoredContent } from '../emails/content.ts'
import { copyBlob } from '../emails/copies.ts'
import { messageBlob, type EmailRecord, type MessageFacts } from '../emails/email.ts'
import type { EmailMembers } from '../emails/types.ts'

/** A message ready to be stored: its members of the record and its bytes. Tracked mail has one copy per recipient. */
export interface WrittenMessage {
  message: MessageFacts
  blobs: Blob[]
  /** Discards the bytes; has no effect after they were stored. */
  discard(): Promise<void>
}

/** The settings of the sending domain: the signature of a message, and the tracking of its HTML. */
export interface Sender {
  signing: Signing
  /** Makes the HTML of one recipient, by the recipient's index; null if all share one message. */
  copiesOf(html: string): ((recipient: number) => string) | null
}

/**
 * The members of an email that its message does not contain, and those that {@link writeMessage} writes as `headers`.
 * `MessageInput` has all others, or the code below does not compile.
 */
type NotInMessageInput =
  | 'type'
  | 'source'
  | 'bcc'
  | 'template_id'
  | 'domain_id'
  | 'envelope'
  | 'recipients'
  | 'unread'
  | 'tags'

/** The fields of a message except its HTML, which tracking may change for each recipient. */
type Fields = Complete<Omit<MessageInput, 'html'>> &
  Pick<MessageInput, Exclude<keyof EmailMembers, NotInMessageInput>>

/** Dependencies of writing a message. */
export interface WriteDeps {
  store: Store
  sources: AttachmentSources
  /** The sending domain of the email. */
  senderOf(email: EmailRecord): Promise<Sender>
}

/**
 * Writes the message of an API send: attachments fetched, composed, signed with the domain's key. The same email
 * always gets the same Message-ID and Date, so that a message written again after a crash is the same mail. The copies
 * of tracked mail differ in their HTML only.
 *
 * @throws attachment_failed if an attachment cannot be loaded; message_too_large.
 */
export async function writeMessage(email: EmailRecord, deps: WriteDeps): Promise<WrittenMessage> {
  const content = await readStoredContent(deps.store, email)
  const references = await readAttachmentReferences(deps.store, email)
  const bodyBytes = Buffer.byteLength(content.html) + Buffer.byteLength(content.text)
  const attachments = await loadAttachments(references, deps.sources, maxMessageBytes - bodyBytes)
  const sender = await deps.senderOf(email)
  const message_id = messageIdOf(email)
  const fields: Fields = {
    from: email.from,
    to: content.to,
    cc: content.cc,
    reply_to: email.reply_to,
    subject: email.subject,
    text: content.text,
    attachments,
    message_id,
    date: new Date(email.created),
    headers: content.headers,
  }
  const compose = async (html: string): Promise<ComposedMessage> => {
    collectBefore(bodyBytes)
    const composed = await composeSigned({ ...fields, html }, sender.signing)
    assertSize(composed.size_bytes)
    return composed
  }
  const copyFor = sender.copiesOf(content.html)
  if (copyFor) {
    const written = await writeCopies(email, deps.store, (recipient) => compose(copyFor(recipient)))
    return { ...written, message: { ...written.message, message_id } }
  }
  const { size_bytes, parts: pieces } = await compose(content.html)
  return {
    message: { size_bytes, message_id },
    blobs: [{ id: messageBlob(email.id), size: size_bytes, parts: pieces }],
    discard: () => Promise.resolve(),
  }
}

// One after the other, and large ones are written to the disk at once: only one copy is in memory.
async function writeCopies(
  email: EmailRecord,
  store: Store,
  compose: (recipient: number) => Promise<ComposedMessage>,
): Promise<Omit<WrittenMessage, 'message'> & { message: Omit<MessageFacts, 'message_id'> }> {
  const writers: BlobWriter[] = []
  const blobs: Blob[] = []
  const discard = async (): Promise<void> => {
    for (const writer of writers) await writer.discard()
  }
  try {
    for (const recipient of email.recipients.keys()) {
      const { parts } = await compose(recipient)
      const writer = store.createBlob(copyBlob(email.id, recipient))
      writers.push(writer)
      for (const piece of parts) await writer.write(piece)
      blobs.push(await writer.finish())
    }
  } catch (error) {
    await discard()
    throw error
  }
  return { message: { size_bytes: blobs[0]?.size ?? 0, copies: blobs.length }, blobs, discard }
}

function assertSize(size_bytes: number): void {
  if (size_bytes <= maxMessageBytes) return
  throw new LocalpostError(
    'message_too_large',
    `The message takes ${size_bytes} bytes after encoding; at most ${maxMessageBytes} are taken.`,
  )
}

/** The Message-ID of an API send, with its angle brackets: the same at every try. */
function messageIdOf(email: EmailRecord): string {
  return `<${email.id}@${email.envelope.mail_from.slice(email.envelope.mail_from.lastIndexOf('@') + 1)}>`
}
