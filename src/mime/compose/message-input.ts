/** The content of a message to compose. */
export interface MessageInput {
  /** Header values: one or more mailboxes with or without display names, as RFC 5322 writes them. */
  from: string
  to: string
  cc?: string | null
  reply_to?: string | null
  subject: string
  /** `""` for none. */
  html: string
  text: string
  attachments?: readonly MessageAttachment[]
  /** With its angle brackets. */
  message_id: string
  date: Date
  /** Further header fields, by name. A Bcc is never written, not even from here. */
  headers?: Readonly<Record<string, string>>
}

export interface MessageAttachment {
  filename: string
  /** Default: by the file name. */
  content_type?: string | null
  /** Makes it a part that the HTML body shows, if there is one; without angle brackets. */
  content_id?: string | null
  content: Buffer
}
