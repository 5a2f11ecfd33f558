import { corpus, lines, text, typed } from './_corpus.ts'

corpus('lines of text', [
  // RFC 3676
  ...(
    [
      [
        'a line that ends with a space is joined with the next',
        ['one ', 'two', 'three'],
        'one two\nthree\n',
        '',
      ],
      ['a stuffed space is removed', [' From here', '  two'], 'From here\n two\n', ''],
      [
        'quotes are joined with quotes of their depth',
        ['> one ', '> two', '>> three'],
        '> one two\n>> three\n',
        '',
      ],
      ['a signature separator is never joined', ['one ', '-- ', 'Ada'], 'one \n-- \nAda\n', ''],
      ['with DelSp the space is removed', ['one ', 'two'], 'onetwo\n', '; delsp=yes'],
    ] as const
  ).map(([title, all, says, parameter]) => ({
    title: `flowed text: ${title}`,
    says: 'RFC 3676 section 4',
    message: typed(`text/plain; format=flowed${parameter}`, ...all),
    expected: { leaves: [text(says, { octets: Buffer.from(lines(...all)) })] },
  })),
  {
    title: 'text that is not flowed keeps the spaces at the ends of its lines',
    says: 'RFC 3676 section 4.1, only with format=flowed',
    message: typed('text/plain; format=fixed', 'one ', 'two'),
    expected: { leaves: [text('one \ntwo\n')] },
  },
  {
    title: 'a lone CR in a text',
    says: 'project: RFC 2046 section 4.1.1 forbids it',
    message: typed('text/plain', 'one\rtwo'),
    expected: { leaves: [text('one\ntwo\n')] },
  },
])
