import type { AttachmentReference } from '../attachments/types.ts'
import { readOwnJson } from '../reading/own-json.ts'
import type { Reader } from '../reading/reader.ts'
import type { Store } from '../store/store.ts'
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
 * @param signal  Ends the reading. @throws its reason.
 * @returns `""` for a body that the email does not have.
 */
export async function readContent(
  { reader }: { reader: Pick<Reader, 'bodies' | 'content'> },
  email: EmailRecord,
  signal?: AbortSignal,
): Promise<EmailContent> {
  const { html = '', text = '' } =
    (email.source === 'api'
      ? await reader.content(contentBlob(email.id), signal)
      : await reader.bodies(messageBlob(email.id), signal)) ?? {}
  return { html, text }
}

/** The content of an API send as it was stored at its acceptance. */
export async function readStoredContent(store: Store, email: EmailRecord): Promise<StoredContent> {
  const content = (await readOwnJson(store, contentBlob(email.id))) as StoredContent | null
  // The email may have been removed meanwhile.
  return content ?? { html: '', text: '', to: '', cc: '' }
}

/** The attachment references of an API send, in the order of the request. */
export async function readAttachmentReferences(
  store: Store,
  email: EmailRecord,
): Promise<AttachmentReference[]> {
  if (email.attachment_count === 0) return []
  return ((await readOwnJson(store, attachmentsBlob(email.id))) as AttachmentReference[] | null) ?? []
}

/** How many bytes of an API send are stored outside its record. */
export async function keptBytes(store: Store, { id, attachment_count }: EmailRecord): Promise<number> {
  const content = (await store.blobSize(contentBlob(id))) ?? 0
  return attachment_count === 0 ? content : content + ((await store.blobSize(attachmentsBlob(id))) ?? 0)
}
