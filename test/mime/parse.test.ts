import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseMessage } from '../../src/mime/parse.ts'
import { parseWithContents } from './_message.ts'

const parse = (name: string): ReturnType<typeof parseWithContents> =>
  parseWithContents(readFileSync(new URL(`../fixtures/${name}.eml`, import.meta.url)))

describe('parseMessage', () => {
  it('reads both forms of a multipart/alternative', async () => {
    expect(await parse('alternative')).toMatchObject({
      from: [{ name: 'Acme', address: 'hi@acme.com' }],
      to: [{ name: 'Ada', address: 'ada@example.com' }],
      subject: 'Two forms',
      text: 'Grüße, Ada and all',
      html: '<p>Grüße, <b>Ada</b></p>',
      attachments: [],
      problem: null,
    })
  })

  it('keeps cid: URLs and gives the picture as an inline attachment', async () => {
    const { html, attachments } = await parse('related-cid')
    expect(html).toBe('<p>Look: <img src="cid:logo@acme.com"></p>')
    expect(attachments).toMatchObject([
      {
        index: 0,
        filename: 'logo.png',
        content_type: 'image/png',
        content_id: 'logo@acme.com',
        disposition: 'inline',
        size_bytes: 8,
      },
    ])
  })

  it('reads a file name in RFC 2231 pieces', async () => {
    const { attachments, text } = await parse('rfc2231-filename')
    expect(text).toBe('See the file.')
    expect(attachments).toMatchObject([
      {
        filename: 'отчёт 2026.pdf',
        content_type: 'application/pdf',
        disposition: 'attachment',
        content_id: null,
        content: Buffer.from('%PDF-'),
      },
    ])
  })

  it('reads ISO-2022-JP in subject and body', async () => {
    expect(await parse('iso-2022-jp')).toMatchObject({ subject: 'お知らせ', text: 'こんにちは\n' })
  })

  it('joins the lines of format=flowed', async () => {
    expect((await parse('format-flowed')).text).toBe(
      'This is one long line of text.\n\n>From here a space was stuffed.\n-- \nSignature\n',
    )
  })

  it('shows the source where no part can be found', async () => {
    const { text, html, attachments, subject, problem } = await parse('broken-boundary')
    expect(subject).toBe('Broken')
    expect(text).toContain('You can still read this.')
    expect([html, attachments]).toEqual(['', []])
    expect(problem).toContain('boundary')
  })

  it('gives the readable part of a message that was cut off', async () => {
    expect(await parse('unclosed-boundary')).toMatchObject({
      text: 'The first part.',
      attachments: [{ filename: 'a.zip', content: Buffer.from([0x50, 0x4b, 3, 4]) }],
    })
  })

  it('accepts a body without header fields, and header fields without a body', async () => {
    expect(await parse('no-headers')).toMatchObject({
      headers: [],
      from: [],
      subject: '',
      text: 'Only a body.\n',
      problem: null,
    })
    expect(await parse('only-headers')).toMatchObject({
      subject: 'Nothing else',
      text: '',
      html: '',
      problem: null,
    })
    expect(parseMessage(Buffer.alloc(0))).toMatchObject({
      headers: [],
      text: '',
      html: '',
      attachments: [],
    })
  })

  it('gives an embedded message and a delivery report as attachments', async () => {
    const forwarded = await parse('nested-message')
    expect(forwarded.text).toBe('See below.')
    expect(forwarded.attachments).toMatchObject([
      { filename: 'lunch.eml', content_type: 'message/rfc822', disposition: 'inline' },
    ])
    expect(forwarded.attachments[0]?.content.toString()).toContain('At noon?')
    const report = await parse('delivery-report')
    expect(report.text).toBe('It did not arrive.')
    expect(report.attachments).toMatchObject([{ content_type: 'message/delivery-status', filename: null }])
  })

  it('finds the text at the bottom of sixty multiparts', async () => {
    expect(await parse('deep-nesting')).toMatchObject({ text: 'At the bottom.', problem: null })
  })

  it('makes file names harmless', async () => {
    const { attachments } = await parse('path-traversal')
    expect(attachments.map(({ filename }) => filename)).toEqual([
      'passwd',
      'evil.exe',
      'invoicefdp.exe',
      null,
    ])
  })

  it('reads 8-bit Latin-1 in header and body, and UTF-8 beside it', async () => {
    const parsed = await parse('latin1-8bit')
    expect(parsed).toMatchObject({ subject: 'Grüße', text: 'Schöne Grüße\n' })
    expect(new Map(parsed.headers).get('X-Other')).toBe('ü')
  })

  it('adds a footer to the HTML before it', async () => {
    expect(await parse('mailing-list')).toMatchObject({
      html: '<p>Hello list</p>\n<p>To leave the list, write to leave@example.com</p>',
      text: 'To leave the list, write to leave@example.com',
    })
  })

  it('gives the header fields in order, decoded', async () => {
    const source = 'B: 1\r\na: =?utf-8?Q?=C3=BC?=\r\nB: 2\r\n folded\r\n\r\n'
    expect(parseMessage(Buffer.from(source)).headers).toEqual([
      ['B', '1'],
      ['a', 'ü'],
      ['B', '2 folded'],
    ])
  })
})
