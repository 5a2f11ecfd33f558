import { corpus, file, html, text, typed } from './_corpus.ts'

const png = 'Content-Type: image/png'
const attached = 'Content-Disposition: attachment'

corpus('empty, deep and many parts', [
  ...['base64', 'quoted-printable', '8bit', '7bit', 'binary'].map((encoding) => ({
    title: `an empty attachment in ${encoding} has 0 bytes`,
    says: 'RFC 2046 section 5.1.1, body-part = MIME-part-headers [CRLF *OCTET]',
    message: typed(
      'multipart/mixed; boundary=b',
      '--b',
      '',
      'Hello',
      '--b',
      `${attached}; filename=e`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      '',
      '--b--',
    ),
    expected: { leaves: [text('Hello'), file('text/plain', '', { name: 'e' })] },
  })),
  {
    title: 'an attachment that ends with its header has 0 bytes',
    says: 'RFC 2046 section 5.1.1, the line end before a boundary belongs to it',
    message: typed('multipart/mixed; boundary=b', '--b', '', 'Hello', '--b', png, attached, '', '--b--'),
    expected: { leaves: [text('Hello'), file('image/png', '')] },
  },
  {
    title: 'a part without a header',
    says: 'RFC 2046 section 5.1, NO header fields are actually required',
    message: typed('multipart/mixed; boundary=b', '--b', '', 'Hello', '', '--b--'),
    expected: { leaves: [text('Hello\n')] },
  },
  {
    title: 'forty levels of multiparts',
    says: 'RFC 2046 section 5.1.1, nesting has no limit',
    message: typed(
      'multipart/mixed; boundary=b0',
      ...Array.from({ length: 40 }, (_, i) => [
        `--b${i}`,
        `Content-Type: multipart/mixed; boundary=b${i + 1}`,
        '',
      ]).flat(),
      '--b40',
      '',
      'Hello',
      '--b40--',
      ...Array.from({ length: 40 }, (_, i) => `--b${39 - i}--`),
    ),
    expected: { leaves: [text('Hello')], problem: false },
  },
  {
    title: 'a hundred files',
    says: 'RFC 2046 section 5.1.3',
    message: typed(
      'multipart/mixed; boundary=b',
      '--b',
      '',
      'Hello',
      ...Array.from({ length: 100 }, (_, i) => [
        '--b',
        png,
        `${attached}; filename=${i}.png`,
        '',
        `png ${i}`,
      ]).flat(),
      '--b--',
    ),
    expected: {
      leaves: [
        text('Hello'),
        ...Array.from({ length: 100 }, (_, i) => file('image/png', `png ${i}`, { name: `${i}.png` })),
      ],
    },
  },
  {
    title: 'a Content-ID with spaces around it',
    says: 'RFC 2045 section 7',
    message: typed(
      'multipart/related; boundary=b',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>x',
      '--b',
      png,
      'Content-ID:   <i@x>  ',
      '',
      'png',
      '--b--',
    ),
    expected: { leaves: [html('<p>x'), file('image/png', 'png', { cid: 'i@x', disposition: 'inline' })] },
  },
  {
    title: 'two files of one name',
    says: 'RFC 2183 section 2.3',
    message: typed(
      'multipart/mixed; boundary=b',
      '--b',
      '',
      'Hello',
      '--b',
      png,
      `${attached}; filename=a.png`,
      '',
      '1',
      '--b',
      png,
      `${attached}; filename=a.png`,
      '',
      '2',
      '--b--',
    ),
    expected: {
      leaves: [
        text('Hello'),
        file('image/png', '1', { name: 'a.png' }),
        file('image/png', '2', { name: 'a.png' }),
      ],
    },
  },
])
