import { corpus, file, text, typed, utf8 } from './_corpus.ts'

/** A text, and a file with these header fields. */
const withFile = (...fields: string[]): string =>
  typed('multipart/mixed; boundary=b', '--b', '', 'Hello', '--b', ...fields, '', 'x', '--b--')
/** The same with a Content-Disposition of these parameters. */
const disposed = (...parameters: string[]): string =>
  withFile('Content-Type: application/x-a', `Content-Disposition: attachment; ${parameters.join('\r\n')}`)

type Row = readonly [title: string, says: string, parameters: string | readonly string[], name: string | null]

const rows: Row[] = [
  ['a name without quotes', 'RFC 2183 section 2.3', 'filename=a.pdf', 'a.pdf'],
  ['a name in quotes', 'RFC 2183 section 2.3', 'filename="a.pdf!"', 'a.pdf!'],
  ['a name with spaces', 'RFC 2045 section 5.1, quoted-string', 'filename="a b c.pdf"', 'a b c.pdf'],
  ['a semicolon in quotes', 'RFC 2045 section 5.1, quoted-string', 'filename="a;b.pdf"', 'a;b.pdf'],
  ['an equals sign in quotes', 'RFC 2045 section 5.1, quoted-string', 'filename="a=b.pdf"; x=y', 'a=b.pdf'],
  ['quotes in quotes', 'RFC 822 section 3.4.1, quoted-pair', 'filename="a \\"b\\" c.pdf"', 'a "b" c.pdf'],
  ['a quoted pair of a letter', 'RFC 822 section 3.4.1, quoted-pair', 'filename="\\a\\b.pdf"', 'ab.pdf'],
  ['spaces around the equals sign', 'RFC 822 section 3.1.4', 'filename = "a.pdf" ', 'a.pdf'],
  ['the name of the parameter in capitals', 'RFC 2045 section 5.1', 'FileName="b.pdf"', 'b.pdf'],
  [
    'other parameters before and behind',
    'RFC 2183 section 2',
    'size=1; filename=c.pdf; creation-date="Wed, 12 Feb 1997 16:29:51 -0500"',
    'c.pdf',
  ],
  ['parentheses in quotes', 'RFC 2045 section 5.1, quoted-string', 'filename="a (1).pdf"', 'a (1).pdf'],
  [
    'brackets in a name without quotes',
    'project: RFC 2045 section 5.1 has comments there, file names are more common',
    'filename=a (1).pdf',
    'a (1).pdf',
  ],
  ['a fold before the parameter', 'RFC 5322 section 2.2.3', ['x=y;', '\tfilename="e.pdf"'], 'e.pdf'],
  ['a fold inside the quotes', 'RFC 5322 section 2.2.3', ['filename="a', ' b.pdf"'], 'a b.pdf'],

  ['a charset', 'RFC 2231 section 4', "filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf", 'Grüße.pdf'],
  ['a charset and a language', 'RFC 2231 section 4', "filename*=UTF-8'de'Gr%C3%BC%C3%9Fe.txt", 'Grüße.txt'],
  ['Latin-1', 'RFC 2231 section 4', "filename*=iso-8859-1''Gr%FC%DFe.pdf", 'Grüße.pdf'],
  ['Cyrillic', 'RFC 2231 section 4', "filename*=koi8-r''%F0%D2%C9%D7%C5%D4", 'Привет'],
  ['digits in small letters', 'RFC 2231 section 7', "filename*=utf-8''%e2%82%ac", '€'],
  ['an encoded percent sign', 'RFC 2231 section 7', "filename*=us-ascii''100%25.pdf", '100%.pdf'],
  ['an empty charset', 'RFC 2231 section 4', "filename*=''plain%20name.pdf", 'plain name.pdf'],
  [
    'sections',
    'RFC 2231 section 3',
    'filename*0="a-long-"; filename*1="name-"; filename*2="in-three.pdf"',
    'a-long-name-in-three.pdf',
  ],
  [
    'sections in another order',
    'RFC 2231 section 3, the order is not significant',
    'filename*2=c; filename*0=a; filename*1=b',
    'abc',
  ],
  [
    'more than ten sections',
    'RFC 2231 section 3',
    Array.from({ length: 12 }, (_, i) => ` filename*${i}="${String.fromCharCode(97 + i)}";`),
    'abcdefghijkl',
  ],
  [
    'sections with a charset',
    'RFC 2231 section 4.1',
    "filename*0*=utf-8''Gr%C3%BC; filename*1*=%C3%9Fe.pdf",
    'Grüße.pdf',
  ],
  [
    'sections of which one is not encoded',
    'RFC 2231 section 4.1',
    "filename*0*=us-ascii'en-us'This%20is%20; filename*1*=%2A%2A%2Afun%2A%2A%2A%20; filename*2=\"isn't it!\"",
    "This is ***fun*** isn't it!",
  ],
  [
    'a percent sign in a section that is not encoded',
    'RFC 2231 section 4.1',
    'filename*0*=utf-8\'\'a%20; filename*1="50%25.pdf"',
    'a 50%25.pdf',
  ],
  [
    'a character that two sections share',
    'RFC 2231 section 4.1, octets are joined first',
    "filename*0*=utf-8''%E2%82; filename*1*=%AC.pdf",
    '€.pdf',
  ],
  [
    'both forms, of which the encoded counts',
    'RFC 6266 section 4.3, as RFC 2231 has no word on it',
    'filename="EURO.pdf"; filename*=utf-8\'\'%E2%82%AC.pdf',
    '€.pdf',
  ],
  [
    'both forms in the other order',
    'RFC 6266 section 4.3, as RFC 2231 has no word on it',
    'filename*=utf-8\'\'%E2%82%AC.txt; filename="EURO.txt"',
    '€.txt',
  ],
  [
    'an escape that is broken stays',
    'RFC 2231 section 7, a robust implementation',
    "filename*=utf-8''a%ZZb",
    'a%ZZb',
  ],

  [
    'an encoded word in quotes',
    'project: RFC 2047 section 5 forbids it, most programs do it',
    'filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?="',
    'Grüße.pdf',
  ],
  [
    'an encoded word without quotes',
    'project: RFC 2047 section 5 forbids it, most programs do it',
    'filename==?utf-8?B?R3LDvMOfZS5wZGY=?=',
    'Grüße.pdf',
  ],
  [
    'two encoded words',
    'project: RFC 2047 section 5 forbids it, most programs do it',
    ['filename="=?utf-8?Q?Gr=C3=BC?=', ' =?utf-8?Q?=C3=9Fe.pdf?="'],
    'Grüße.pdf',
  ],
  ['raw UTF-8', 'RFC 6532 section 3', `filename="${utf8('Grüße.pdf')}"`, 'Grüße.pdf'],
  ['raw Latin-1', 'project: as headers', 'filename="Gr\xfc\xdfe.pdf"', 'Grüße.pdf'],
  ...(
    [
      ['UTF-8, Latin-1 in another', `filename="${utf8('é.pdf')}"; x="\xfc"`, 'é.pdf'],
      ['Latin-1, UTF-8 in another', `filename="\xfc.pdf"; x="${utf8('é')}"`, 'ü.pdf'],
      ['UTF-8 in a word, Latin-1 in another', `filename="=?utf-8?Q?${utf8('é')}?="; x=\xfc`, 'é'],
      ['UTF-8 in an extended one, Latin-1 in another', `filename*=utf-8''${utf8('é')}; x=\xfc`, 'é'],
      ['Latin-1 in an extended one', "filename*=iso-8859-1''\xfc.pdf", 'ü.pdf'],
      ['KOI8-R in an extended one', "filename*=koi8-r''\xf0%D2", 'Пр'],
      ['Latin-1 in an extended one, UTF-8 in another', `x=${utf8('é')}; filename*=iso-8859-1''\xfc`, 'ü'],
      ['Latin-1 in octets that UTF-8 has too', "filename*=iso-8859-1''\xc3\xa9", 'Ã©'],
      ['in sections, a character over two', 'filename*0="\xc3"; filename*1="\xa9.pdf"; x=\xfc', 'é.pdf'],
      [
        'in extended sections, Latin-1 in another',
        `filename*0*=utf-8''${utf8('é')}; filename*1="${utf8('é')}.pdf"; x=\xfc`,
        'éé.pdf',
      ],
    ] as const
  ).map(([title, parameters, name]): Row => [
    `raw octets: ${title}`,
    'project: RFC 2231 section 4 and RFC 6532 section 3, each parameter for itself',
    parameters,
    name,
  ]),

  [
    'a path, of which the last segment counts',
    'RFC 2183 section 2.3, paths must not be used',
    'filename="../../etc/passwd"',
    'passwd',
  ],
  [
    'a path of another system',
    'RFC 2183 section 2.3, paths must not be used',
    "filename*=utf-8''C%3A%5Ctemp%5Ca.exe",
    'a.exe',
  ],
  ['a path that is encoded', 'RFC 2183 section 5', "filename*=utf-8''..%2F..%2Fa.sh", 'a.sh'],
  ['a name of dots', 'RFC 2183 section 5', 'filename=".."', null],
  ['an empty name', 'RFC 2183 section 2.3', 'filename=""', null],
  ['a name of spaces', 'RFC 2183 section 2.3', 'filename="   "', null],
  [
    'control characters, which are removed',
    'RFC 2183 section 5',
    "filename*=utf-8''a%00%0D%0A%1Bb.pdf",
    'ab.pdf',
  ],
  [
    'a mark that turns the direction of text, which goes',
    'RFC 2183 section 5, security',
    "filename*=utf-8''a%E2%80%AEfdp.exe",
    'afdp.exe',
  ],
  ['an emoji', 'RFC 2231 section 4', "filename*=utf-8''%F0%9F%8E%89.png", '🎉.png'],
]

