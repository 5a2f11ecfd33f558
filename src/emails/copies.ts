import type { BlobId } from '../store/store.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { messageBlob, type EmailRecord } from './email.ts'

/**
 * The blob of the message that one recipient gets. With tracking, each recipient has a copy of its own: that of the first
 * is the email's `message`, those of the others are `message-1`, `message-2`, …; otherwise all share `message`.
 *
 * @param recipient  Index of the recipient in the record.
 */
export function messageBlobOf(email: Pick<EmailRecord, 'id' | 'message'>, recipient: number): BlobId {
  return email.message?.copies ? copyBlob(email.id, recipient) : messageBlob(email.id)
}

/** The blob of one recipient's copy. */
export function copyBlob(id: string, recipient: number): BlobId {
  return recipient === 0 ? messageBlob(id) : `${id}/message-${recipient}`
}

/** The blobs of all messages that an email has; none while it has no message. */
export function messageBlobs({ id, message, recipients }: EmailRecord): BlobId[] {
  if (!message) return []
  const length = Math.max(1, Math.min(message.copies ?? 1, recipients.length))
  return Array.from({ length }, (_, recipient) => copyBlob(id, recipient))
}

/**
 * The index of a recipient, compared by {@link addressKey}.
 *
 * @param recipient  Default: the first.
 * @throws not_found for an address that is not a recipient, with the recipients.
 */
export function recipientIndex(email: EmailRecord, recipient: string | undefined): number {
  if (recipient === undefined) return 0
  const wanted = addressKey(recipient)
  const index = email.recipients.findIndex((state) => addressKey(state.recipient) === wanted)
  if (index >= 0) return index
  const known = email.recipients.map((state) => state.recipient).join(', ')
  const message = `Mail ${quote(email.id)} has no recipient ${quote(recipient)}; it has ${known}.`
  throw new LocalpostError('not_found', message)
}
