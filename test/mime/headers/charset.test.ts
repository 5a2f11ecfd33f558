import { describe, expect, it } from 'vitest'
import { parseMessage } from '../../../src/mime/parse.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

async function bodyOf(type: string, body: Buffer): Promise<string> {
  const { text, html } = parseMessage(
    Buffer.concat([Buffer.from(`Subject: s\r\nContent-Type: ${type}\r\n\r\n`), body]),
  )
  return text || html
}

const cases: [title: string, type: string, body: Buffer, text: string][] = [
  ['none, in UTF-8', 'text/plain', Buffer.from('Grüße €'), 'Grüße €'],
  ['none, in Latin-1', 'text/plain', Buffer.from('Grüße', 'latin1'), 'Grüße'],
  ['US-ASCII, in UTF-8', 'text/plain; charset=us-ascii', Buffer.from('Grüße'), 'Grüße'],
  ['US-ASCII, in Latin-1', 'text/plain; charset=us-ascii', Buffer.from('Grüße', 'latin1'), 'Grüße'],
  ['unknown, in UTF-8', 'text/plain; charset=x-nope', Buffer.from('Grüße'), 'Grüße'],
  ['unknown, in Latin-1', 'text/plain; charset=x-nope', Buffer.from('Grüße', 'latin1'), 'Grüße'],
  ['that would be bytes: hex', 'text/plain; charset=hex', Buffer.from('Grüße'), 'Grüße'],
  ['that would be bytes: base64', 'text/plain; charset=base64', Buffer.from('Grüße'), 'Grüße'],
  ['__proto__', 'text/plain; charset=__proto__', Buffer.from('Grüße'), 'Grüße'],
  ['windows-1252 called iso-8859-1', 'text/plain; charset=iso-8859-1', hex('93 61 94 80'), '“a”€'],
  ['windows-1252', 'text/plain; charset=Windows-1252', hex('96 e9'), '–é'],
  ['ISO-8859-15', 'text/plain; charset=ISO-8859-15', hex('a4'), '€'],
  ['ISO-8859-8-I', 'text/plain; charset=iso-8859-8-i', hex('f9 ec e5 ed'), 'שלום'],
  ['KOI8-R', 'text/plain; charset=koi8-r', hex('d0 d2 c9 d7 c5 d4'), 'привет'],
  ['windows-1251', 'text/plain; charset="windows-1251"', hex('ef f0 e8 e2 e5 f2'), 'привет'],
  ['Shift_JIS', 'text/plain; charset=Shift_JIS', hex('93 fa 96 7b'), '日本'],
  ['x-sjis', 'text/plain; charset=x-sjis', hex('93 fa 96 7b'), '日本'],
  ['EUC-JP', 'text/plain; charset=euc-jp', hex('c6 fc cb dc'), '日本'],
  ['ISO-2022-JP', 'text/plain; charset=ISO-2022-JP', hex('1b 24 42 46 7c 4b 5c 1b 28 42'), '日本'],
  ['GB2312', 'text/plain; charset=gb2312', hex('d6 d0 b9 fa'), '中国'],
  ['GB18030', 'text/plain; charset=gb18030', hex('d6 d0 81 30 81 30'), '中\x80'],
  ['Big5', 'text/plain; charset=big5', hex('a4 a4 b0 ea'), '中國'],
  ['EUC-KR', 'text/plain; charset=ks_c_5601-1987', hex('c7 d1 b1 b9'), '한국'],
  ['UTF-7', 'text/plain; charset=utf-7', Buffer.from('a +AOk- b'), 'a é b'],
  ['UTF-8 with a mark', 'text/plain; charset=utf-8', hex('ef bb bf 61'), 'a'],
  ['UTF-16 with a little-endian mark', 'text/plain; charset=utf-16', hex('ff fe fc 00 61 00'), 'üa'],
  ['UTF-16 with a big-endian mark', 'text/plain; charset=utf-16', hex('fe ff 00 fc 00 61'), 'üa'],
  ['UTF-16 without a mark', 'text/plain; charset=utf-16', hex('4e 2d 56 fd'), '中国'],
  ['UTF-16 without a mark, as its zeros say', 'text/plain; charset=utf-16', hex('61 00 62 00'), 'ab'],
  ['UTF-16LE', 'text/plain; charset=UTF-16LE', hex('2d 4e fd 56'), '中国'],
  ['UTF-16BE', 'text/plain; charset=UTF-16BE', hex('4e 2d 56 fd'), '中国'],
  ['UTF-16BE with half a unit', 'text/plain; charset=UTF-16BE', hex('4e 2d 56'), '中'],
  ['UTF-16LE with two marks', 'text/plain; charset=UTF-16LE', hex('ff fe ff fe 61 00'), '\ufeffa'],
  ['UTF-16LE with half a character', 'text/plain; charset=UTF-16LE', hex('61 00 00 d8'), 'a\ud800'],
  [
    'in <meta charset>',
    'text/html',
    Buffer.concat([Buffer.from('<meta charset="koi8-r">'), hex('d0 d2')]),
    '<meta charset="koi8-r">пр',
  ],
  [
    'in <meta http-equiv>',
    'text/html',
    Buffer.concat([
      Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=Shift_JIS">'),
      hex('93 fa'),
    ]),
    '<meta http-equiv=Content-Type content="text/html; charset=Shift_JIS">日',
  ],
  [
    'of the header before that in <meta>',
    'text/html; charset=koi8-r',
    Buffer.concat([Buffer.from('<meta charset=utf-8>'), hex('d0 d2')]),
    '<meta charset=utf-8>пр',
  ],
  [
    'in <meta> that the text is not in',
    'text/html',
    Buffer.concat([Buffer.from('<meta charset=utf-8>'), hex('fc')]),
    '<meta charset=utf-8>ü',
  ],
]

