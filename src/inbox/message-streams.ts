import type { Readable } from 'node:stream'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { messageBlobOf, recipientIndex } from '../emails/copies.ts'
import { contentBlob, messageBlob, type EmailRecord } from '../emails/email.ts'
import { attachmentNames } from '../mime/attachment-names.ts'
import type { PlacedPart } from '../mime/part.ts'
import { decodeTransfer } from '../mime/transfer.ts'
import type { PageOptions } from '../reading/page.ts'
import type { BlobId, ByteRange, Store } from '../store/store.ts'
import type { Inbox, InboxPages } from './methods.ts'
import type { CopyOptions, OpenAttachment, ReadOptions } from './read-options.ts'
import { toTree } from './views.ts'
import type { Reader } from '../reading/reader.ts'

interface MessageStreamDeps {
  store: Store
  reader: Reader
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
}

/** Reads the stored bytes of mails. */
export function createMessageStreams({ store, reader, find }: MessageStreamDeps): Pick<
  Inbox & InboxPages,
  'raw' | 'structure' | 'html' | 'page' | 'attachment' | 'openAttachment' | 'part'
> & {
  /** The message as it was stored. @throws message_pending. */
  whole(email: EmailRecord): Promise<Readable>
} {
  async function open(
    email: EmailRecord,
    blob: BlobId = messageBlob(email.id),
    range?: ByteRange,
    signal?: AbortSignal,
  ): Promise<Readable> {
    await assertIntact(store, blob, signal)
    const stream = await store.openBlob(blob, range)
    if (stream) return stream
    const state = email.outbox ? 'is not written yet' : 'was never written; see its events'
    throw new LocalpostError('message_pending', `The message of ${quote(email.id)} ${state}.`)
  }

  /** @throws message_pending, if the message itself is not written yet, or the error that reading it causes. */
  async function assertWritten(email: EmailRecord): Promise<void> {
    const stream = await open(email)
    stream.destroy()
  }

  async function openLeaf(
    id: string,
    kind: 'parts' | 'attachments',
    index: number,
    options: ReadOptions | undefined,
  ): Promise<{ part: PlacedPart; name: string; stream: Readable }> {
    assertKnownOptions(options, ['signal'], kind === 'parts' ? 'inbox.part()' : 'inbox.openAttachment()')
    const email = await find(id)
    const blob = messageBlob(id)
    const leaves = (await reader.structure(blob, options?.signal))?.[kind] ?? []
    const part = leaves[index]
    if (part) {
      const encoded = await store.openBlob(blob, { start: part.start, end: part.end })
      const name = attachmentNames(leaves)[index] ?? ''
      if (encoded) return { part, name, stream: decodeTransfer(encoded, part.encoding) }
    }
    await assertWritten(email)
    const what = kind === 'parts' ? 'part' : 'attachment'
    throw new LocalpostError('not_found', `Mail ${quote(id)} has no ${what} ${index}.`)
  }

  /** The HTML of a mail, or of a recipient's copy, as UTF-8. @throws not_found. */
  async function readPage(
    id: string,
    options: CopyOptions | undefined,
    page: PageOptions,
  ): Promise<Uint8Array> {
    const email = await find(id)
    const blob = messageBlobOf(email, recipientIndex(email, options?.recipient))
    return reader.page(sourceOfPage(email, blob), page, options?.signal)
  }

  async function openAttachment(
    id: string,
    index: number,
    options: ReadOptions | undefined,
  ): Promise<OpenAttachment> {
    const { part, name, stream } = await openLeaf(id, 'attachments', index, options)
    return { filename: name, content_type: part.content_type, stream }
  }

  return {
    async raw(id, options) {
      assertKnownOptions(options, ['recipient', 'range', 'signal'], 'inbox.raw()')
      const email = await find(id)
      const blob = messageBlobOf(email, recipientIndex(email, options?.recipient))
      const stream = await open(email, blob, options?.range, options?.signal)
      return { stream, size_bytes: (await store.blobSize(blob)) ?? 0 }
    },
    async structure(id, options) {
      const email = await find(id)
      const structure = await reader.structure(messageBlob(id), options?.signal)
      if (structure) return toTree(structure)
      await assertWritten(email)
      throw new LocalpostError('not_found', `The message of ${quote(id)} is gone.`)
    },
    whole: (email) => open(email),
    async html(id, options) {
      assertKnownOptions(options, ['recipient', 'signal'], 'inbox.html()')
      return Buffer.from(await readPage(id, options, {})).toString()
    },
    page: (id, { recipient, signal, ...frame }) => readPage(id, { recipient, signal }, { frame }),
    async attachment(id, index, options) {
      const { stream, ...attachment } = await openAttachment(id, index, options)
      const { signal } = options ?? {}
      return { ...attachment, content: Buffer.concat(await stream.toArray(signal && { signal })) }
    },
    openAttachment,
    async part(id, index, options) {
      const { part, stream } = await openLeaf(id, 'parts', index, options)
      const { content_type, charset, filename, content_id, disposition } = part
      return { index, content_type, charset, filename, content_id, disposition, stream }
    },
  }
}

/**
 * Where the HTML of a mail is read from.
 *
 * @param blob  The message, or the copy of the wanted recipient; stored only if the record has `message`.
 */
function sourceOfPage(email: EmailRecord, blob: BlobId): { message: BlobId | null; content: BlobId | null } {
  const message = email.message && blob
  // The stored content of an API send has no tracking links. Only the recipients' copies have them.
  const isInMessage = email.source === 'smtp' || email.message?.copies !== undefined
  if (isInMessage && email.message) return { message, content: null }
  const content = contentBlob(email.id)
  // Without attachments there are no inline images, which is all that the message would add to the stored content.
  return email.attachment_count === 0 ? { message: null, content } : { message, content }
}

/**
 * Reads a whole blob to check it: damage may only show at its end, and bytes that were sent cannot be taken back.
 *
 * @param signal  Ends the reading. @throws its reason.
 * @throws store_corrupt, store_failed.
 */
export async function assertIntact(
  store: Pick<Store, 'openBlob'>,
  id: BlobId,
  signal?: AbortSignal,
): Promise<void> {
  for await (const _ of (await store.openBlob(id)) ?? []) signal?.throwIfAborted()
}
