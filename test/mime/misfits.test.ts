import { encode } from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decodeText } from '../../src/mime/headers/charset.ts'
import { parseMessage } from '../../src/mime/parse.ts'
import { sliceBytes } from '../../src/mime/slices.ts'
import { head, lines, mixed } from './_structure.ts'

const message = (type: string, body: Buffer, encoding = '8bit'): Buffer =>
  Buffer.concat([Buffer.from(lines(head(type), `Content-Transfer-Encoding: ${encoding}`, '', '')), body])
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Octets that do not fit a charset, and how many they are. */
const unfit: readonly [charset: string, octets: Buffer, count: number][] = [
  ['utf-8', latin1('M\xfcnchen'), 1],
  ['UTF8', latin1('Gr\xfc\xdfe'), 2],
  ['utf-8', latin1('\xe2\x82'), 2],
  ['utf-8', latin1('\xe2\x82\xac\xe2\x82'), 2],
  ['utf-8', latin1('\xef\xbf\xbd \xff'), 1],
  ['utf-8', latin1('\xc0\xaf'), 2],
  ['utf-8', latin1('\xed\xa0\x80'), 3],
  ['us-ascii', Buffer.from('é'), 2],
  ['ascii', latin1('\xe9'), 1],
  ['utf-16be', Buffer.from('0041d800', 'hex'), 2],
  ['utf-16le', Buffer.from('410041', 'hex'), 1],
  ['utf-32le', Buffer.from('4100000042', 'hex'), 1],
  ['iso-2022-jp', Buffer.from('日本'), 6],
  ...[
    'shift_jis euc-kr euc-jp gbk gb18030 big5 iso-8859-1 iso-8859-15 windows-1251 windows-1252 koi8-r'.split(
      ' ',
    ),
  ].flatMap((names) => names.map((name): [string, Buffer, number] => [name, Buffer.from('日本語の'), -1])),
]

/** What fits, in each of the ways that text is decoded. */
const fit: readonly [charset: string, text: string][] = [
  ['utf-8', 'Grüße 日本 🎉 \ufffd'],
  ['us-ascii', 'Hello'],
  ['utf-16be', '日本 🎉 \ufffd'],
  ['utf-16le', '日本 🎉 \ufffd'],
  ['utf-32le', '日本 🎉'],
  ['utf-7', 'Grüße'],
  ['iso-2022-jp', '日本'],
  ['shift_jis', '日本語'],
  ['euc-jp', '日本語'],
  ['euc-kr', '한국어'],
  ['gbk', '中文'],
  ['gb18030', '中文 㐀'],
  ['big5', '中文'],
  ['iso-8859-1', 'Grüße'],
  ['windows-1252', 'Grüße – €'],
  ['windows-1251', 'Привет'],
  ['koi8-r', 'Привет'],
  ['unknown-8bit', 'Grüße'],
  // Its octets are valid UTF-8.
  ['gbk', 'Code 模'],
]

const inCharset = (charset: string, text: string): Buffer =>
  charset === 'iso-2022-jp'
    ? Buffer.from('\x1b$BF|K\\\x1b(B')
    : charset === 'unknown-8bit'
      ? latin1(text)
      : encode(text, charset, { addBOM: false })

