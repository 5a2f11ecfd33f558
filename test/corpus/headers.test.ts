import { corpus, html, lines, text, utf8 } from './_corpus.ts'

/** A message with this header and a short body. */
const withHeader = (...header: string[]): string => lines(...header, '', 'Hello')
const hello = { leaves: [text('Hello\n')] }

corpus('headers', [
  ...(
    [
      ['a subject without a space after the colon', ['Subject:s'], 's', 'section 2.2'],
      [
        'spaces around a subject',
        ['Subject:   s  '],
        's',
        'section 2.2.3, leading and trailing folding space',
      ],
      ['a name in capitals', ['SUBJECT: s!'], 's!', 'section 1.2.2, case does not count'],
      ['a name in small letters', ['subject: s?'], 's?', 'section 1.2.2, case does not count'],
      ['a space before the colon', ['Subject : s'], 's', 'section 4.5'],
      ['a tab before the colon', ['Subject\t: s'], 's', 'section 4.5'],
      ['an empty subject', ['Subject:'], '', 'section 3.6.5'],
      ['a subject of spaces', ['Subject:    '], '', 'section 3.6.5'],
      ['a fold with a space', ['Subject: one', ' two'], 'one two', 'section 2.2.3'],
      ['a fold with a tab', ['Subject: one', '\ttwo'], 'one two', 'section 2.2.3'],
      ['a fold directly after the colon', ['Subject:', ' one'], 'one', 'section 2.2.3'],
      ['many folds', ['Subject: 1', ' 2', ' 3', ' 4', ' 5'], '1 2 3 4 5', 'section 2.2.3'],
      ['a colon inside', ['Subject: Re: a: b'], 'Re: a: b', 'section 2.2'],
      ['what looks like a comment is text', ['Subject: a (b) c'], 'a (b) c', 'section 3.6.5, unstructured'],
      ['what looks like quotes is text', ['Subject: "a" b'], '"a" b', 'section 3.6.5, unstructured'],
      ['two spaces inside stay', ['Subject: a  b'], 'a  b', 'section 3.2.5, unstructured'],
      [
        'two subjects, of which the first counts',
        ['Subject: one', 'Subject: two'],
        'one',
        'section 3.6 allows one',
      ],
      ['a line of 998 characters', [`Subject: ${'x'.repeat(989)}`], 'x'.repeat(989), 'section 2.1.1'],
      [
        'a line far beyond 998 characters',
        [`Subject: ${'x'.repeat(4_000)}`],
        'x'.repeat(4_000),
        'section 2.1.1, robust',
      ],
      ['UTF-8', [`Subject: ${utf8('Grüße 你好 🎉')}`], 'Grüße 你好 🎉', 'RFC 6532 section 3.2'],
      [
        'Latin-1, which is not allowed',
        ['Subject: Gr\xfc\xdfe'],
        'Grüße',
        'project: as most programs wrote it',
      ],
      [
        'UTF-8 beside a field in Latin-1',
        [`Subject: ${utf8('ü')}!`, 'X-Old: \xfc'],
        'ü!',
        'project: line by line',
      ],
      ['a tab inside', ['Subject: a\tb'], 'a\tb', 'section 2.2, unstructured'],
    ] as const
  ).map(([title, header, subject, section]) => ({
    title,
    says: section.startsWith('RFC') || section.startsWith('project') ? section : `RFC 5322 ${section}`,
    message: withHeader('From: ada@x.test', ...header),
    expected: { subject, ...hello },
  })),
  {
    title: 'no subject',
    says: 'RFC 5322 section 3.6',
    message: withHeader('From: ada@x.test'),
    expected: { subject: '', ...hello },
  },
  {
    title: 'an escape of ISO-2022 in a raw subject is text',
    says: 'RFC 2047 section 1, only encoded words have charsets',
    message: withHeader('From: ada@x.test', 'Subject: a=?b'),
    expected: { subject: 'a=?b', ...hello },
  },
  {
    title: 'fields are returned with their names and in their order',
    says: 'RFC 5322 section 3.6, must not be reordered',
    message: withHeader('Received: b', 'Received: a', 'X-UPPER: 1', 'x-lower: 2', 'From: ada@x.test'),
    expected: { headers: { Received: 'b', 'X-UPPER': '1', 'x-lower': '2' }, ...hello },
  },
  {
    title: 'a header whose lines end with LF alone',
    says: 'project: RFC 5322 section 2.3 forbids it, local tools write it',
    message: 'From: ada@x.test\nSubject: one\n two\n\nHello\n',
    expected: { subject: 'one two', ...hello },
  },
  {
    title: 'a header whose lines end with LF, and an empty line with CRLF',
    says: 'project: RFC 5322 section 2.3 forbids it, local tools write it',
    message: 'From: ada@x.test\nSubject: s\n\r\nHello\r\n',
    expected: { subject: 's', ...hello },
  },
  {
    title: 'the From line of a mailbox file before the header',
    says: 'RFC 4155, which is no part of the message',
    message: withHeader('From ada@x.test Fri Jan  2 03:04:05 2026', 'From: ada@x.test', 'Subject: s'),
    expected: { subject: 's', from: [['', 'ada@x.test']], ...hello },
  },
  {
    title: 'a line between fields that is not a field',
    says: 'project: it hides nothing that follows',
    message: withHeader('From: ada@x.test', 'this is no field', 'Subject: s'),
    expected: { subject: 's', ...hello },
  },
  {
    title: 'a field without a name',
    says: 'RFC 5322 section 2.2, a name has one character at least',
    message: withHeader('From: ada@x.test', ': value', 'Subject: s'),
    expected: { subject: 's', ...hello },
  },
  {
    title: 'a line with a space in its name is not a field',
    says: 'RFC 5322 section 2.2, printable characters without space',
    message: withHeader('From: ada@x.test', 'Not a field: x', 'Subject: s'),
    expected: { subject: 's', ...hello },
  },
  {
    title: 'a message that has only a header',
    says: 'RFC 5322 section 3.5, the body is optional',
    message: lines('From: ada@x.test', 'Subject: s'),
    expected: { subject: 's', leaves: [text('')] },
  },
  {
    title: 'a message that has only a header, without a line end',
    says: 'project: cut short',
    message: 'From: ada@x.test\r\nSubject: s',
    expected: { subject: 's', leaves: [text('')] },
  },
  {
    title: 'a message that ends with the empty line',
    says: 'RFC 5322 section 3.5',
    message: lines('From: ada@x.test', 'Subject: s', ''),
    expected: { subject: 's', leaves: [text('')] },
  },
  {
    title: 'a body that looks like a header',
    says: 'RFC 5322 section 2.1, the first empty line ends the header',
    message: lines('From: ada@x.test', '', 'Subject: not this', '', 'Hello'),
    expected: { subject: '', leaves: [text('Subject: not this\n\nHello\n')] },
  },
  {
    title: 'a body that begins with empty lines',
    says: 'RFC 5322 section 2.1',
    message: lines('From: ada@x.test', '', '', '', 'Hello'),
    expected: { leaves: [text('\n\nHello\n')] },
  },
  {
    title: 'MIME fields in small letters and folded',
    says: 'RFC 2045 section 3, RFC 5322 section 2.2.3',
    message: lines('from: ada@x.test', 'content-type: text/html;', '\tcharset="utf-8"', '', utf8('<p>Grüße')),
    expected: { leaves: [html('<p>Grüße\n')] },
  },
  {
    title: 'a Content-Type folded within a parameter',
    says: 'RFC 5322 section 2.2.3',
    message: lines(
      'From: ada@x.test',
      'Content-Type: text/html; charset',
      ' =',
      ' utf-8',
      '',
      utf8('<p>Grüße!'),
    ),
    expected: { leaves: [html('<p>Grüße!\n')] },
  },
  {
    title: 'no MIME-Version',
    says: 'project: RFC 2045 section 4 wants one, mail without it is read all the same',
    message: lines('From: ada@x.test', 'Content-Type: text/html', '', '<p>Hello'),
    expected: { leaves: [html('<p>Hello\n')] },
  },
  {
    title: 'a comment in MIME-Version',
    says: 'RFC 2045 section 4',
    message: lines('From: ada@x.test', 'MIME-Version: 1.(x)0', 'Content-Type: text/html', '', '<p>Hi'),
    expected: { leaves: [html('<p>Hi\n')] },
  },
  {
    title: 'a hundred fields before the subject',
    says: 'RFC 5322 section 3.6 has no limit',
    message: withHeader(
      ...Array.from({ length: 100 }, (_, i) => `X-${i}: ${i}`),
      'From: ada@x.test',
      'Subject: last',
    ),
    expected: { subject: 'last', headers: { 'X-99': '99' }, ...hello },
  },
  {
    title: 'a NUL in a subject',
    says: 'project: RFC 5322 section 4.1 calls it obsolete',
    message: withHeader('From: ada@x.test', 'Subject: a\0b'),
    expected: { subject: 'a\0b', ...hello },
  },
])
