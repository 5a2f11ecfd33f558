import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseAddresses } from '../../src/mime/headers/addresses.ts'
import { sendingMembers } from '../../src/sending/schema.ts'
import type { SendingRequest } from '../../src/sending/types.ts'
import type { Localpost, Mail } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'
import { sendWhole, type Answered } from './_send.ts'

let post: Localpost
let end: () => Promise<void>
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  end = shared.end
})
afterAll(() => end())

const mail: SendingRequest = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hello',
}
const send = (body: unknown, key?: string): Promise<Answered> => sendWhole(post, body, key)

/** Sends one mail and waits until it is delivered. */
async function delivered(more: Partial<SendingRequest>, base: SendingRequest = mail): Promise<Mail> {
  const { status, body } = await send({ ...base, ...more })
  expect(body).toMatchObject({ emails: [{ warnings: expect.any(Array) }] })
  expect(status).toBe(200)
  const { id } = body.emails[0]
  return vi.waitFor(async () => {
    const found = await post.inbox.get(id)
    expect(found.size_bytes).toBeGreaterThan(0)
    return found
  }, 10_000)
}

const headerOf = (found: Mail, name: string): string | undefined =>
  found.headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]

describe('the members of a whole request', () => {
  it('take several addresses with display names in each field, and lists in each text', async () => {
    const found = await delivered({
      to: ['Ada <ada@example.com>, bob@example.com', '"C, D" <cd@example.com>'],
      cc: 'Eve <eve@example.com>',
      bcc: ['Fay <fay@example.com>', 'ada@example.com'],
      reply_to: ['Help <help@acme.test>', 'a@acme.test, b@acme.test'],
    })
    expect(found).toMatchObject({
      to: ['ada@example.com', 'bob@example.com', 'cd@example.com'],
      to_names: ['Ada', '', 'C, D'],
      cc: ['eve@example.com'],
      bcc: ['fay@example.com', 'ada@example.com'],
      reply_to: 'Help <help@acme.test>, a@acme.test, b@acme.test',
    })
    expect(found.envelope.rcpt_to).toHaveLength(5)
    expect(parseAddresses(headerOf(found, 'reply-to') ?? '')).toEqual([
      { name: 'Help', address: 'help@acme.test' },
      { name: '', address: 'a@acme.test' },
      { name: '', address: 'b@acme.test' },
    ])
    expect(headerOf(found, 'bcc')).toBeUndefined()
  })

  it('add header fields, with any text and any length of a list', async () => {
    const references = Array.from({ length: 40 }, (_, i) => `<message-${i}@mail.acme.test>`).join(' ')
    const found = await delivered({
      headers: { 'X-Order': 'Größe 17', References: references, 'List-Unsubscribe': '<https://acme.test/u>' },
    })
    expect(headerOf(found, 'x-order')).toBe('Größe 17')
    expect(headerOf(found, 'references')).toBe(references)
    expect(headerOf(found, 'list-unsubscribe')).toBe('<https://acme.test/u>')
  })

  it('attach bytes, and show those with a content id in the HTML', async () => {
    const bytes = Buffer.from([0, 1, 2, 255])
    const found = await delivered({
      html: '<img src="cid:logo@acme">',
      attachments: [
        { name: 'notes.txt', content: Buffer.from('Grüße').toString('base64') },
        { name: 'logo.png', content: bytes.toString('base64'), content_id: 'logo@acme' },
        { filename: 'other.bin', path: `data:;base64,${bytes.toString('base64')}`, content_id: 'other@acme' },
        { name: 'empty.bin', content: '' },
      ],
    })
    const parts = found.attachments.map(({ filename, content_type, content_id, disposition, size_bytes }) => [
      filename,
      content_type,
      content_id,
      disposition,
      size_bytes,
    ])
    expect(parts).toHaveLength(4)
    expect(parts).toEqual(
      expect.arrayContaining([
        ['notes.txt', 'text/plain', null, 'attachment', 7],
        ['logo.png', 'image/png', 'logo@acme', 'inline', 4],
        ['other.bin', 'application/octet-stream', 'other@acme', 'inline', 4],
        ['empty.bin', 'application/octet-stream', null, 'attachment', 0],
      ]),
    )
    const { content } = await post.inbox.attachment(
      found.id,
      found.attachments.findIndex((one) => one.content_id === 'logo@acme'),
    )
    expect(Buffer.from(content)).toEqual(bytes)
  })

  it('keep metadata and the id of a provider with the email, which only the inbox shows', async () => {
    const provider = { name: 'acme', message_id: '<1@acme.test>' }
    const metadata = { order: '17', 'user id': 'ü' }
    const found = await delivered({
      metadata,
      provider,
      tags: ['welcome', 'a,b'],
      to: 'ada+plus@example.com',
    })
    expect(found).toMatchObject({ metadata, provider, tags: ['welcome', 'a b', 'plus'] })
    const shown = await post.emails.get(found.id)
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['metadata']))
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['provider']))
  })

  it('track as the request says, whatever the domain says', async () => {
    const html = '<a href="https://acme.test/">x</a>'
    const { id } = await post.domains.create({ name: 'tracked.test' })
    await post.domains.verify(id, { status: 'SUCCESS' })
    await post.domains.update(id, { open_tracking_enabled: true, click_tracking_enabled: true })
    const base = { ...mail, from: 'hi@tracked.test', html }
    const isTracked = async (more: Partial<SendingRequest>): Promise<[boolean, boolean]> => {
      const { stream } = await post.inbox.raw((await delivered(more, base)).id)
      const written = (await text(stream)).replaceAll('=\r\n', '')
      return [written.includes('/t/o/'), written.includes('/t/c/')]
    }
    expect(await isTracked({})).toEqual([true, true])
    expect(await isTracked({ tracking: { opens: false } })).toEqual([false, true])
    expect(await isTracked({ tracking: { opens: false, clicks: false } })).toEqual([false, false])
    expect(await isTracked({ from: 'hi@plain.test', tracking: { clicks: true } })).toEqual([false, true])
  })

  it('render a stored template with variables', async () => {
    await post.templates.put('welcome', { subject: 'Hi {{name}}', text: 'Hello {{name}}', html: null })
    const { subject: _, text: __, ...bare } = mail
    const found = await delivered({ template_id: 'welcome', variables: { name: 'Ada' } }, bare)
    expect(found).toMatchObject({ subject: 'Hi Ada', text: 'Hello Ada' })
  })
})

