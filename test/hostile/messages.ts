/** The size of each message: just below the maximum. */
const size = 39_000_000

const head = (type: string, more = ''): string =>
  `From: eve@x.test\r\nTo: ada@example.com\r\nSubject: hostile\r\nMIME-Version: 1.0\r\n${more}Content-Type: ${type}\r\n\r\n`

const filled = (start: string, piece: string, end = ''): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(size - start.length - end.length, piece), Buffer.from(end)])

/** A message with a header that is just short enough to be read in the main thread. */
const longHeader = (start: string, piece: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`From: eve@x.test\r\n${start}`),
    Buffer.alloc(1_000_000, piece),
    Buffer.from('\r\n\r\nbody\r\n'),
  ])

const nested = (depth: number): string => {
  let text = ''
  for (let i = 0; i < depth; i++) text += `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`
  return text
}

const part = '--b\r\nContent-Type: text/plain; name=a.txt\r\n\r\nx\r\n'

/** Messages that cost a careless parser seconds or gigabytes, by kind. */
export const hostileMessages: Readonly<Record<string, () => Buffer>> = {
  'nested HTML': () => filled(head('text/html'), '<div><table><tr><td><b>x'),
  '10,000 parts': () => Buffer.from(head('multipart/mixed; boundary=b') + part.repeat(10_000) + '--b--\r\n'),
  '40 MB of small parts': () => filled(head('multipart/mixed; boundary=b'), part),
  'one line': () => filled(head('text/plain'), 'x'),
  base64: () =>
    filled(
      head('application/octet-stream; name=a.bin', 'Content-Transfer-Encoding: base64\r\n'),
      `${'QUJD'.repeat(19)}\r\n`,
    ),
  'a header': () => filled('From: eve@x.test\r\nTo: ada@example.com\r\nX-Long: ', ' x', '\r\n\r\nbody\r\n'),
  'a header of many fields': () =>
    filled('From: eve@x.test\r\nTo: ada@example.com\r\n', 'a:b\r\n', '\r\nbody\r\n'),
  'a header of encoded words': () =>
    Buffer.from(
      `From: eve@x.test\r\nTo: ada@example.com\r\nSubject: ${'=?utf-8?q?=C3=A4?=\r\n '.repeat(10_000)}x\r\n\r\nbody\r\n`,
    ),
  '1 MB of groups in a header': () => longHeader('To: ', 'a:ada@x.test;, '),
  '1 MB of quotes in a header': () => longHeader('To: ', '"\\a" '),
  '1 MB of open quotes in a header': () => longHeader('To: ', '" '),
  '1 MB of comments in a header': () => longHeader('To: ', '('),
  '1 MB of header lines of a colon': () => longHeader('X: x', '\r\n:'),
  '1 MB of raw octets in a subject': () => longHeader('Subject: ', Buffer.from('\xe4 ', 'latin1')),
  '1 MB of parameters in a header': () => longHeader('Content-Type: text/plain', '; a*0="b"'),
  '1 MB of tags in a signature': () => longHeader('DKIM-Signature: v=1; ', 'a=b; '),
  'lines that end with CR': () => filled(head('text/plain').replaceAll('\r\n', '\r'), 'a line of text\r'),
  'quoted-printable': () =>
    filled(head('text/plain', 'Content-Transfer-Encoding: quoted-printable\r\n'), '=C3=A4=\r\n'),
  'deep multiparts': () =>
    filled(
      `From: eve@x.test\r\nTo: ada@example.com\r\n${nested(5000)}Content-Type: text/plain\r\n\r\n`,
      'x\r\n',
    ),
  links: () => filled(head('text/plain'), 'https://x.test/a?b=c code 123456\r\n'),
  'HTML links': () => filled(head('text/html'), '<a href="https://x.test/">your code is 123456</a>'),
  'an attachment': () =>
    filled(
      `${head('multipart/mixed; boundary=b')}--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
      `${'QUJD'.repeat(19)}\r\n`,
      '\r\n--b--\r\n',
    ),
}

/** A mail as apps send them, with all that reading may load. */
export const ordinaryMessage: Buffer = Buffer.from(
  [
    'From: app@x.test',
    'To: ada@example.com',
    'Subject: =?utf-8?q?=C3=A4?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=c',
    '',
    '--c',
    'Content-Type: text/plain; charset=iso-8859-2',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Your code is 123456. https://x.test/=E9',
    '--c',
    'Content-Type: text/html',
    '',
    '<p>Your code is <b>123456</b> <a href="https://x.test/">x</a><img src="cid:a">',
    '--c--',
    '--b',
    'Content-Type: image/png',
    'Content-ID: <a>',
    'Content-Transfer-Encoding: base64',
    '',
    'QUJD',
    '--b--',
    '',
  ].join('\r\n'),
)
