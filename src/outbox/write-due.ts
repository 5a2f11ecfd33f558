import type { JobQueue } from '../core/job-queue.ts'
import type { Tracer } from '../core/tracer.ts'
import type { Downloads } from './downloads.ts'
import { isErrorOf, messageOf } from '../core/errors.ts'
import { attachmentsBlob, contentBlob, rawBlob, type EmailRecord, modifyEmail } from '../emails/email.ts'
import { inOnePieceBytes } from '../mime/compose/compose.ts'
import { storeErrors } from '../store/error-codes.ts'
import type { Blob } from '../store/store.ts'
import { writeTraced } from './traced.ts'
import { hasDownloads, type WriteDeps } from './write.ts'
import { largeMailBytes } from '../reading/reader.ts'

export interface WriteDueDeps extends WriteDeps {
  /** Default: none. */
  tracer?: Tracer | null
  /** The queue for writing large messages: several at once would take too much memory. */
  largeWrites: JobQueue
  /** The queue for writing messages with attachments from URLs. */
  downloads: Downloads
  /** Called with internal errors. */
  onError(error: unknown): void
}

/**
 * Writes the message of an email and stores it.
 *
 * @param written  Collects the blobs that are small enough to keep in memory until they are delivered.
 * @param fetching  Called with true before an email with attachments is written, and with false afterwards.
 * @returns The email with its message, null if it was removed; or why the message cannot be written.
 * @throws Errors of the store.
 */
export async function writeDue(
  email: EmailRecord,
  deps: WriteDueDeps,
  written: Blob[],
  fetching: (isFetching: boolean) => void,
): Promise<EmailRecord | null | { readonly failure: string }> {
  try {
    if (email.attachment_count) fetching(true)
    const size = await keptBytes(email, deps)
    const run = (): Promise<EmailRecord | null> => writeAndStore(email, deps, written)
    if (await hasDownloads(email, deps)) return await deps.downloads(run)
    return await (size > largeMailBytes ? deps.largeWrites.run(run, Number.POSITIVE_INFINITY) : run())
  } catch (error) {
    if (isErrorOf(error, ...storeErrors)) throw error
    const reason = messageOf(error)
    if (!isErrorOf(error, 'attachment_failed', 'message_too_large', 'not_found')) deps.onError(error)
    return { failure: reason }
  } finally {
    if (email.attachment_count) fetching(false)
  }
}

/** How many bytes of an API send are stored outside its record. */
async function keptBytes(
  { id, attachment_count, raw }: EmailRecord,
  { store }: Pick<WriteDueDeps, 'store'>,
): Promise<number> {
  const content = (await store.blobSize(contentBlob(id))) ?? 0
  if (raw) return content + ((await store.blobSize(rawBlob(id))) ?? 0)
  return attachment_count === 0 ? content : content + ((await store.blobSize(attachmentsBlob(id))) ?? 0)
}

async function writeAndStore(
  email: EmailRecord,
  deps: WriteDueDeps,
  written: Blob[],
): Promise<EmailRecord | null> {
  const { message, blobs, discard } = await writeTraced(email, deps)
  try {
    const stored = await modifyEmail(deps.store, email.id, (stored) => ({ ...stored, message }), blobs)
    written.push(...blobs.filter(({ size }) => size <= inOnePieceBytes))
    return stored
  } finally {
    await discard()
  }
}
