import type { Reader } from '../reading/reader.ts'
import type { Store } from '../store/store.ts'
import { attachmentsBlob, contentBlob, messageBlob, type EmailContent, type EmailRecord } from './email.ts'

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

/** How many bytes of an API send are stored outside its record. */
export async function keptBytes(store: Store, { id, attachment_count }: EmailRecord): Promise<number> {
  const content = (await store.blobSize(contentBlob(id))) ?? 0
  return attachment_count === 0 ? content : content + ((await store.blobSize(attachmentsBlob(id))) ?? 0)
}
