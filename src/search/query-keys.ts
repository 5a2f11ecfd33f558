/** A key of the query language: for the search itself, its messages, and what the page suggests. */
export interface QueryKey {
  name: string
  /** Its meaning, in a few words. */
  hint: string
  example: string
  /** The only values, where it has a closed set. */
  values?: readonly string[]
}

const keys = [
  { name: 'from', hint: 'Sender', example: 'from:acme.test' },
  { name: 'to', hint: 'Recipient, also Cc and Bcc', example: 'to:ada@example.com' },
  { name: 'cc', hint: 'Recipient in Cc', example: 'cc:eve' },
  { name: 'subject', hint: 'Words of the subject', example: 'subject:"sign in"' },
  { name: 'body', hint: 'Words of the text', example: 'body:receipt' },
  { name: 'domain', hint: "The sender's domain, by name or id", example: 'domain:acme.test' },
  { name: 'reply-to', hint: 'Address of Reply-To', example: 'reply-to:help@acme.test' },
  { name: 'message-id', hint: 'Message-ID, with or without brackets', example: 'message-id:abc@acme.test' },
  { name: 'header', hint: 'A header field, or a text in one', example: 'header:list-id=news' },
  { name: 'filename', hint: 'Name of an attachment', example: 'filename:invoice.pdf' },
  { name: 'trace', hint: 'Mails of a trace, by its id', example: 'trace:4bf92f35…' },
  { name: 'id', hint: 'Mails by id, separated by commas', example: 'id:em_01…' },
  {
    name: 'status',
    hint: "A recipient's last event",
    example: 'status:bounced',
    values: ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'delivery_delayed', 'complained', 'failed'],
  },
  {
    name: 'type',
    hint: 'Kind of email',
    example: 'type:broadcast',
    values: ['transactional', 'broadcast'],
  },
  { name: 'source', hint: 'How it came: api or smtp', example: 'source:smtp', values: ['api', 'smtp'] },
  { name: 'broadcast', hint: 'Mails of a broadcast, by its id', example: 'broadcast:bc_01…' },
  { name: 'tag', hint: 'Tagged with', example: 'tag:signup' },
  { name: 'has', hint: 'With attachments', example: 'has:attachment', values: ['attachment'] },
  { name: 'is', hint: 'Unread or read', example: 'is:unread', values: ['unread', 'read'] },
  { name: 'before', hint: 'Arrived before', example: 'before:2026-01-31' },
  { name: 'after', hint: 'Arrived at or after', example: 'after:2h' },
  { name: 'larger', hint: 'Larger than', example: 'larger:10k' },
  { name: 'smaller', hint: 'Smaller than', example: 'smaller:2mb' },
] as const satisfies readonly QueryKey[]

export type QueryKeyName = (typeof keys)[number]['name']

/** Every key, in the order in which they are listed. Free of imports, so that the page can use it too. */
export const queryKeys: readonly (QueryKey & { name: QueryKeyName })[] = keys
