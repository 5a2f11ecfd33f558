import { corpus, file, head, hex, html, lines, text, typed, utf8 } from './_corpus.ts'

const qp = 'Content-Transfer-Encoding: quoted-printable'
const b64 = 'Content-Transfer-Encoding: base64'
const attached = 'Content-Disposition: attachment'

/** A text body in an encoding. */
const body = (encoding: string, ...all: string[]): string =>
  lines(head, 'Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`, '', ...all)
/** A file in an encoding, next to a text. */
const withFile = (encoding: string, ...all: string[]): string =>
  typed(
    'multipart/mixed; boundary=b',
    '--b',
    '',
    'Hello',
    '--b',
    'Content-Type: application/x-a',
    attached,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    ...all,
    '--b--',
  )
const fileOf = (octets: string): { leaves: ReturnType<typeof text>[] } => ({
  leaves: [text('Hello'), file('application/x-a', octets)],
})

/** Every possible octet, as one character each. */
const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1')
const everyInHex = Array.from({ length: 256 }, (_, i) => `=${i.toString(16).toUpperCase().padStart(2, '0')}`)

corpus('transfer encodings', [
  // RFC 2045 section 6.7
  ...(
    [
      ['an encoded character', ['Gr=C3=BC=C3=9Fe'], 'Grüße\n', 'rule 1'],
      ['an equals sign', ['1+1=3D2'], '1+1=2\n', 'rule 1'],
      ['digits in small letters', ['Gr=c3=bc=c3=9fe'], 'Grüße\n', 'rule 1, small letters are accepted'],
      ['a soft line break', ['one=', ' two'], 'one two\n', 'rule 5'],
      ['a soft line break within a character', ['=C3=', '=BC'], 'ü\n', 'rule 5'],
      [
        'spaces behind a soft line break',
        ['one=  \t', 'two'],
        'onetwo\n',
        'rule 3, padding added in transport',
      ],
      [
        'spaces at the end of a line, which are removed',
        ['one  ', 'two\t', 'three'],
        'one\ntwo\nthree\n',
        'rule 3',
      ],
      ['an encoded space at the end of a line, which stays', ['one=20', 'two=09'], 'one \ntwo\t\n', 'rule 3'],
      ['an invalid escape, which stays', ['a=ZZb'], 'a=ZZb\n', 'section 6.7, a robust implementation'],
      ['half an escape, which stays', ['a=4 b'], 'a=4 b\n', 'section 6.7, a robust implementation'],
      ['an escape with a small and a capital letter', ['=c3=Bc'], 'ü\n', 'rule 1'],
      ['underscores, which are no spaces', ['a_b'], 'a_b\n', 'rule 2'],
      [
        'a line longer than 76 characters',
        ['x'.repeat(900)],
        `${'x'.repeat(900)}\n`,
        'rule 5, a robust implementation',
      ],
      ['encoded line ends', ['one=0D=0Atwo'], 'one\ntwo\n', 'rule 4'],
      ['empty lines', ['', 'one', '', '', 'two'], '\none\n\n\ntwo\n', 'rule 4'],
      ['a line of equals signs', ['=3D=3D=3D=3D'], '====\n', 'rule 1'],
      ['two soft line breaks in a row', ['one=', '=', 'two'], 'onetwo\n', 'rule 5'],
      ['a dot at the beginning of a line', ['=2E', '..'], '.\n..\n', 'rule 2'],
      ['a soft break at the end of the message', ['one='], 'one', 'rule 5'],
      ['an emoji', ['=F0=9F=8E=89'], '🎉\n', 'rule 1'],
    ] as const
  ).map(([title, all, says, rule]) => ({
    title: `quoted-printable: ${title}`,
    says: `RFC 2045 section 6.7, ${rule}`,
    message: body('quoted-printable', ...all),
    expected: { leaves: [text(says)] },
  })),
  {
    title: 'quoted-printable: lines that end with LF alone',
    says: 'project: local tools write it',
    message: body('quoted-printable', 'one=', 'two', 'Gr=C3=BC=C3=9Fe').replaceAll('\r\n', '\n'),
    expected: { leaves: [text('onetwo\nGrüße\n')] },
  },
  {
    title: 'quoted-printable: every octet in a file',
    says: 'RFC 2045 section 6.7, rule 1',
    message: withFile(
      'quoted-printable',
      ...Array.from({ length: 16 }, (_, i) => `${everyInHex.slice(16 * i, 16 * i + 16).join('')}=`),
      '',
    ),
    expected: fileOf(every),
  },
  {
    title: 'quoted-printable: octets beyond ASCII that are not encoded stay',
    says: 'RFC 2045 section 6.7, a robust implementation',
    message: body('quoted-printable', `${utf8('ü')}=C3=BC`),
    expected: { leaves: [text('üü\n')] },
  },

  // RFC 2045 section 6.8
  ...(
    [
      ['one line', ['SGVsbG8='], 'Hello', 'section 6.8'],
      ['two characters of padding', ['SGVsbA=='], 'Hell', 'section 6.8'],
      ['no padding needed', ['SGVs'], 'Hel', 'section 6.8'],
      ['missing padding', ['SGVsbG8'], 'Hello', 'section 6.8, a robust implementation'],
      ['lines of any length', ['S', 'GV', 'sbG8', '='], 'Hello', 'section 6.8, line breaks are ignored'],
      ['spaces and tabs', ['SGVs \tbG8='], 'Hello', 'section 6.8, other characters are ignored'],
      [
        'characters of no alphabet',
        ['SG*Vs!bG8=', '-'],
        'Hello',
        'section 6.8, other characters are ignored',
      ],
      [
        'padding in the middle',
        ['SGVsbG8=', 'SGVsbG8='],
        'HelloHello',
        'section 6.8, padding ends a segment',
      ],
      ['text in UTF-8', ['R3LDvMOfZQ=='], 'Grüße', 'section 6.8'],
      ['line ends inside', ['b25lDQp0d28NCg=='], 'one\ntwo\n', 'section 6.8'],
      ['nothing', [''], '', 'section 6.8'],
      ['a single character, which is not even an octet', ['S'], '', 'section 6.8, a robust implementation'],
      ['empty lines between', ['SGVs', '', '', 'bG8='], 'Hello', 'section 6.8, line breaks are ignored'],
    ] as const
  ).map(([title, all, says, section]) => ({
    title: `base64: ${title}`,
    says: `RFC 2045 ${section}`,
    message: body('base64', ...all),
    expected: { leaves: [text(says)] },
  })),
  {
    title: 'base64: every octet in a file',
    says: 'RFC 2045 section 6.8',
    message: withFile(
      'base64',
      ...(Buffer.from(every, 'latin1')
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
    ),
    expected: fileOf(every),
  },
  {
    title: 'base64: a file on one line of 100,000 characters',
    says: 'RFC 2045 section 6.8, a robust implementation',
    message: withFile('base64', 'QUJD'.repeat(25_000)),
    expected: fileOf('ABC'.repeat(25_000)),
  },
  {
    title: 'base64: a file of 200 KB whose lines do not end between groups',
    says: 'RFC 2045 section 6.8, line breaks are ignored',
    message: withFile('base64', ...('QUJD'.repeat(70_000).match(/.{1,75}/g) ?? [])),
    expected: fileOf('ABC'.repeat(70_000)),
  },
  {
    title: 'base64: lines that end with LF alone',
    says: 'RFC 2045 section 6.8, line breaks are ignored',
    message: body('base64', 'SGVs', 'bG8=').replaceAll('\r\n', '\n'),
    expected: { leaves: [text('Hello')] },
  },

  // Names of encodings
  ...(
    [
      ['BASE64', 'SGVsbG8=', 'Hello'],
      ['Base64 (as always)', 'SGVsbG8=', 'Hello'],
      ['  base64  ', 'SGVsbG8=', 'Hello'],
      ['Quoted-Printable', 'a=3Db', 'a=b\n'],
      ['7BIT', 'a=3Db', 'a=3Db\n'],
      ['8Bit', utf8('ü'), 'ü\n'],
      ['binary', utf8('ü'), 'ü\n'],
    ] as const
  ).map(([encoding, line, says]) => ({
    title: `the encoding is named ${JSON.stringify(encoding)}`,
    says: 'RFC 2045 section 6.1, case does not count',
    message: body(encoding, line),
    expected: { leaves: [text(says)], problem: false },
  })),
  {
    title: 'no encoding is named: 7bit',
    says: 'RFC 2045 section 6.1',
    message: typed('text/plain', 'a=3Db'),
    expected: { leaves: [text('a=3Db\n')] },
  },
  {
    title: 'an unknown encoding: the octets are unchanged, and a problem is reported',
    says: 'RFC 2045 section 6.4',
    message: withFile('x-secret', 'SGVsbG8='),
    expected: { ...fileOf('SGVsbG8='), problem: true },
  },
  {
    title: 'the encoding of a multipart does not apply to its parts',
    says: 'RFC 2045 section 6.4, only 7bit, 8bit and binary are permitted',
    message: lines(
      head,
      'Content-Type: multipart/mixed; boundary=b',
      b64,
      '',
      '--b',
      '',
      'Hello',
      '--b',
      'Content-Type: text/html',
      qp,
      '',
      '<p>a=3Db',
      '--b--',
    ),
    expected: { leaves: [text('Hello'), html('<p>a=b')] },
  },
  {
    title: '8bit: a file with octets beyond ASCII',
    says: 'RFC 2045 section 2.8',
    message: withFile('8bit', '\xff\xfe\x80'),
    expected: fileOf('\xff\xfe\x80'),
  },
  {
    title: 'binary: a file with NUL and bare line ends',
    says: 'RFC 2045 section 2.9',
    message: withFile('binary', 'a\0b\rc\nd'),
    expected: fileOf('a\0b\rc\nd'),
  },

  // uuencode, which no RFC defines
  ...(['x-uuencode', 'uuencode', 'x-uue', 'X-UUENCODE'] as const).map((encoding) => ({
    title: `${encoding}: a file`,
    says: 'POSIX uuencode',
    message: withFile(encoding, 'begin 644 hello.txt', '+2&5L;&\\@=V]R;&0', '`', 'end'),
    expected: fileOf('Hello world'),
  })),
  {
    title: 'x-uuencode: spaces for the lowest digit',
    says: 'POSIX uuencode, historical form',
    message: withFile('x-uuencode', 'begin 600 zero', '#    ', ' ', 'end'),
    expected: fileOf('\0\0\0'),
  },
  {
    title: 'x-uuencode: two full lines',
    says: 'POSIX uuencode',
    message: withFile(
      'x-uuencode',
      'begin 644 a',
      `M${'04%!'.repeat(15)}`,
      `M${'04%!'.repeat(15)}`,
      '`',
      'end',
    ),
    expected: fileOf('AAA'.repeat(30)),
  },
  {
    title: 'x-uuencode: a body',
    says: 'POSIX uuencode',
    message: body('x-uuencode', 'begin 644 m', '%2&5L;&\\', '`', 'end'),
    expected: { leaves: [text('Hello')] },
  },
  {
    title: 'octets that are given as digits are unchanged',
    says: 'RFC 2045 section 6.8',
    message: withFile('base64', '3q2+7w=='),
    expected: fileOf(hex('de ad be ef')),
  },
])
