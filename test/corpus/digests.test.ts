import { corpus, file, text, typed } from './_corpus.ts'
import { inner, innerLines, message, withoutEnd } from './_inner.ts'

const digest = (...body: string[]): string => typed('multipart/digest; boundary=d', ...body)

corpus('digests', [
  {
    title: 'the parts of a digest are messages if they have no other type',
    says: 'RFC 2046 section 5.1.5',
    message: digest('--d', '', ...innerLines('one'), '--d', '', ...innerLines('two'), '--d--'),
    expected: {
      leaves: [
        file('message/rfc822', withoutEnd(inner('one'))),
        file('message/rfc822', withoutEnd(inner('two'))),
      ],
    },
  },
  {
    title: 'a part of a digest with another type',
    says: 'RFC 2046 section 5.1.5',
    message: digest(
      '--d',
      'Content-Type: text/plain',
      '',
      'Contents',
      '--d',
      '',
      ...innerLines('two'),
      '--d--',
    ),
    expected: { leaves: [text('Contents'), file('message/rfc822', withoutEnd(inner('two')))] },
  },
  {
    title: 'a part of a digest with the type of a message',
    says: 'RFC 2046 section 5.1.5',
    message: digest('--d', message, '', ...innerLines('one'), '--d--'),
    expected: { leaves: [file('message/rfc822', withoutEnd(inner('one')))] },
  },
  {
    title: 'a part of a digest with other fields of its own',
    says: 'RFC 2046 section 5.1.5',
    message: digest('--d', 'Content-Description: first', '', ...innerLines('one'), '--d--'),
    expected: { leaves: [file('message/rfc822', withoutEnd(inner('one')))] },
  },
  {
    title: 'a digest after a table of contents',
    says: 'RFC 1153, as RFC 2046 section 5.1.5 has it',
    message: typed(
      'multipart/mixed; boundary=m',
      '--m',
      '',
      'Contents',
      '--m',
      'Content-Type: multipart/digest; boundary=d',
      '',
      '--d',
      '',
      ...innerLines('one'),
      '--d',
      '',
      ...innerLines('two'),
      '--d--',
      '--m--',
    ),
    expected: {
      leaves: [
        text('Contents'),
        file('message/rfc822', withoutEnd(inner('one'))),
        file('message/rfc822', withoutEnd(inner('two'))),
      ],
    },
  },
  {
    title: 'a multipart inside a digest has parts of plain text again',
    says: 'RFC 2046 section 5.1.5, the default changes for the digest alone',
    message: digest(
      '--d',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      '',
      'Hello',
      '--m--',
      '--d--',
    ),
    expected: { leaves: [text('Hello')] },
  },
  {
    title: 'a digest without parts inside a message',
    says: 'RFC 2046 section 5.1.1',
    message: digest('--d', '', '', '--d--'),
    expected: { leaves: [file('message/rfc822', '')] },
  },
  {
    title: 'a message of a digest that is a multipart is one part',
    says: 'RFC 2046 section 5.2.1',
    message: digest(
      '--d',
      '',
      'Content-Type: multipart/mixed; boundary=i',
      '',
      '--i',
      '',
      'Hello',
      '--i--',
      '--d--',
    ),
    expected: {
      leaves: [
        file('message/rfc822', 'Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\nHello\r\n--i--'),
      ],
    },
  },
])
