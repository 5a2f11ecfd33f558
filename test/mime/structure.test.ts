import { describe, expect, it } from 'vitest'
import { readStructure } from '../../src/mime/structure.ts'
import { parseWithContents } from './_message.ts'
import { expectRead, head, lines, mixed, type Wanted } from './_structure.ts'

describe('which parts are bodies and which attachments', () => {
  const text = ['--b', 'Content-Type: text/plain', '', 'Hello']
  const cases: Record<string, [source: string, wanted: Wanted]> = {
    'text with a file name is an attachment': [
      mixed(...text, '--b', 'Content-Type: text/plain; name=log.txt', '', 'log', '--b--'),
      { text: 'Hello', files: [['text/plain', 'log.txt', 'log']] },
    ],
    'text with a file name before the body is one too': [
      mixed('--b', 'Content-Type: text/html; name=a.html', '', '<p>', ...text, '--b--'),
      { text: 'Hello', files: [['text/html', 'a.html', '<p>']] },
    ],
    'inline text with a file name is one too': [
      mixed(...text, '--b', 'Content-Disposition: inline; filename=a.txt', '', 'x', '--b--'),
      { text: 'Hello', files: [['text/plain', 'a.txt', 'x']] },
    ],
    'text with the disposition attachment is one without a name too': [
      mixed('--b', 'Content-Disposition: attachment', '', 'file', ...text, '--b--'),
      { text: 'Hello', files: [['text/plain', null, 'file']] },
    ],
    'an unknown disposition is an attachment (RFC 2183 section 2.8)': [
      mixed(...text, '--b', 'Content-Type: text/html', 'Content-Disposition: x-odd', '', '<p>', '--b--'),
      { text: 'Hello', files: [['text/html', null, '<p>']] },
    ],
    'what stands beside the root of multipart/related is an attachment': [
      lines(
        head('multipart/related; boundary=b; start="<root>"'),
        '',
        '--b',
        'Content-Type: text/html',
        'Content-ID: <frame>',
        '',
        'frame',
        '--b',
        'Content-Type: text/html',
        'Content-ID: <root>',
        '',
        'root',
        '--b--',
      ),
      { html: 'root', files: [['text/html', null, 'frame']] },
    ],
    'a calendar in an alternative is an attachment': [
      lines(
        head('multipart/alternative; boundary=b'),
        '',
        ...text,
        '--b',
        'Content-Type: text/calendar; charset=utf-8',
        '',
        'BEGIN:VCALENDAR',
        '--b--',
      ),
      { text: 'Hello', files: [['text/calendar', null, 'BEGIN:VCALENDAR']] },
    ],
    'a signature is an attachment': [
      lines(
        head('multipart/signed; boundary=b; protocol="application/pgp-signature"'),
        '',
        ...text,
        '--b',
        'Content-Type: application/pgp-signature; name=signature.asc',
        '',
        'sig',
        '--b--',
      ),
      { text: 'Hello', files: [['application/pgp-signature', 'signature.asc', 'sig']] },
    ],
    'a report is a body and two attachments': [
      lines(
        head('multipart/report; report-type=delivery-status; boundary=b'),
        '',
        ...text,
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; x',
        '--b',
        'Content-Type: text/rfc822-headers',
        '',
        'Subject: x',
        '--b--',
      ),
      {
        text: 'Hello',
        files: [
          ['message/delivery-status', null, 'Reporting-MTA: dns; x'],
          ['text/rfc822-headers', null, 'Subject: x'],
        ],
      },
    ],
    'a message that is one text keeps it as its body, with a name too': [
      lines(head('text/plain; name=a.txt'), '', 'Hello'),
      { text: 'Hello' },
    ],
    'a message that is one file has no body': [
      lines(head('text/plain'), 'Content-Disposition: attachment; filename=a.txt', '', 'Hello'),
      { files: [['text/plain', 'a.txt', 'Hello']] },
    ],
    'an embedded message is one attachment, whatever it has in it': [
      mixed(
        ...text,
        '--b',
        'Content-Type: message/rfc822',
        '',
        'Content-Type: multipart/mixed; boundary=c',
        '',
        '--c',
        '',
        'in',
        '--c--',
        '--b--',
      ),
      {
        text: 'Hello',
        files: [
          [
            'message/rfc822',
            null,
            lines('Content-Type: multipart/mixed; boundary=c', '', '--c', '', 'in', '--c--'),
          ],
        ],
      },
    ],
  }

  it.each(Object.entries(cases))('%s', (_, [source, wanted]) => expectRead(source, wanted))

  it.each(Object.entries(cases))('the list of parts agrees with the message: %s', (_, [source]) => {
    const { parts, text, html, attachments } = readStructure(Buffer.from(source, 'latin1'))
    const bodies = new Set([...text, ...html])
    expect(new Set([...bodies, ...attachments])).toEqual(new Set(parts))
    expect(bodies.size + attachments.length).toBe(parts.length)
  })
})

describe('a part', () => {
  const file = ['--b', 'Content-Type: a/b', 'Content-Disposition: attachment; filename=f']
  const cases: Record<string, [source: string, wanted: Wanted]> = {
    'without an empty line is shown': [
      mixed('--b', 'Content-Type: text/html', '<p>Hello', '--b--'),
      { html: '<p>Hello' },
    ],
    'without a header is shown': [mixed('--b', 'Hello', 'Ada', '--b--'), { text: 'Hello\nAda' }],
    'without a header whose text looks like one is shown': [
      mixed('--b', 'Note: this', 'is text', '', 'all of it', '--b--'),
      { text: 'Note: this\nis text\n\nall of it' },
    ],
    'that is a file and empty has 0 bytes': [mixed(...file, '', '', '--b--'), { files: [['a/b', 'f', '']] }],
    'that is a file and ends with its empty line has 0 bytes': [
      mixed(...file, '', '--b--'),
      { files: [['a/b', 'f', '']] },
    ],
    'that is a file without an empty line has 0 bytes': [
      mixed(...file, '--b--'),
      { files: [['a/b', 'f', '']] },
    ],
    'that is empty, and coded in base64, has 0 bytes': [
      mixed(...file, 'Content-Transfer-Encoding: base64', '', '', '--b--'),
      { files: [['a/b', 'f', '']] },
    ],
    'that is nothing at all is an empty text': [
      mixed('--b', '--b', 'Content-Type: a/b', '', 'x', '--b--'),
      { files: [['a/b', null, 'x']] },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, [source, wanted]) => expectRead(source, wanted))

  it('that is empty has the checksum of nothing', async () => {
    const { attachments } = await parseWithContents(Buffer.from(mixed(...file, '', '', '--b--')))
    expect(attachments).toMatchObject([
      {
        size_bytes: 0,
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      },
    ])
  })
})

describe('a message', () => {
  it.each([
    ['whose empty line is missing', 'Subject: s\r\nHello Ada\r\n\r\nBye', 'Hello Ada\n\nBye'],
    ['without a header', 'Hello Ada\r\nhow are you\r\n\r\nBye', 'Hello Ada\nhow are you\n\nBye'],
    ['with garbage between its fields', 'Subject: s\r\ngarbage\r\nX-A: b\r\n\r\nBye', 'Bye'],
    ['with octets beyond ASCII before the missing line', 'Subject: \xc3\xbc\r\nHello\r\n', 'Hello\n'],
  ])('%s is shown', (_, source, text) => expectRead(source, { text }))
})
