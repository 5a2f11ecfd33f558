import { corpus, head, hex, html, lines, text, typed, utf8, octetsAs } from './_corpus.ts'

/** A text in each charset, and its octets according to the charset's table. */
const table = [
  ['utf-8', 'Grüße, 5 €', '4772c3bcc39f652c203520e282ac'],
  ['iso-8859-1', 'Grüße', '4772fcdf65'],
  ['iso-8859-2', 'Žluťoučký kůň', 'ae6c75bb6f75e86bfd206bf9f2'],
  ['iso-8859-3', 'Ĝis revido', 'd869732072657669646f'],
  ['iso-8859-4', 'Ačiū', '41e869fe'],
  ['iso-8859-5', 'Привет', 'bfe0d8d2d5e2'],
  ['iso-8859-7', 'Γειά σου', 'c3e5e9dc20f3eff5'],
  ['iso-8859-8', 'שלום', 'f9ece5ed'],
  ['iso-8859-9', 'Şişli', 'de69fe6c69'],
  ['iso-8859-10', 'Þetta', 'de65747461'],
  ['iso-8859-13', 'Ačiū', '41e869fb'],
  ['iso-8859-14', 'Ŵy', 'd079'],
  ['iso-8859-15', '5 € Œuvre', '3520a420bc75767265'],
  ['iso-8859-16', 'Știri', 'aa74697269'],
  ['windows-1250', 'Žluťoučký', '8e6c759d6f75e86bfd'],
  ['windows-1251', 'Привет', 'cff0e8e2e5f2'],
  ['windows-1252', '“5 €”', '9335208094'],
  ['windows-1253', 'Γειά', 'c3e5e9dc'],
  ['windows-1254', 'Şişli', 'de69fe6c69'],
  ['windows-1255', 'שלום', 'f9ece5ed'],
  ['windows-1256', 'مرحبا', 'e3d1cdc8c7'],
  ['windows-1257', 'Ačiū', '41e869fb'],
  ['windows-1258', 'Tê', '54ea'],
  ['koi8-r', 'Привет', 'f0d2c9d7c5d4'],
  ['koi8-u', 'Привіт їжак', 'f0d2c9d7a6d420a7d6c1cb'],
  ['macintosh', 'Grüße', '47729fa765'],
  ['ibm866', 'Привет', '8fe0a8a2a5e2'],
  ['tis-620', 'สวัสดี', 'cac7d1cab4d5'],
  ['windows-874', 'สวัสดี', 'cac7d1cab4d5'],
  ['gb2312', '你好', 'c4e3bac3'],
  ['gbk', '你好镕', 'c4e3bac3e946'],
  ['gb18030', '你好㐀', 'c4e3bac38139ee39'],
  ['big5', '你好', 'a741a66e'],
  ['euc-jp', 'こんにちは', 'a4b3a4f3a4cba4c1a4cf'],
  ['shift_jis', 'こんにちは', '82b182f182c982bf82cd'],
  ['iso-2022-jp', 'こんにちは', '1b244224332473244b2441244f1b2842'],
  ['euc-kr', '안녕하세요', 'bec8b3e7c7cfbcbcbfe4'],
] as const

/** UTF-16 has NUL octets, which neither 8bit nor an encoded word carries. */
const wide = [
  ['utf-16be', 'Grüße', '0047007200fc00df0065'],
  ['utf-16le', 'Grüße', '47007200fc00df006500'],
  ['utf-16', 'Grüße', 'feff0047007200fc00df0065'],
  ['UTF-16', 'Grüße', 'fffe47007200fc00df006500'],
] as const

const escaped = (digits: string): string => digits.replace(/../g, (octet) => `=${octet.toUpperCase()}`)
const inBase64 = (digits: string): string => Buffer.from(digits, 'hex').toString('base64')

/** As the line that a body of them is. */
const withEnd = (octets: string): Buffer => Buffer.from(`${octets}0d0a`, 'hex')

const written = {
  '8bit': hex,
  'quoted-printable': escaped,
  base64: inBase64,
}

/** A message whose body has these octets, and its subject the same in an encoded word. */
function inCharset(charset: string, encoding: keyof typeof written, octets: string, subject: string): string {
  return lines(
    'From: ada@x.test',
    `Subject: ${subject}`,
    `Content-Type: text/plain; charset=${charset}`,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    written[encoding](octets),
  )
}

const shifted = `a${hex('1b2442')}${hex('2433').repeat(100_001)}${hex('1b2842')}b`

