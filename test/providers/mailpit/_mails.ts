import type { MailpitServer } from './_server.ts'

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const html =
  '<p style="display:flex">Hello <a href="http://127.0.0.1:1/x">link</a> <img src="cid:logo"></p>'
/** A mail with everything that a message can have. */
export const whole = {
  from: '"Doe, John" <john@example.com>',
  to: 'Jane Doe <jane@example.com>, bob@example.com',
  cc: 'Manager <m@example.com>',
  bcc: 'hidden@example.com',
  replyTo: 'Help <help@example.com>, other@example.com',
  subject: 'Grüße',
  text: 'the text',
  html,
  messageId: '<one@example.com>',
  date: new Date('2026-01-31T14:30:00Z'),
  headers: { 'X-Tags': 'Tag 1, tag2', 'List-Unsubscribe': '<https://example.com/u>, <mailto:u@example.com>' },
  attachments: [
    { filename: 'plain.txt', content: 'an attachment' },
    { filename: 'logo.png', content: png, cid: 'logo', contentDisposition: 'inline' as const },
  ],
}

/** A page of messages. */
export interface Page {
  total: number
  unread: number
  messages_count: number
  messages_unread: number
  count: number
  start: number
  tags: string[]
  messages: { ID: string; Subject: string; Read: boolean; Tags: string[] }[]
}
/** An attachment of a message. */
export interface Part {
  PartID: string
  FileName: string
  ContentType: string
  ContentID: string
  Size: number
  Checksums: Record<string, string>
}

/** Hands in some mails, the last one newest. @returns Their ids in this order. */
export async function submitAll(server: MailpitServer, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const mail = { from: `from-${i}@example.com`, to: `to-${i}@example.com`, text: `This is the body ${i}.` }
    ids.push(await server.submit({ ...mail, subject: `Subject line ${i} end` }))
  }
  return ids
}

export async function list(server: MailpitServer, query = ''): Promise<Page> {
  return (await server.call('GET', `/api/v1/messages${query}`)).json() as Page
}

export async function search(server: MailpitServer, query: string, more = ''): Promise<Page> {
  return (await server.call('GET', `/api/v1/search?query=${encodeURIComponent(query)}${more}`)).json() as Page
}
