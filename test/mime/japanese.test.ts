import { describe, expect, it } from 'vitest'
import { parseMessage } from '../../src/mime/parse.ts'
import { head, lines } from './_structure.ts'

/** A text, and its octets in ISO-2022-JP. A part of some characters is an octet of a quote, a comma or a colon. */
const texts: readonly [text: string, octets: string][] = [
  ['日本語', '\x1b$BF|K\\8l\x1b(B'],
  ['日本', '\x1b$@F|K\\\x1b(J'],
  ['アイ', '\x1b$B%"%$\x1b(B'],
  ['ガ', '\x1b$B%,\x1b(B'],
  ['ｱ', '\x1b(I1\x1b(B'],
]

const body = (type: string, octets: string): ReturnType<typeof parseMessage> =>
  parseMessage(Buffer.from(lines(head(type), 'Content-Transfer-Encoding: 7bit', '', octets)))

describe('Japanese text in ISO-2022-JP that is not declared', () => {
  it.each(
    ['', '; charset=us-ascii', '; charset=x-none', '; charset=iso-2022-jp'].flatMap((charset) =>
      ['text/plain', 'text/html'].map((type) => type + charset),
    ),
  )('is read in a body of %s', (type) => {
    for (const [text, octets] of texts) {
      const read = body(type, `Hello ${octets}!\r\n${octets}`)
      expect([read.text + read.html, read.problem]).toEqual([`Hello ${text}!\n${text}`, null])
    }
  })

  it.each(texts)('is read in fields and names: %s', (text, octets) => {
    const { subject, from, to, headers, attachments } = parseMessage(
      Buffer.from(
        lines(
          `Subject: Hello ${octets}`,
          `From: "${octets}" <a@b.test>`,
          `To: ${octets} <c@d.test>, "${octets}" <e@f.test>`,
          `X-Other: ${octets}`,
          `Content-Type: application/pdf; name="${octets}.pdf"`,
          `Content-Disposition: attachment; filename="${octets}.pdf"`,
          '',
          'x',
        ),
      ),
    )
    expect({ subject, from, to }).toEqual({
      subject: `Hello ${text}`,
      from: [{ name: text, address: 'a@b.test' }],
      to: [
        { name: text, address: 'c@d.test' },
        { name: text, address: 'e@f.test' },
      ],
    })
    expect(new Map(headers).get('X-Other')).toBe(text)
    expect(attachments.map(({ filename }) => filename)).toEqual([`${text}.pdf`])
  })

  it.each([
    ['colours of a terminal', '\x1b[31mred\x1b[0m \x1b(B'],
    ['an escape in the wrong place', '\x1b$B'.padEnd(8, '\x1b$B!')],
    ['octets that no character has', '\x1b$B\x7e\x7e\x1b(B'],
  ])('is not seen in %s', (_, octets) => {
    expect(body('text/plain', octets).text).toBe(octets)
    const { subject } = parseMessage(Buffer.from(lines(`Subject: ${octets}`, '', '')))
    expect(subject).toBe(octets)
  })

  it('is not looked for in a text with another charset', () => {
    const [, octets] = texts[0] ?? ['', '']
    expect(body('text/plain; charset=utf-8', octets).text).toBe(octets)
  })

  it('is read in a header next to lines in UTF-8 and Latin-1', () => {
    const octets = Buffer.concat([
      Buffer.from(`Subject: ${texts[0]?.[1]}\r\nX-A: é\r\nX-B: `),
      Buffer.from('\xe9\r\n\r\n', 'latin1'),
    ])
    const { headers } = parseMessage(octets)
    expect(headers).toEqual([
      ['Subject', '日本語'],
      ['X-A', 'é'],
      ['X-B', 'é'],
    ])
  })
})
