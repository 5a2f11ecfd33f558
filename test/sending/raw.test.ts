import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Localpost, Mail } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'
import { sendWhole } from './_send.ts'

let post: Localpost
let end: () => Promise<void>
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  end = shared.end
})
afterAll(() => end())

const head =
  'From: Acme <hi@acme.test>\r\nTo: Ada <ada@example.com>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n'
const encode = (text: string): string => Buffer.from(text).toString('base64')

async function delivered(message: string, more: object = {}): Promise<{ found: Mail; raw: string }> {
  const { body } = await sendWhole(post, { raw: encode(message), ...more })
  expect(body).toMatchObject({ emails: [{}] })
  const id = body.emails[0]?.id ?? ''
  const found = await vi.waitFor(async () => {
    const one = await post.inbox.get(id)
    expect(one.size_bytes).toBeGreaterThan(0)
    return one
  }, 10_000)
  return { found, raw: await text((await post.inbox.raw(id)).stream) }
}

describe('a raw message', () => {
  it('is sent with its bytes and a signature, without its Bcc', async () => {
    const body = '\r\nHello  \r\nworld\t\r\n\r\n'
    const fields = `${head}Message-ID: <own@acme.test>\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nX-Tags: news\r\n`
    const { found, raw } = await delivered(`${fields}Bcc: Eve <eve@example.com>\r\n${body}`, {
      metadata: { a: '1' },
      tags: ['mine'],
    })
    const end = raw.indexOf('From: Acme')
    expect(raw.slice(end)).toBe(`${fields}${body}`)
    expect(raw.slice(0, end)).toMatch(/^DKIM-Signature: /m)
    expect(found).toMatchObject({
      source: 'api',
      from: 'Acme <hi@acme.test>',
      to: ['ada@example.com'],
      bcc: ['eve@example.com'],
      subject: 'Grüße',
      tags: ['mine', 'news'],
      metadata: { a: '1' },
      dkim: { result: 'pass', domain: 'acme.test' },
      envelope: { mail_from: 'hi@acme.test', rcpt_to: ['ada@example.com', 'eve@example.com'] },
    })
    expect(await post.emails.get(found.id)).toMatchObject({
      text: expect.stringContaining('Hello'),
      html: '',
    })
  })

  it('gets Message-ID, Date and CRLF where it lacks them', async () => {
    const { found, raw } = await delivered(`${head}\r\nHello\r\n`.replaceAll('\r\n', '\n'))
    expect(raw.match(/^Message-ID: .*$/gm)).toEqual([`Message-ID: <${found.id}@acme.test>`])
    expect(raw.match(/^Date: .*$/gm)).toHaveLength(1)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(found.dkim?.result).toBe('pass')
  })

  it('is sent to the envelope of the request', async () => {
    const envelope = { mail_from: 'bounces@mail.acme.test', rcpt_to: ['fay@example.com'] }
    const { found } = await delivered(`${head}\r\nHello`, { envelope })
    expect(found).toMatchObject({ envelope, to: ['ada@example.com'], bcc: ['fay@example.com'] })
  })

  it('has parts and attachments as any other mail, and no tracking', async () => {
    const html = '<p>Hello</p><a href="https://acme.test/">x</a>'
    const parts = [
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n`,
      '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n--b--\r\n',
    ].join('')
    const { found, raw } = await delivered(`${head}MIME-Version: 1.0\r\n${parts}`, {
      tracking: { opens: true, clicks: true },
    })
    expect(found).toMatchObject({ attachment_count: 1, attachments: [{ filename: 'a.csv' }] })
    expect(found.html).toContain('Hello')
    expect(raw).not.toContain('/t/')
  })

  it('may be long', async () => {
    const line = `${'a'.repeat(70)}\r\n`
    const { found } = await delivered(`${head}\r\n${line.repeat(5000)}`)
    expect(found).toMatchObject({ subject: 'Grüße', dkim: { result: 'pass' } })
    expect(found.size_bytes).toBeGreaterThan(360_000)
  })

  it('has a header block alone', async () => {
    expect((await delivered(head)).found).toMatchObject({ subject: 'Grüße', text: '' })
  })

  it.each([
    ['a byte order mark', '\ufeff'],
    ['the line of an mbox file', 'From ada@example.com Thu Jan  1 00:00:00 2026\r\n'],
  ])('loses %s, which would end up amid its fields', async (_, before) => {
    const { found } = await delivered(before + head)
    expect(found).toMatchObject({ subject: 'Grüße', problem: null })
    expect(found.headers.map(([name]) => name)).toContain('From')
  })

  it.each<[string, object, string, RegExp]>([
    ['not base64', { raw: 'ä' }, 'raw', /base64/],
    ['no header', { raw: encode('hello') }, 'raw', /no header/],
    [
      'no sender',
      { raw: encode('To: ada@example.com\r\n\r\n') },
      'raw',
      /From field with one address; it has none/,
    ],
    [
      'two senders',
      { raw: encode('From: a@acme.test, b@acme.test\r\nTo: ada@example.com\r\n\r\n') },
      'raw',
      /several/,
    ],
    ['no recipient', { raw: encode('From: a@acme.test\r\n\r\n') }, 'raw', /no recipient/],
    ['a wrong recipient', { raw: encode(head), envelope: { rcpt_to: ['ada'] } }, 'envelope.rcpt_to', /"@"/],
    ['a wrong sender', { raw: encode(head), envelope: { mail_from: 'ada' } }, 'envelope.mail_from', /"@"/],
    [
      'too many fields',
      { raw: encode(`${head}${'A: b\r\n'.repeat(5000)}\r\n`) },
      'raw',
      /at most 4996 header fields/,
    ],
    ...(['from', 'to', 'subject', 'text', 'html', 'headers', 'attachments'] as const).map(
      (name): [string, object, string, RegExp] => [
        `${name} beside it`,
        { raw: encode(head), [name]: name === 'headers' ? {} : name === 'attachments' ? [] : 'a@acme.test' },
        name,
        /beside raw/,
      ],
    ),
  ])('is refused with %s', async (_, request, field, message) => {
    const { status, body } = await sendWhole(post, request)
    expect(status).toBe(422)
    expect(body.errors).toEqual([{ field, message: expect.stringMatching(message) }])
  })
})