corpus('names of attachments', [
  ...rows.map(([title, says, parameters, name]) => ({
    title,
    says,
    message: disposed(...(typeof parameters === 'string' ? [parameters] : parameters)),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name })] },
  })),
  {
    title: 'the name parameter of the type, without a disposition',
    says: 'RFC 2046 section 4.5.1, name',
    message: withFile('Content-Type: application/x-a; name="a.bin"'),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: 'a.bin' })] },
  },
  {
    title: 'the name of the disposition wins over that of the type',
    says: 'RFC 2183 section 2.3',
    message: withFile(
      'Content-Type: application/x-a; name=type.bin',
      'Content-Disposition: attachment; filename=d.bin',
    ),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: 'd.bin' })] },
  },
  {
    title: 'a disposition without a name, and a type with one',
    says: 'RFC 2183 section 2.3',
    message: withFile('Content-Type: application/x-a; name=type.bin', 'Content-Disposition: attachment'),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: 'type.bin' })] },
  },
  {
    title: 'the name of the type in sections with a charset',
    says: 'RFC 2231 section 4.1',
    message: withFile("Content-Type: application/x-a; name*0*=utf-8''Gr%C3%BC; name*1*=%C3%9Fe"),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: 'Grüße' })] },
  },
  {
    title: 'the name of the type as an encoded word',
    says: 'project: RFC 2047 section 5 forbids it, most programs do it',
    message: withFile('Content-Type: application/x-a; name="=?iso-8859-1?Q?Gr=FC=DFe?="'),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: 'Grüße' })] },
  },
  {
    title: 'a name of 300 characters, of which the last 255 are shown',
    says: 'project: what file systems take, with the extension',
    message: disposed(`filename="${'a'.repeat(296)}.pdf"`),
    expected: { leaves: [text('Hello'), file('application/x-a', 'x', { name: `${'a'.repeat(251)}.pdf` })] },
  },
])