describe('a body by its charset', () => {
  it.each(cases)('%s', async (_, type, body, text) => {
    expect(await bodyOf(type, body)).toBe(text)
  })

  it.each([
    ['utf-8', 'ü'],
    ['shift_jis', '日'],
    ['utf-16be', '中'],
    ['iso-8859-1', '€'],
    ['iso-2022-jp', '日'],
  ])('is complete where it takes many slices: %s', async (charset, char) => {
    const line: Record<string, Buffer> = {
      'utf-8': Buffer.from(`${char}\n`),
      shift_jis: hex('93 fa 0a'),
      'utf-16be': hex('4e 2d 00 0a'),
      'iso-8859-1': hex('80 0a'),
      'iso-2022-jp': hex('1b 24 42 46 7c 1b 28 42 0a'),
    }
    const lines = 300_000 / (line[charset]?.length ?? 1)
    const body = Buffer.concat(Array.from({ length: lines }, () => line[charset] ?? Buffer.alloc(0)))
    expect(await bodyOf(`text/plain; charset=${charset}`, body)).toBe(`${char}\n`.repeat(lines))
  })

  it('shows line ends as LF', async () => {
    expect(await bodyOf('text/plain', Buffer.from('a\r\nb\rc\nd'))).toBe('a\nb\nc\nd')
  })
})

describe('format=flowed', () => {
  it.each([
    ['joins lines that end with a space', 'a \r\nb\r\nc\r\n', 'a b\nc\n', ''],
    ['deletes the space where DelSp says so', 'a \r\nb', 'ab', '; delsp=yes'],
    ['joins quoted lines of one depth', '> a \r\n> b\r\n>> c \r\nd', '> a b\n>> c \nd', ''],
    ['never joins a signature', 'a \r\n-- \r\nb', 'a \n-- \nb', ''],
    ['removes what was stuffed', ' From\r\n  x\r\n', 'From\n x\n', ''],
  ])('%s', async (_, body, text, more) => {
    expect(await bodyOf(`text/plain; format=flowed${more}`, Buffer.from(body))).toBe(text)
  })
})
