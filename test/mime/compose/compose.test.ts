import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { describe, expect, it } from 'vitest'
import { composeMessage } from '../../../src/mime/compose/compose.ts'
import { bytesOf, expectSmtpLines, parseWithContents, plain } from '../_message.ts'

describe('composeMessage', () => {
  const bodies: Record<string, [html: string, text: string]> = {
    'text alone': ['', 'Hello\n\nAda'],
    'html alone': ['<p>Hello</p>', ''],
    both: ['<p>Hello</p>\n<p>Ada</p>', 'Hello\nAda'],
    neither: ['', ''],
    'non-Latin text': ['<p>こんにちは、世界</p>', 'Привет, мир\nЗдравствуй'],
    'long lines': [`<p>${'x'.repeat(5000)}</p>`, 'word '.repeat(1000)],
    'trailing spaces and tabs': ['<p>a  \n\tb </p> ', '-- \nsignature \t\n  indented'],
    'lines of dots': ['.\n..\n.a', '.\n.\n..'],
    'lines that begin with From': ['From here\nFrom there', 'From here\n>From there'],
    'equals signs and encoded-word look-alikes': [
      '<a href="?a=3D&b==?utf-8?Q?x?=">=</a>',
      '=20 =?utf-8?Q?x?= =',
    ],
    'emoji and surrogate pairs': ['<b>👩‍👩‍👧‍👦</b>', '🎉'.repeat(300)],
    'a boundary look-alike': ['----_NmP-1\n--', '--\n----_NmP-x--\n--'],
    'blank lines at both ends': ['\n\n<p></p>\n\n', '\n\nHello\n\n'],
  }
  it.each(Object.entries(bodies))('can be read back unchanged: %s', async (_, [html, text]) => {
    for (const attachments of [
      [],
      [{ filename: 'a.txt', content_type: 'text/plain', content: Buffer.from('a') }],
    ]) {
      const bytes = await bytesOf(composeMessage({ ...plain, html, text, attachments }))
      expectSmtpLines(bytes)
      const parsed = await parseWithContents(bytes)
      const trim = (body: string): string => body.replace(/\n$/, '')
      expect(parsed.problem).toBeNull()
      expect(trim(parsed.html)).toBe(trim(html))
      expect(trim(parsed.text)).toBe(trim(text))
    }
  })

  const subjects = {
    Latin: 'Grüße aus Köln',
    'non-Latin': 'あ'.repeat(200),
    'long without spaces': 'x'.repeat(3000),
    'long with spaces': 'word '.repeat(500).trim(),
    'an encoded-word look-alike': '=?utf-8?Q?x?= and =?',
    emoji: '👩‍👩‍👧‍👦'.repeat(50),
  }
  it.each(Object.entries(subjects))('keeps a subject that is %s', async (_, subject) => {
    const bytes = await bytesOf(composeMessage({ ...plain, subject }))
    expectSmtpLines(bytes)
    expect((await parseWithContents(bytes)).subject).toBe(subject)
  })

  it('writes the given address fields, Message-ID and date', async () => {
    const bytes = await bytesOf(
      composeMessage({
        ...plain,
        from: '"Ärger, Jörg" <j@müller.example>',
        to: 'Ada <ada@example.com>, "b@x"@example.com',
        cc: 'jörg@example.com',
        reply_to: 'Help <help@acme.com>',
      }),
    )
    expectSmtpLines(bytes)
    const parsed = await parseWithContents(bytes)
    expect(parsed.from).toEqual([{ name: 'Ärger, Jörg', address: `j@${domainToASCII('müller.example')}` }])
    expect(parsed.to).toEqual([
      { name: 'Ada', address: 'ada@example.com' },
      { name: '', address: '"b@x"@example.com' },
    ])
    expect(parsed.cc).toEqual([{ name: '', address: 'jörg@example.com' }])
    expect(parsed.reply_to).toEqual([{ name: 'Help', address: 'help@acme.com' }])
    const headers = new Map(parsed.headers)
    expect(headers.get('Message-ID')).toBe('<1@acme.com>')
    expect(headers.get('Date')).toBe('Fri, 02 Jan 2026 03:04:05 +0000')
  })

  it('accepts further header fields, without line breaks, and never a Bcc', async () => {
    const headers = {
      'List-Unsubscribe': '<https://acme.com/u>',
      'X-Tags': 'a\r\nBcc: eve@example.com',
      BCC: 'eve@example.com',
    }
    const bytes = await bytesOf(
      composeMessage({
        ...plain,
        subject: 'Hi\r\nBcc: eve@example.com',
        from: 'Acme\r\nBcc: eve@example.com <hi@acme.com>',
        headers,
      }),
    )
    const parsed = await parseWithContents(bytes)
    const names = parsed.headers.map(([name]) => name.toLowerCase())
    expect(names).not.toContain('bcc')
    expect(names).toEqual(expect.arrayContaining(['list-unsubscribe', 'x-tags']))
  })

  it('carries attachments byte for byte, with names of any script', async () => {
    const contents = [
      Buffer.from([0, 255, 13, 10, 10, 13]),
      Buffer.alloc(0),
      Buffer.from('a\n.\n'),
      Buffer.from('From: a@b\r\n\r\nHello\r\n'),
      Buffer.from('From: a@b\n\nbare'),
      Buffer.from('x'),
    ]
    const names = ['ü \'"%.bin', 'пустой.txt', 'lines.txt', 'mail.eml', 'bare.eml', 'fake']
    const types = [
      null,
      'text/plain',
      'text/html; charset=utf-8',
      'message/rfc822',
      'message/rfc822',
      'multipart/mixed; boundary=x',
    ]
    const attachments = contents.map((content, i) => ({
      filename: names[i] ?? '',
      content_type: types[i],
      content,
    }))
    const bytes = await bytesOf(composeMessage({ ...plain, html: '<p>x</p>', attachments }))
    expectSmtpLines(bytes)
    const parsed = await parseWithContents(bytes)
    expect(parsed.attachments.map(({ filename }) => filename)).toEqual(names)
    expect(parsed.attachments.map(({ content }) => content.toString('hex'))).toEqual(
      contents.map((content) => content.toString('hex')),
    )
    expect(parsed.attachments.map(({ content_type }) => content_type)).toEqual([
      'application/octet-stream',
      'text/plain',
      'text/html',
      'message/rfc822',
      'application/octet-stream',
      'application/octet-stream',
    ])
    for (const { disposition } of parsed.attachments) expect(disposition).toBe('attachment')
    expect(parsed.attachments[0]).toMatchObject({
      index: 0,
      size_bytes: 6,
      disposition: 'attachment',
      content_id: null,
      sha256: createHash('sha256')
        .update(contents[0] as Buffer)
        .digest('hex'),
    })
  })

  it('carries a large embedded message unchanged', async () => {
    const content = Buffer.from(`Subject: In\r\n\r\n${'0123456789\r\n'.repeat(20_000)}`)
    const input = { ...plain, attachments: [{ filename: 'in.eml', content_type: 'message/rfc822', content }] }
    const bytes = await bytesOf(composeMessage(input))
    expectSmtpLines(bytes)
    const [attachment] = (await parseWithContents(bytes)).attachments
    expect(attachment?.content_type).toBe('message/rfc822')
    expect(attachment?.content.toString().trimEnd()).toBe(content.toString().trimEnd())
  })

  it('never writes a header field from an attachment', async () => {
    const filename = 'a\r\nBcc: eve@example.com\r\n\r\nx'
    const input = {
      ...plain,
      attachments: [{ filename, content_type: 'text/plain\r\nBcc: a@b', content: Buffer.from('x') }],
    }
    const bytes = await bytesOf(composeMessage(input))
    expect(bytes.toString()).not.toMatch(/^bcc:/im)
    expect((await parseWithContents(bytes)).attachments).toMatchObject([{ content: Buffer.from('x') }])
  })

  it('reads no file and no URL', async () => {
    const bytes = await bytesOf(
      composeMessage({
        ...plain,
        text: 'file:///etc/passwd',
        attachments: [{ filename: '/etc/passwd', content: Buffer.from('mine') }],
      }),
    )
    const parsed = await parseWithContents(bytes)
    expect(parsed.attachments[0]?.content.toString()).toBe('mine')
  })

  it('keeps a large message in pieces', async () => {
    const content = Buffer.alloc(8 * 1024 * 1024, 'abc')
    const composed = await composeMessage({ ...plain, attachments: [{ filename: 'a.bin', content }] })
    expect(composed.parts.length).toBeGreaterThan(1)
    const parsed = await parseWithContents(Buffer.concat(composed.parts))
    expect(parsed.attachments[0]?.content.equals(content)).toBe(true)
  })
})
