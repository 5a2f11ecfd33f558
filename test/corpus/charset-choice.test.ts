import { corpus, file, html, lines, text, typed, utf8, octetsAs } from './_corpus.ts'

const latin1 = { octets: Buffer.from('Gr\xfc\xdfe\r\n', 'latin1') }

corpus('which charset counts', [
  {
    title: 'no charset, and octets that are UTF-8',
    says: 'RFC 6657 section 3, and RFC 6532 for messages in UTF-8',
    message: typed('text/plain', utf8('Grüße, 你好')),
    expected: { leaves: [text('Grüße, 你好\n')] },
  },
  {
    title: 'no charset, and octets that are not UTF-8: as in headers, Latin-1',
    says: 'project: RFC 2046 section 4.1.2 has no word on it',
    message: typed('text/plain', 'Gr\xfc\xdfe'),
    expected: { leaves: [text('Grüße\n', latin1)] },
  },
  {
    title: 'no MIME at all, and octets that are not UTF-8',
    says: 'project: RFC 2045 section 5.2 has no word on it',
    message: lines('From: ada@x.test', 'Subject: s', '', 'Gr\xfc\xdfe'),
    expected: { leaves: [text('Grüße\n', latin1)] },
  },
  {
    title: 'us-ascii, and octets that are UTF-8',
    says: 'project: RFC 2046 section 4.1.2 forbids it',
    message: typed('text/plain; charset=us-ascii', utf8('Grüße')),
    expected: { leaves: [text('Grüße\n', { charset: 'us-ascii', octets: Buffer.from('Grüße\r\n') })] },
  },
  {
    title: 'us-ascii, and octets that are Latin-1',
    says: 'project: RFC 2046 section 4.1.2 forbids it',
    message: typed('text/plain; charset=us-ascii', 'Gr\xfc\xdfe'),
    expected: { leaves: [text('Grüße\n', { charset: 'us-ascii', ...latin1 })] },
  },
  {
    title: 'utf-8, and octets that are not: what is wrong is marked, what is right is kept',
    says: 'Unicode section 3.9, U+FFFD substitution',
    message: typed('text/plain; charset=utf-8', `${utf8('Grüße')} \xfc`),
    expected: {
      leaves: [text('Grüße \ufffd\n', { octets: Buffer.from(utf8('Grüße') + ' \xfc\r\n', 'latin1') })],
    },
  },
  {
    title: 'a charset that is unknown, and octets that are UTF-8',
    says: 'project: RFC 2045 section 5.1 has no word on it',
    message: typed('text/plain; charset=x-mac-dingbats', utf8('Grüße')),
    expected: { leaves: [text('Grüße\n', { octets: Buffer.from('Grüße\r\n') })] },
  },
  {
    title: 'a charset that is unknown, and octets that are not UTF-8',
    says: 'project: RFC 2045 section 5.1 has no word on it',
    message: typed('text/plain; charset=unknown-8bit', 'Gr\xfc\xdfe'),
    expected: { leaves: [text('Grüße\n', { octets: Buffer.from('Gr\xfc\xdfe\r\n', 'latin1') })] },
  },
  {
    title: 'the mark of UTF-8 is no text',
    says: 'RFC 3629 section 6',
    message: octetsAs('text/plain; charset=utf-8', 'efbbbf4869'),
    expected: { leaves: [text('Hi', { octets: Buffer.from('efbbbf4869', 'hex') })] },
  },
  {
    title: 'a mark without a charset says that it is UTF-8',
    says: 'RFC 3629 section 6',
    message: octetsAs('text/plain', 'efbbbfc3bc'),
    expected: { leaves: [text('ü', { octets: Buffer.from('efbbbfc3bc', 'hex') })] },
  },
  ...(
    [
      ['a meta element', '<meta charset="windows-1251">'],
      ['a meta element without quotes', '<META CHARSET=windows-1251>'],
      [
        'the older form of a meta element',
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
      ],
      ['a meta element behind others', '<meta name="x" content="y"><meta charset=\'windows-1251\'>'],
    ] as const
  ).map(([title, meta]) => ({
    title: `HTML whose charset ${title} names`,
    says: 'RFC 2854 section 6, HTML section "determining the character encoding"',
    message: typed('text/html', `${meta}<p>\xcf\xf0\xe8\xe2\xe5\xf2`),
    expected: { leaves: [html(`${meta}<p>Привет\n`)] },
  })),
  {
    title: 'the Content-Type of an HTML part wins over its meta element',
    says: 'RFC 2854 section 6',
    message: typed('text/html; charset=iso-8859-1', '<meta charset="windows-1251"><p>Gr\xfc\xdfe'),
    expected: { leaves: [html('<meta charset="windows-1251"><p>Grüße\n')] },
  },
  {
    title: 'HTML without any charset, in UTF-8',
    says: 'RFC 6657 section 3',
    message: typed('text/html', utf8('<p>Grüße')),
    expected: { leaves: [html('<p>Grüße\n')] },
  },
  {
    title: 'a charset in single quotes',
    says: 'project: RFC 2045 section 5.1 has double quotes',
    message: typed("text/plain; charset='utf-8'", utf8('Grüße')),
    expected: { leaves: [text('Grüße\n', { octets: Buffer.from('Grüße\r\n') })] },
  },
  {
    title: 'two parts in two charsets',
    says: 'RFC 2046 section 4.1.2',
    message: typed(
      'multipart/alternative; boundary=b',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      '',
      'Gr\xfc\xdfe',
      '--b',
      'Content-Type: text/html; charset=koi8-r',
      '',
      '<p>\xf0\xd2\xc9\xd7\xc5\xd4',
      '--b--',
    ),
    expected: {
      leaves: [
        text('Grüße', { charset: 'iso-8859-1', octets: Buffer.from('Gr\xfc\xdfe', 'latin1') }),
        html('<p>Привет'),
      ],
    },
  },
  {
    title: 'the text of an attachment stays in its charset',
    says: 'RFC 2183 section 2.2',
    message: typed(
      'multipart/mixed; boundary=b',
      '--b',
      '',
      'Hello',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Disposition: attachment',
      '',
      'Gr\xfc\xdfe',
      '--b--',
    ),
    expected: { leaves: [text('Hello'), file('text/plain', 'Gr\xfc\xdfe', { charset: 'iso-8859-1' })] },
  },
])
