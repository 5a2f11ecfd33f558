import { describe, expect, it } from 'vitest'
import { readHeaderFacts } from '../../src/emails/header-facts.ts'
import { answeredConversation, begunConversation } from '../../src/emails/conversation.ts'
import { sendWhole } from '../sending/_send.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const root = begunConversation('<root@acme.test>')
const envelope = { mail_from: 'ada@acme.test', rcpt_to: ['bob@acme.test'] }
const threadOf = (...lines: string[]): string | undefined =>
  readHeaderFacts(Buffer.from(['Subject: x', ...lines, '', 'text'].join('\r\n')), envelope).thread

it.each([
  [
    'the first message of References',
    ['References: <root@acme.test> <b@acme.test>', 'In-Reply-To: <b@acme.test>'],
  ],
  ['References over several lines', ['References:', ' <root@acme.test>', '\t<b@acme.test>']],
  ['In-Reply-To alone', ['In-Reply-To: <root@acme.test>']],
  ['In-Reply-To with words before the id', ['In-Reply-To: Your message of "Monday" <root@acme.test>']],
  ['In-Reply-To where References has no id', ['References: none', 'In-Reply-To: <root@acme.test>']],
])('a conversation is that of %s', (_, lines) => {
  expect(threadOf(...lines)).toBe(root)
})

it('a header that names no other message is no answer', () => {
  for (const lines of [
    [],
    ['References:'],
    ['References: <>', 'In-Reply-To: <'],
    ['Message-ID: <root@acme.test>'],
    ['Message-ID: <root@acme.test>', 'References: <root@acme.test>', 'In-Reply-To: <root@acme.test>'],
  ])
    expect(threadOf(...lines)).toBe(undefined)
})

it('a header of any length and form is read, and gives a short key', () => {
  const long = 'x'.repeat(100_000)
  for (const references of [
    long,
    `<${long}`,
    `<${long}>`,
    '<'.repeat(100_000),
    '<a@b.test> '.repeat(9000),
    '>'.repeat(100_000),
  ])
    expect(answeredConversation({ references, inReplyTo: '' })?.length ?? 14).toBe(14)
  expect(answeredConversation({ references: `<${long}a>`, inReplyTo: '' })).toBe(
    begunConversation(`<${long}b>`),
  )
  expect(begunConversation('')).toBe(undefined)
  expect(begunConversation('without-brackets@acme.test')).toBe(
    begunConversation('<without-brackets@acme.test>'),
  )
})

it('keys of 100,000 ids differ', () => {
  const ids = Array.from({ length: 100_000 }, (_, at) => `<${at.toString(36)}.17@mailer.acme.test>`)
  expect(new Set(ids.map(begunConversation)).size).toBe(ids.length)
})

describe('the inbox says which conversation a mail belongs to', () => {
  it('for submissions, raw messages, and sends with header fields', async () => {
    const post = await start()
    await submit(post, { subject: 'Root', messageId: '<root@acme.test>', text: 'x' })
    await submit(post, { subject: 'Answer', inReplyTo: '<root@acme.test>', text: 'x' })
    const raw = [
      'From: a@acme.test',
      'To: b@acme.test',
      'Subject: Raw',
      'References: <root@acme.test>',
      '',
      'x',
    ].join('\r\n')
    const member = { from: 'a@acme.test', to: 'b@acme.test', text: 'x' }
    await sendWhole(post, { raw: Buffer.from(raw).toString('base64') })
    await sendWhole(post, { ...member, subject: 'Fields', headers: { 'in-reply-to': '<root@acme.test>' } })
    const { id } = await post.emails.send({ ...member, subject: 'Apart' })
    await expect.poll(async () => (await post.inbox.get(id)).size_bytes).toBeGreaterThan(0)
    const { items } = await post.inbox.list()
    const found = Object.fromEntries(
      items.map(({ subject, thread, is_answer }) => [subject, [thread, is_answer]]),
    )
    expect(found).toEqual({
      Root: [root, false],
      Answer: [root, true],
      Raw: [root, true],
      Fields: [root, true],
      Apart: [expect.stringMatching(/^[\da-z]{14}$/), false],
    })
    expect(found['Apart']?.[0]).not.toBe(root)
  })
})