describe('octets that do not fit the charset', () => {
  it.each(unfit.map(([charset, octets, count]) => [charset, octets.toString('hex'), count] as const))(
    '%s with %s are shown as before, and counted',
    (charset, digits, count) => {
      const octets = Buffer.from(digits, 'hex')
      for (const kind of ['plain', 'html']) {
        const { text, html, problem } = parseMessage(message(`text/${kind}; charset=${charset}`, octets))
        expect(text + html).toBe(decodeText(octets, charset))
        const said = new RegExp(
          `^The (?:text|HTML) has (\\d+) octets? that do(?:es)? not fit its charset ${charset}(?:: they are UTF-8)?\\.$`,
          'i',
        ).exec(problem ?? '')
        expect(said, String(problem)).not.toBeNull()
        if (count !== -1) expect(Number(said?.[1])).toBe(count)
      }
    },
  )

  it('are counted in a long text, in each part of a body, and in quoted-printable and base64', () => {
    const long = Buffer.concat([Buffer.alloc(3 * sliceBytes, 'a'), latin1('\xfc')])
    expect(parseMessage(message('text/plain; charset=utf-8', long)).problem).toContain('has 1 octet that')
    const parts = ['--b', 'Content-Type: text/plain; charset=utf-8', '', 'a', '--b']
    const two = mixed(...parts, 'Content-Type: text/plain; charset=utf-8', '', '\xfc', '--b--')
    expect(parseMessage(latin1(two)).problem).toBe(
      'The text has 1 octet that does not fit its charset utf-8.',
    )
    for (const [encoding, body] of [
      ['quoted-printable', 'M=FCnchen'],
      ['base64', latin1('M\xfcnchen').toString('base64')],
    ] as const) {
      const { problem } = parseMessage(message('text/plain; charset=utf-8', Buffer.from(body), encoding))
      expect(problem).toBe('The text has 1 octet that does not fit its charset utf-8.')
    }
  })

  it('are not looked for where no charset is declared', () => {
    expect(parseMessage(message('text/plain', latin1('M\xfcnchen')))).toMatchObject({
      text: 'München',
      problem: null,
    })
  })

  it('are said of a charset that is unknown', () => {
    const unknown = message('text/plain; charset=x-none', latin1('M\xfcnchen'))
    expect(parseMessage(unknown)).toMatchObject({
      text: 'München',
      problem: 'The text has the charset x-none, which is unknown; it is read as windows-1252.',
    })
    expect(parseMessage(message('text/plain; charset=x-none', Buffer.from('Hello'))).problem).toBeNull()
  })

  it.each(fit)('are none in %s (%s)', (charset, text) => {
    const octets = inCharset(charset, text)
    const read = parseMessage(message(`text/plain; charset=${charset}`, octets))
    expect(read).toMatchObject({ text, problem: null })
    const encoded = Buffer.from(octets.toString('base64'))
    expect(parseMessage(message(`text/plain; charset=${charset}`, encoded, 'base64'))).toMatchObject({
      text,
      problem: null,
    })
  })

  it('are said of a field with encoded words', () => {
    const read = (subject: string): string | null =>
      parseMessage(Buffer.from(`Subject: ${subject}\r\nTo: =?utf-8?Q?M=FC?= <a@b.test>\r\n\r\n`)).problem
    expect(read('=?utf-8?Q?M=FCnchen?=')).toBe(
      'A field has octets that do not fit their charset: Subject, To.',
    )
    expect(read('=?utf-8?Q?M=C3=BC?=')).toBe('A field has octets that do not fit their charset: To.')
  })
})

describe('octets that are not of the transfer encoding', () => {
  it.each([
    ['base64', 'SGVs!bG8*', 'Hello', 'has 2 octets that are not base64 and are left out'],
    ['base64', 'SGVsbG8hQ', 'Hello!', 'has 1 octet that is not base64 and is left out'],
    ['quoted-printable', 'a=ZZ', 'a=ZZ', 'has 1 octet that is not quoted-printable and is shown as it is'],
    ['x-uuencode', 'plain', 'plain', 'has 5 octets that are not uuencode and are shown as they are'],
  ])('%s: %s is shown as %s', (encoding, body, text, said) => {
    expect(parseMessage(message('text/plain', Buffer.from(body), encoding))).toMatchObject({
      text,
      problem: `The text ${said}.`,
    })
  })

  it('are said of attachments too, of ten by name', () => {
    const files = Array.from({ length: 12 }, (_, i) =>
      lines('--b', `Content-Type: a/b; name=${i}`, 'Content-Transfer-Encoding: base64', '', 'AA!AA'),
    )
    const { attachments, problem } = parseMessage(Buffer.from(mixed(...files, '--b--')))
    expect(attachments.map(({ size_bytes }) => size_bytes)).toEqual(Array.from({ length: 12 }, () => 3))
    expect(
      problem?.match(/The attachment "\d" has 1 octet that is not base64 and is left out\./g),
    ).toHaveLength(10)
    expect(problem).toMatch(/ 2 more attachments have such octets\.$/)
  })
})
