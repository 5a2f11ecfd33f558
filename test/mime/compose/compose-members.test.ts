import { expect, it } from 'vitest'
import { composeMessage } from '../../../src/mime/compose/compose.ts'
import type { MessageInput } from '../../../src/mime/compose/message-input.ts'

/** Every member with a unique value; the compiler requires each new one. */
const input: Required<MessageInput> = {
  from: 'from@acme.test',
  to: 'to@acme.test',
  cc: 'cc@acme.test',
  reply_to: 'reply@acme.test',
  subject: 'A-subject',
  html: '<p>some-html</p>',
  text: 'some-text',
  attachments: [{ filename: 'a-file.txt', content: Buffer.from('bytes') }],
  message_id: '<an-id@acme.test>',
  date: new Date('2031-02-03T04:05:06Z'),
  headers: { 'X-Further': 'a-header' },
}

/** The expected line for each of them. */
const written: { readonly [Member in keyof MessageInput]-?: string } = {
  from: 'From: from@acme.test',
  to: 'To: to@acme.test',
  cc: 'Cc: cc@acme.test',
  reply_to: 'Reply-To: reply@acme.test',
  subject: 'Subject: A-subject',
  html: '<p>some-html</p>',
  text: 'some-text',
  attachments: 'filename=a-file.txt',
  message_id: 'Message-ID: <an-id@acme.test>',
  date: 'Date: Mon, 03 Feb 2031 04:05:06 +0000',
  headers: 'X-Further: a-header',
}

it.each(Object.entries(written))('%s is in the message', async (_, line) => {
  const { parts } = await composeMessage(input)
  expect(Buffer.concat(parts).toString()).toContain(line)
})
