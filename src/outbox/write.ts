import type { AttachmentSources } from '../attachments/attachments.ts'
import { loadAttachments } from '../attachments/load-attachments.ts'
import type { attachmentJobs } from '../attachments/reference.ts'
import { LocalpostError } from '../core/errors.ts'
import type { JobThread } from '../core/job-thread.ts'
import { longBodyBytes } from '../core/long-body.ts'
import { copyBlob } from '../emails/copies.ts'
import { attachmentsBlob, contentBlob, messageBlob, rawBlob } from '../emails/email.ts'
import type { EmailRecord, MessageFacts } from '../emails/email.ts'
import { messageIdOf } from '../emails/message-id.ts'
import type { ComposedMessage } from '../mime/compose/compose.ts'
import type { Signing } from '../mime/dkim/sign.ts'
import { maxMessageBytes } from '../mime/message-size.ts'
import { loadBlob } from '../reading/load-blob.ts'
import { notFound } from '../store/repository.ts'
import type { Blob, BlobWriter, Store } from '../store/store.ts'
import { type Fields, messageJobs } from './message-jobs.ts'

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
  /** Makes the HTML of one recipient, by the recipient's index; null if nothing is tracked: all share one message. */
  copiesOf: ((html: string) => (recipient: number) => string) | null
}

/** Dependencies of writing a message. */
export interface WriteDeps {
  store: Store
  sources: AttachmentSources
  /** Where large messages are written. */
  thread: JobThread<typeof messageJobs & typeof attachmentJobs>
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
  const { store, sources, thread } = deps
  if (email.raw) return writeRaw(email, deps)
  const json = await loadBlob(store, contentBlob(email.id))
  // The email may have been removed meanwhile.
  if (!json) throw notFound('email', email.id)
  const attachments = await loadReferenced(await storedReferences(email, store), sources, thread)
  const sender = await deps.senderOf(email)
  const message_id = messageIdOf(email)
  const fields: Fields = {
    from: email.from,
    reply_to: email.reply_to,
    subject: email.subject,
    attachments,
    message_id,
    date: new Date(email.created),
  }
  const size = attachments.reduce((sum, { content }) => sum + content.length, json.length)
  const compose = async (content: Buffer, html: string | null): Promise<ComposedMessage> => {
    const given = [content, fields, sender.signing, html] as const
    const composed = await thread.run('message', given, jobOptions(size))
    assertSize(composed.size_bytes)
    return composed
  }
  const html =
    sender.copiesOf && (await thread.run('storedHtml', [copyForThread(json)], jobOptions(json.length)))
  if (sender.copiesOf && html) {
    const copyFor = sender.copiesOf(html)
    return writeCopies(email, store, (recipient) => compose(copyForThread(json), copyFor(recipient)))
  }
  return inOnePiece(email, { ...(await compose(lastForThread(json), null)), message_id })
}

/** Writes the message of an API send whose request had the whole of it. */
async function writeRaw(email: EmailRecord, deps: WriteDeps): Promise<WrittenMessage> {
  const given = await loadBlob(deps.store, rawBlob(email.id))
  if (!given) throw notFound('email', email.id)
  const { signing } = await deps.senderOf(email)
  const fields = { message_id: messageIdOf(email), date: new Date(email.created) }
  const options = jobOptions(given.length)
  const composed = await deps.thread.run('rawMessage', [lastForThread(given), fields, signing], options)
  assertSize(composed.size_bytes)
  return inOnePiece(email, composed)
}

/** A copy of bytes that are used again after a job, because the worker thread may take the buffers of a job away. */
function copyForThread(bytes: Buffer): Buffer {
  return Buffer.from(bytes)
}

/** Bytes for their last job: long ones are moved to the worker thread; short ones are copied, as they may be the store's. */
function lastForThread(bytes: Buffer): Buffer {
  return bytes.length > longBodyBytes ? bytes : Buffer.from(bytes)
}

function inOnePiece(
  { id }: EmailRecord,
  { size_bytes, parts, message_id }: ComposedMessage & { message_id: string },
): WrittenMessage {
  return {
    message: { size_bytes, message_id },
    blobs: [{ id: messageBlob(id), size: size_bytes, parts }],
    discard: () => Promise.resolve(),
  }
}

/** The options of a job on this many bytes. A job of up to 1 MiB gets the size 0, with which it runs on the event loop. */
export function jobOptions(size: number): { size: number; patienceMs: number } {
  return { size: size > longBodyBytes ? size : 0, patienceMs: Number.POSITIVE_INFINITY }
}

/** Loads attachments. @param references  Their references in JSON; null without any. @throws attachment_failed */
export async function loadReferenced(
  references: Buffer | null,
  sources: AttachmentSources,
  thread: WriteDeps['thread'],
): ReturnType<typeof loadAttachments> {
  const listed = references ? await thread.run('references', [references], jobOptions(references.length)) : []
  return loadAttachments(listed, sources, maxMessageBytes)
}

/** The JSON of the attachment references of an email, in the order of the request; null without attachments. */
async function storedReferences(email: EmailRecord, store: Store): Promise<Buffer | null> {
  return email.attachment_count ? loadBlob(store, attachmentsBlob(email.id)) : null
}

/** Whether an attachment of an email has to be downloaded. */
export async function hasDownloads(
  email: EmailRecord,
  { store, thread }: Pick<WriteDeps, 'store' | 'thread'>,
): Promise<boolean> {
  const json = await storedReferences(email, store)
  return json !== null && thread.run('hasUrl', [json], jobOptions(json.length))
}

/** Writes one copy after the other. Large ones are written to the disk at once, so that only one copy is in memory. */
async function writeCopies(
  email: EmailRecord,
  store: Store,
  compose: (recipient: number) => Promise<ComposedMessage>,
): Promise<WrittenMessage> {
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
  const size_bytes = blobs[0]?.size ?? 0
  return { message: { size_bytes, message_id: messageIdOf(email), copies: blobs.length }, blobs, discard }
}

/** @throws message_too_large. */
export function assertSize(size_bytes: number): void {
  if (size_bytes <= maxMessageBytes) return
  throw new LocalpostError(
    'message_too_large',
    `The message takes ${size_bytes} bytes after encoding; at most ${maxMessageBytes} are taken.`,
  )
}
