import { LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { loadAttachment, type AttachmentSources, type LoadedAttachment } from './attachments.ts'
import { decodedSize, encodedSize } from '../mime/message-size.ts'
import { isUrl, type ReadReference } from './reference.ts'

/**
 * Loads the attachments of an email, one after the other, so that the size of one is known before the next one is read.
 *
 * @param encodedBytesLeft  How many bytes they may take in the message.
 * @param togetherMs  The time for all of them. Default: six times that of one.
 * @throws attachment_failed with the path and the reason.
 */
export async function loadAttachments(
  references: readonly ReadReference[],
  sources: AttachmentSources,
  encodedBytesLeft: number,
  togetherMs: number = 6 * sources.timeoutMs,
): Promise<LoadedAttachment[]> {
  const loaded: LoadedAttachment[] = []
  let left = encodedBytesLeft
  const until = monotonicNow() + togetherMs
  for (const [index, reference] of references.entries()) {
    const maxBytes = decodedSize(left)
    const timeoutMs = Math.min(sources.timeoutMs, Math.max(1, Math.ceil(until - monotonicNow())))
    const attachment = await loadAttachment(reference, { ...sources, timeoutMs }, maxBytes).catch(
      (error: unknown) => {
        if (monotonicNow() < until || !isUrl(reference.path)) throw error
        throw new LocalpostError(
          'attachment_failed',
          `The attachments of this email were not fetched within ${togetherMs} ms, which is the time for all of them; ${index} of ${references.length} were.`,
          { cause: error },
        )
      },
    )
    left -= encodedSize(attachment.content.length)
    loaded.push(attachment)
  }
  return loaded
}