corpus('charsets', [
  ...table.flatMap(([charset, says, octets]) => [
    {
      title: `${charset} in 8bit, and with Q in the subject`,
      says: 'RFC 2045 section 2.8, RFC 2047 section 4.2',
      message: inCharset(charset, '8bit', octets, `=?${charset}?Q?${escaped(octets)}?=`),
      expected: { subject: says, leaves: [text(`${says}\n`, { charset, octets: withEnd(octets) })] },
    },
    {
      title: `${charset} in quoted-printable, and with B in the subject`,
      says: 'RFC 2045 section 6.7, RFC 2047 section 4.1',
      message: inCharset(charset, 'quoted-printable', octets, `=?${charset}?B?${inBase64(octets)}?=`),
      expected: { subject: says, leaves: [text(`${says}\n`, { charset, octets: withEnd(octets) })] },
    },
    {
      title: `${charset} in base64, its name in capitals, and in HTML`,
      says: 'RFC 2045 section 6.8, RFC 2046 section 4.1.2, case does not count',
      message: lines(
        head,
        'Content-Type: multipart/alternative; boundary=b',
        '',
        '--b',
        `Content-Type: text/plain; charset="${charset.toUpperCase()}"`,
        'Content-Transfer-Encoding: base64',
        '',
        inBase64(octets),
        '--b',
        `Content-Type: text/html; charset=${charset}`,
        'Content-Transfer-Encoding: quoted-printable',
        '',
        `<p>${escaped(octets)}</p>`,
        '--b--',
      ),
      expected: {
        leaves: [text(says, { charset, octets: Buffer.from(octets, 'hex') }), html(`<p>${says}</p>`)],
      },
    },
  ]),
  ...wide.map(([charset, says, octets]) => ({
    title: `${charset} in base64${octets.startsWith('f') ? `, with the mark ${octets.slice(0, 4)}` : ''}`,
    says: 'RFC 2781 section 3.3',
    message: octetsAs(`text/plain; charset=${charset}`, octets),
    expected: { leaves: [text(says, { octets: Buffer.from(octets, 'hex') })] },
  })),
  {
    title: 'utf-16 without a mark is big-endian',
    says: 'RFC 2781 section 4.3',
    message: octetsAs('text/plain; charset=utf-16', '0047007200fc00df0065'),
    expected: { leaves: [text('Grüße', { octets: Buffer.from('0047007200fc00df0065', 'hex') })] },
  },
  {
    title: 'the line ends of UTF-16',
    says: 'RFC 2781 section 3',
    message: octetsAs('text/plain; charset=utf-16le', '61000d000a006200'),
    expected: { leaves: [text('a\nb', { octets: Buffer.from('61000d000a006200', 'hex') })] },
  },
  ...(
    [
      ['utf8', 'utf-8', 'Grüße', '4772c3bcc39f65'],
      ['UTF8', 'utf-8', 'Grüße!', '4772c3bcc39f6521'],
      ['latin1', 'iso-8859-1', 'Grüße', '4772fcdf65'],
      ['l1', 'iso-8859-1', 'Grüße!', '4772fcdf6521'],
      ['ISO_8859-1:1987', 'iso-8859-1', 'Grüße.', '4772fcdf652e'],
      ['cp1252', 'windows-1252', '5 €', '352080'],
      ['x-cp1251', 'windows-1251', 'Привет', 'cff0e8e2e5f2'],
      ['cp1251', 'windows-1251', 'Привет!', 'cff0e8e2e5f221'],
      ['csISOLatin1', 'iso-8859-1', 'Grüße?', '4772fcdf653f'],
      ['x-sjis', 'shift_jis', 'こ', '82b1'],
      ['windows-31j', 'shift_jis', 'こん', '82b182f1'],
      ['ks_c_5601-1987', 'euc-kr', '안녕', 'bec8b3e7'],
      ['ANSI_X3.4-1968', 'us-ascii', 'plain', '706c61696e'],
      ['us-ascii', 'us-ascii', 'plain!', '706c61696e21'],
    ] as const
  ).map(([alias, charset, says, octets]) => ({
    title: `${alias} is ${charset}`,
    says: 'IANA character sets, aliases',
    message: octetsAs(`text/plain; charset=${alias}`, octets),
    expected: { leaves: [text(says, { octets: Buffer.from(octets, 'hex') })] },
  })),
  {
    title: 'a character whose octets two lines of base64 share',
    says: 'RFC 2045 section 6.8',
    message: lines(
      head,
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      '4o',
      'Ks',
    ),
    expected: { leaves: [text('€')] },
  },
  {
    title: 'a text of 300 KB in a charset of several octets',
    says: 'RFC 2045 section 2.8',
    message: typed('text/plain; charset=utf-8', ...Array.from({ length: 20_000 }, () => utf8('Grüße €'))),
    expected: { leaves: [text('Grüße €\n'.repeat(20_000))] },
  },
  {
    title: 'a text of 300 KB on one line, in a charset of several octets',
    says: 'RFC 2045 section 2.8, a robust implementation',
    message: typed('text/plain; charset=utf-8', utf8('€'.repeat(100_001))),
    expected: { leaves: [text(`${'€'.repeat(100_001)}\n`)] },
  },
  {
    title: 'a text of 300 KB on one line, in a charset with shifts',
    says: 'RFC 1468',
    message: typed('text/plain; charset=iso-2022-jp', shifted),
    expected: { leaves: [text(`a${'こ'.repeat(100_001)}b\n`, { octets: Buffer.from(lines(shifted)) })] },
  },
])