describe('what is wrong in a whole request', () => {
  // A value of the wrong kind for each member, from the schema: a new member is tested too.
  const wrong: [string, unknown][] = Object.entries(sendingMembers).flatMap(([name, schema]) =>
    [17.5, true, '', [], {}, [null], { a: 1 }, 'x\r\nBcc: eve@example.com']
      .filter((value) => !schema.safeParse(value).success)
      .slice(0, 3)
      .map((value): [string, unknown] => [name, value]),
  )

  it.each(wrong)('is named: %s as %j', async (name, value) => {
    const { status, body } = await send({ ...mail, [name]: value })
    expect(status).toBe(422)
    expect(body.errors.map(({ field }: { field: string }) => field.split(/[.[]/)[0])).toContain(name)
  })

  it('has a case for each member', () => {
    expect(new Set(wrong.map(([name]) => name))).toEqual(new Set(Object.keys(sendingMembers)))
  })

  const attachment = { name: 'a.txt', content: 'QQ==' }
  it.each<[Record<string, unknown>, string, RegExp]>([
    [{ from: undefined }, 'from', /missing/],
    [{ to: undefined }, 'to', /missing/],
    [{ to: 'ada' }, 'to', /has none/],
    [{ reply_to: ['a@acme.test', 'nobody'] }, 'reply_to', /has none/],
    [{ subject: 'a\r\nBcc: eve@example.com' }, 'subject', /line break/],
    [{ headers: { 'X-A': 'a\r\nBcc: eve@example.com' } }, 'headers.X-A', /line break/],
    [{ headers: { 'X-A': '' } }, 'headers.X-A', /empty/],
    [{ headers: { 'X-A': 'x'.repeat(901) } }, 'headers.X-A', /900 characters/],
    [{ headers: { 'X A': 'a' } }, 'headers["X A"]', /visible ASCII/],
    [{ headers: { 'X-A:': 'a' } }, 'headers["X-A:"]', /colon/],
    [{ headers: { 'x-a': 'a', 'X-A': 'b' } }, 'headers.X-A', /twice/],
    [JSON.parse('{ "headers": { "__proto__": "a" } }') as Record<string, unknown>, 'headers', /__proto__/],
    [JSON.parse('{ "metadata": { "__proto__": "a" } }') as Record<string, unknown>, 'metadata', /__proto__/],
    [{ metadata: { 'a\n': 'b' } }, 'metadata', /control/],
    [{ metadata: { a: 'x'.repeat(40_000) } }, 'metadata', /characters together/],
    [
      { metadata: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`n${i}`, ''])) },
      'metadata',
      /100 names/,
    ],
    [{ attachments: [{ ...attachment, content: 'ä' }] }, 'attachments[0].content', /base64/],
    [{ attachments: [{ ...attachment, name: '../a' }] }, 'attachments[0].name', /separator/],
    [{ attachments: [{ ...attachment, path: 'x' }] }, 'attachments[0]', /unknown members: path/],
    [{ attachments: [{ ...attachment, content_id: '<a>' }] }, 'attachments[0].content_id', /angle brackets/],
    [
      {
        attachments: [
          { ...attachment, content_id: 'a' },
          { ...attachment, content_id: 'a' },
        ],
      },
      'attachments[1].content_id',
      /earlier/,
    ],
    [{ envelope: { mail_from: 'a@acme.test' } }, 'envelope', /raw/],
    [{ send_at: 'tomorrow' }, 'send_at', /./],
    [{ provider: { name: 'Acme', message_id: '1' } }, 'provider.name', /lower-case/],
    [{ colour: 'red' }, 'body', /unknown members: colour/],
    [{ tracking: { pixels: true } }, 'tracking', /unknown members: pixels/],
  ])('is named: %j', async (more, field, message) => {
    const { status, body } = await send({ ...mail, ...more })
    expect({ status, fields: body.errors?.map((one: { field: string }) => one.field) }).toEqual({
      status: 422,
      fields: [field],
    })
    expect(body.errors[0].message).toMatch(message)
  })

  it.each([
    'From',
    'to',
    'CC',
    'Bcc',
    'Reply-To',
    'Subject',
    'Date',
    'Message-ID',
    'MIME-Version',
    'Content-Type',
    'DKIM-Signature',
    'Return-Path',
    'Received',
  ])('is a header field that is written here: %s', async (name) => {
    const { status, body } = await send({ ...mail, headers: { [name]: 'x@acme.test' } })
    expect(status).toBe(422)
    expect(body.message).toContain('is written by Localpost')
  })
})
