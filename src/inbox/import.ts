import { maxMessageBytes } from '../mime/message-size.ts'
import type { SubmissionReception } from '../emails/receive.ts'
import { nextTurn } from '../core/machine.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { readEnvelope } from '../emails/header-envelope.ts'
import type { headerJobs } from '../emails/header-facts.ts'
import type { JobThread } from '../core/job-thread.ts'
import { isLongHeader } from '../mime/headers/headers.ts'
import { maxHeaderBytes } from '../mime/headers/fields.ts'

/** Begins to receive a message as if it were submitted over SMTP, but without delivery. */
export type Submit = (
  envelope: { mail_from: string; rcpt_to: string[] },
  onStored: (id: string) => void,
) => SubmissionReception

/**
 * Stores a message as if an app had submitted it now, with the envelope that `readEnvelope` finds in its header.
 *
 * @param bytes  One RFC 5322 message; kept as it is.
 * @param thread  Where a long header is read.
 * @returns The id of the new mail.
 * @throws validation_error for bytes that are no message and for more than 1,000 recipients; message_too_large.
 */
export async function importMessage(
  bytes: unknown,
  submit: Submit,
  thread: JobThread<typeof headerJobs>,
): Promise<{ id: string }> {
  if (!(bytes instanceof Uint8Array))
    throw validationError([{ field: 'body', message: `must be the bytes of a message, not ${quote(bytes)}` }])
  if (bytes.byteLength > maxMessageBytes) {
    const message = `The message has ${bytes.byteLength} bytes; at most ${maxMessageBytes} are taken.`
    throw new LocalpostError('message_too_large', message)
  }
  const envelope = isLongHeader(bytes)
    ? await thread.run('envelope', [Buffer.from(bytes.subarray(0, maxHeaderBytes))])
    : readEnvelope(bytes)
  if (isMailboxFile(bytes)) {
    const message = 'is a mailbox of several messages (mbox): import each message as a file of its own'
    throw validationError([{ field: 'body', message }])
  }
  let stored = ''
  const reception = submit(envelope, (id) => (stored = id))
  try {
    // A copy, because the store keeps the bytes; in pieces, so that the event loop is not blocked.
    for (let start = 0; start < bytes.byteLength; start += uploadPieceBytes) {
      await reception.write(Buffer.from(bytes.subarray(start, start + uploadPieceBytes)))
      if (start + uploadPieceBytes < bytes.byteLength) await nextTurn()
    }
    await reception.finish()
    return { id: stored }
  } catch (error) {
    await reception.discard()
    throw error
  }
}

const uploadPieceBytes = 1024 * 1024

/** Whether a second message follows, as in a mailbox file. A single message with such a first line does no harm. */
function isMailboxFile(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (text.toString('latin1', 0, 5) !== 'From ') return false
  let at = text.indexOf('\nFrom ')
  // Bounded, because a hostile file may consist of such lines.
  for (let looked = 0; at !== -1 && looked < 1000; looked++) {
    const before = text.toString('latin1', Math.max(0, at - 2), at)
    const after = text.toString('latin1', at + 1, at + 400)
    if (/\n\r?$/.test(before) && secondMessage.test(after)) return true
    at = text.indexOf('\nFrom ', at + 1)
  }
  return false
}

// A line of a mailbox ends with the year, and a header field follows.
const secondMessage = /^From [^\r\n]{0,200} \d{4}(?: [+-]\d{4})?\r?\n[A-Za-z][A-Za-z0-9-]{0,60}:/
