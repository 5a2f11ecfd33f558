import type { Complete } from '../core/complete.ts'
import { asBuffer } from '../core/own-buffers.ts'
import { cutText } from '../core/text.ts'
import type { StoredContent } from '../emails/email.ts'
import { maxFieldLength } from '../emails/header-facts.ts'
import type { EmailMembers } from '../emails/types.ts'
import { composeMessage, type ComposedMessage } from '../mime/compose/compose.ts'
import type { MessageInput } from '../mime/compose/message-input.ts'
import { composeSigned, signMessage, type Signing } from '../mime/dkim/sign.ts'
import { readHeader } from '../mime/headers/headers.ts'

/**
 * The members of an email that its message does not contain, and those that are written as `headers`.
 * `MessageInput` has all others: the compiler reports a new member that is in neither.
 */
type NotInMessage =
  | 'type'
  | 'source'
  | 'bcc'
  | 'template_id'
  | 'domain_id'
  | 'envelope'
  | 'recipients'
  | 'unread'
  | 'tags'
  | 'metadata'
  | 'tracking'
  | 'provider'
  | 'trace_id'

/** What a message has beside the stored content. */
export type Fields = Complete<Omit<MessageInput, keyof StoredContent>> &
  Pick<MessageInput, Exclude<keyof EmailMembers, NotInMessage | keyof StoredContent>>

/** Writing messages as work of the thread. */
export const messageJobs = {
  /**
   * @param signing  null: the message is not signed.
   * @param html  In place of the stored HTML; null: the stored one.
   */
  message(
    json: Buffer,
    fields: Fields,
    signing: Signing | null,
    html: string | null,
  ): Promise<ComposedMessage> {
    const content = JSON.parse(json.toString()) as StoredContent
    const attachments = fields.attachments?.map((one) => ({ ...one, content: asBuffer(one.content) }))
    const input = { ...fields, ...content, html: html ?? content.html, attachments }
    return signing ? composeSigned(input, signing) : composeMessage(input)
  },
  /** Signs a given message, and adds Message-ID and Date if it lacks them. */
  async rawMessage(
    message: Uint8Array,
    { message_id, date }: Pick<Fields, 'message_id' | 'date'>,
    signing: Signing,
  ): Promise<ComposedMessage & { message_id: string }> {
    const bytes = asBuffer(message)
    const header = readHeader(bytes)
    const given = cutText(header.decoded('message-id'), maxFieldLength)
    const added = [
      given === '' ? `Message-ID: ${message_id}\r\n` : '',
      header.decoded('date') === '' ? `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n` : '',
    ].join('')
    const whole = added === '' ? bytes : Buffer.concat([Buffer.from(added), bytes])
    return { ...(await signMessage(whole, signing)), message_id: given || message_id }
  },
  storedHtml: (json: Buffer): string => (JSON.parse(json.toString()) as StoredContent).html,
}
