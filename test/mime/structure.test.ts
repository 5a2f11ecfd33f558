import { describe, expect, it } from 'vitest'
import { readStructure } from '../../src/mime/structure.ts'
import { parseWithContents } from './_message.ts'
import { expectRead, head, lines, mixed, type Wanted } from './_structure.ts'

const type = (value: string): string => `Content-Type: ${value}`
const base64 = 'Content-Transfer-Encoding: base64'

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

/** A line that is not a field, in each place of a header. `file` is a file of 3 octets in base64. */
const broken: readonly [place: string, before: readonly string[], after: readonly string[]][] = [
  ['between fields', [type('application/pdf; name=a.pdf')], [base64]],
  ['before an extension field', [type('application/pdf; name=a.pdf'), base64], ['X-Attachment-Id: 1']],
  ['before the fields', [], [type('application/pdf; name=a.pdf'), base64]],
  ['behind a folded field', [type('application/pdf;'), ' name=a.pdf'], [base64]],
]
const brokenLines: readonly (readonly string[])[] = [
  ['links or open attachments unless'],
  ['see http://acme.test: now', 'and\xfc so on'],
  ['a\x00b'],
  ['two lines', ' of which one is folded'],
  ['Note that this', 'is: not a field of a part'],
]

describe('a line that is not a field', () => {
  it.each(broken.flatMap((row) => brokenLines.map((garbage) => [row[0], garbage, row] as const)))(
    '%s of a part is skipped: %j',
    async (_, garbage, [, before, after]) => {
      const problem = new RegExp(`header of a part has a line .*"${garbage[0]?.slice(0, 5)}`)
      const part = ['--b', ...before, ...garbage, ...after, '', 'AAAA', '--b--']
      // oxlint-disable-next-line no-control-regex
      const named = garbage[0]?.includes('\0') ? /header of a part has a line/ : problem
      await expectRead(mixed('--b', '', 'Hello', ...part), {
        text: 'Hello',
        files: [['application/pdf', 'a.pdf', '\0\0\0']],
        problem: named,
      })
    },
  )

  it('is skipped in a part of text, an inner multipart and an attached message', async () => {
    const inner = ['Content-Type: multipart/mixed; boundary=c', 'garbage', 'Content-ID: <1>', '']
    const text = ['--c', 'garbage', type('text/html'), '', '<p>', '--c--']
    await expectRead(mixed('--b', ...inner, ...text, '--b--'), { html: '<p>', problem: /"garbage"/ })
    const message = ['Subject: s', 'garbage', 'X-A: b', '', 'Bye']
    const attached = await parseWithContents(
      Buffer.from(mixed('--b', type('message/rfc822'), '', ...message, '--b--')),
    )
    expect(attached.problem).toBeNull()
    await expectRead(attached.attachments[0]?.content ?? '', {
      text: 'Bye',
      problem: /message has.*"garbage"/,
    })
  })

  it.each([
    ['no further field follows', [type('text/plain'), 'Hello', 'Note: Ada']],
    ['a further field is far below', [type('text/plain'), ...Array<string>(21).fill('Hello'), base64]],
    ['the first field of a part is no field of parts', ['Hello', 'X-Ray: y']],
  ])('begins the text of a part if %s', async (_, part) => {
    const shown = part[0] === 'Hello' ? part : part.slice(1)
    await expectRead(mixed('--b', ...part, '', 'Bye', '--b--'), { text: [...shown, '', 'Bye'].join('\n') })
  })
})

describe('a message', () => {
  it.each([
    [
      'garbage between its fields',
      'Subject: s\r\ngarbage\r\nX-A: b\r\n\r\nBye',
      /message has a line .*"garbage"/,
    ],
    ['an unfinished first line', 'garbage\r\nSubject: s\r\n\r\nBye', /"garbage"/],
    ['the first line of a mailbox', 'From a@b.test Thu Nov 26\r\nSubject: s\r\n\r\nBye', undefined],
    ['that line quoted', '>From a@b.test Thu Nov 26\r\nSubject: s\r\n\r\nBye', undefined],
  ])('with %s is read', (_, source, problem) =>
    expectRead(source, problem ? { text: 'Bye', problem } : { text: 'Bye' }),
  )

  it.each([
    ['whose empty line is missing', 'Subject: s\r\nHello Ada\r\n\r\nBye', 'Hello Ada\n\nBye'],
    ['without a header', 'Hello Ada\r\nhow are you\r\n\r\nBye', 'Hello Ada\nhow are you\n\nBye'],
    ['with octets beyond ASCII before the missing line', 'Subject: \xc3\xbc\r\nHello\r\n', 'Hello\n'],
  ])('%s is shown', (_, source, text) => expectRead(source, { text }))
})
