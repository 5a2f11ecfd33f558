import { corpus, file, html, text, typed } from './_corpus.ts'

const png = 'Content-Type: image/png'

corpus('kinds of multipart', [
  {
    title: 'a kind of multipart that is unknown is like mixed',
    says: 'RFC 2046 section 5.1.7',
    message: typed('multipart/x-unheard-of; boundary=b', '--b', '', 'Hello', '--b', png, '', 'png', '--b--'),
    expected: { leaves: [text('Hello'), file('image/png', 'png')] },
  },
  {
    title: 'parallel parts',
    says: 'RFC 2046 section 5.1.6',
    message: typed('multipart/parallel; boundary=b', '--b', '', 'Hello', '--b', png, '', 'png', '--b--'),
    expected: { leaves: [text('Hello'), file('image/png', 'png')] },
  },
  {
    title: 'a signed message',
    says: 'RFC 1847 section 2.1',
    message: typed(
      'multipart/signed; boundary=b; micalg=pgp-sha256; protocol="application/pgp-signature"',
      '--b',
      'Content-Type: text/plain',
      '',
      'Hello',
      '--b',
      'Content-Type: application/pgp-signature; name=signature.asc',
      '',
      '-----BEGIN',
      '--b--',
    ),
    expected: {
      leaves: [text('Hello'), file('application/pgp-signature', '-----BEGIN', { name: 'signature.asc' })],
    },
  },
  {
    title: 'an encrypted message',
    says: 'RFC 1847 section 2.2',
    message: typed(
      'multipart/encrypted; boundary=b; protocol="application/pgp-encrypted"',
      '--b',
      'Content-Type: application/pgp-encrypted',
      '',
      'Version: 1',
      '--b',
      'Content-Type: application/octet-stream',
      '',
      'xxxx',
      '--b--',
    ),
    expected: {
      leaves: [file('application/pgp-encrypted', 'Version: 1'), file('application/octet-stream', 'xxxx')],
    },
  },
  {
    title: 'form data, of which only the files have names',
    says: 'RFC 7578 section 4.2',
    message: typed(
      'multipart/form-data; boundary=b',
      '--b',
      'Content-Disposition: form-data; name=f; filename=a.bin',
      'Content-Type: application/x-a',
      '',
      'aa',
      '--b--',
    ),
    expected: { leaves: [file('application/x-a', 'aa', { name: 'a.bin' })] },
  },
  {
    title: 'an invitation as an alternative is an attachment',
    says: 'RFC 6047 section 2.4',
    message: typed(
      'multipart/alternative; boundary=b',
      '--b',
      '',
      'Come',
      '--b',
      'Content-Type: text/calendar; method=REQUEST',
      '',
      'BEGIN:VCALENDAR',
      '--b--',
    ),
    expected: { leaves: [text('Come'), file('text/calendar', 'BEGIN:VCALENDAR')] },
  },
  {
    title: 'text of another kind is an attachment',
    says: 'RFC 2046 section 4.1.3',
    message: typed(
      'multipart/alternative; boundary=b',
      '--b',
      'Content-Type: text/enriched',
      '',
      '<bold>Hi</bold>',
      '--b',
      'Content-Type: text/html',
      '',
      '<b>Hi',
      '--b--',
    ),
    expected: { leaves: [file('text/enriched', '<bold>Hi</bold>'), html('<b>Hi')] },
  },
  {
    title: 'a multipart of one part',
    says: 'RFC 2046 section 5.1',
    message: typed('multipart/mixed; boundary=b', '--b', '', 'Hello', '--b--'),
    expected: { leaves: [text('Hello')], problem: false },
  },
])
