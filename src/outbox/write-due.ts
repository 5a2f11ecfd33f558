import { isErrorOf, messageOf } from '../core/errors.ts'
import type { JobQueue } from '../core/job-queue.ts'
import type { Tracer } from '../core/tracer.ts'
import { attachmentsBlob, contentBlob, rawBlob, type EmailRecord, modifyEmail } from '../emails/email.ts'
import { inOnePieceBytes } from '../mime/compose/compose.ts'
import { largeMailBytes } from '../reading/reader.ts'
import { storeErrors } from '../store/error-codes.ts'
import type { Blob } from '../store/store.ts'
import type { Downloads } from './downloads.ts'
import { writeTraced } from './traced.ts'
import { hasDownloads, type WriteDeps } from './write.ts'

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

/** An email whose message was just written. */
interface Written {
  /** With its message; null if the email was removed. */
  readonly email: EmailRecord | null
  /** The blobs that are small enough to keep in memory until they are delivered. */
  readonly written: readonly Blob[]
}

/**
 * Writes the message of an email and stores it.
 *
 * @param pause  Called with true before an email with attachments is written, and with false afterwards.
 * @returns The email; or why the message cannot be written.
 * @throws Errors of the store.
 */
export async function writeDue(
  email: EmailRecord,
  deps: WriteDueDeps,
  pause: (isPaused: boolean) => void,
): Promise<Written | { readonly failure: string }> {
  try {
    if (email.attachment_count) pause(true)
    const size = await keptBytes(email, deps)
    const run = (): Promise<Written> => writeAndStore(email, deps)
    if (await hasDownloads(email, deps)) return await deps.downloads(run)
    return await (size > largeMailBytes ? deps.largeWrites.run(run, Number.POSITIVE_INFINITY) : run())
  } catch (error) {
    if (isErrorOf(error, ...storeErrors)) throw error
    if (!isErrorOf(error, 'attachment_failed', 'message_too_large', 'not_found')) deps.onError(error)
    return { failure: messageOf(error) }
  } finally {
    if (email.attachment_count) pause(false)
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

async function writeAndStore(email: EmailRecord, deps: WriteDueDeps): Promise<Written> {
  const { message, blobs, discard } = await writeTraced(email, deps)
  try {
    const stored = await modifyEmail(deps.store, email.id, (stored) => ({ ...stored, message }), blobs)
    return { email: stored, written: blobs.filter(({ size }) => size <= inOnePieceBytes) }
  } finally {
    await discard()
  }
}
