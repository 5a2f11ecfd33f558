import type { AttachmentReference } from '../attachments/types.ts'
import { parseOwnJson } from '../core/long-json.ts'
import type { Reader } from '../reading/reader.ts'
import type { BlobId, Store } from '../store/store.ts'
import {
  attachmentsBlob,
  contentBlob,
  messageBlob,
  type EmailContent,
  type EmailRecord,
  type StoredContent,
} from './email.ts'

/**
 * The bodies of an email as the detail shows them: as rendered for API sends, read out of the message for submissions.
 *
 * @returns `""` for a body that the email does not have.
 */
export async function readContent(
  { reader }: { reader: Pick<Reader, 'bodies' | 'content'> },
  email: EmailRecord,
): Promise<EmailContent> {
  const { html = '', text = '' } =
    (email.source === 'api'
      ? await reader.content(contentBlob(email.id))
      : await reader.bodies(messageBlob(email.id))) ?? {}
  return { html, text }
}

/** What was kept of an API send at its acceptance. */
export async function readStoredContent(store: Store, email: EmailRecord): Promise<StoredContent> {
  const content = (await readJson(store, contentBlob(email.id))) as StoredContent | null
  // The email may have been removed meanwhile.
  return content ?? { html: '', text: '', to: '', cc: '' }
}

/** The attachment references of an API send, in the order of the request. */
export async function readAttachmentReferences(
  store: Store,
  email: EmailRecord,
): Promise<AttachmentReference[]> {
  return ((await readJson(store, attachmentsBlob(email.id))) as AttachmentReference[] | null) ?? []
}

// Not in a variable of an async function, which would hold the bytes until it ends.
function readJson(store: Store, blob: BlobId): Promise<unknown> {
  return store.readBlob(blob).then((bytes) => bytes && parseOwnJson(bytes))
}
