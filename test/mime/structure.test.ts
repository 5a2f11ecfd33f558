import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readStructure } from '../../src/mime/structure.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { parseWithContents } from './_message.ts'

const lines = (...all: string[]): string => all.join('\r\n')
const head = (type: string): string => `From: a@b.test\r\nMIME-Version: 1.0\r\nContent-Type: ${type}`
const mixed = (...rest: string[]): string => lines(head('multipart/mixed; boundary=b'), '', ...rest)

interface Wanted {
  text?: string
  html?: string
  /** Type, name and content of each attachment. */
  files?: [content_type: string, filename: string | null, content: string][]
  problem?: RegExp
}

async function expectRead(source: string | Buffer, wanted: Wanted): Promise<void> {
  const bytes = typeof source === 'string' ? Buffer.from(source, 'latin1') : source
  const { text, html, attachments, problem } = await parseWithContents(bytes)
  const files = attachments.map(({ content_type, filename, content }) => [
    content_type,
    filename,
    content.toString('latin1'),
  ])
  expect({ text, html, files }).toEqual({
    text: wanted.text ?? '',
    html: wanted.html ?? '',
    files: wanted.files ?? [],
  })
  if (wanted.problem) expect(problem).toMatch(wanted.problem)
  else expect(problem).toBeNull()
  for (const { content, size_bytes, sha256 } of attachments) {
    expect(size_bytes).toBe(content.length)
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'))
  }
}

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
    'text after the first body of its kind is one too': [
      mixed(...text, '--b', 'Content-Type: text/plain', '', 'Footer', '--b--'),
      { text: 'Hello', files: [['text/plain', null, 'Footer']] },
    ],
    'HTML after an alternative is one too': [
      mixed(
        '--b',
        'Content-Type: multipart/alternative; boundary=c',
        '',
        '--c',
        '',
        'T',
        '--c',
        'Content-Type: text/html',
        '',
        '<p>H',
        '--c--',
        '--b',
        'Content-Type: text/html',
        '',
        '<p>F',
        '--b--',
      ),
      { text: 'T', html: '<p>H', files: [['text/html', null, '<p>F']] },
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
    const bodies = [text, html].filter((part) => part !== null)
    expect(new Set([...bodies, ...attachments])).toEqual(new Set(parts))
    expect(bodies.length + attachments.length).toBe(parts.length)
  })
})

describe('boundaries', () => {
  const cases: Record<string, [source: string, wanted: Wanted]> = {
    'a missing inner close ends at the outer boundary (RFC 2046 section 5.1.2)': [
      mixed(
        '--b',
        'Content-Type: multipart/alternative; boundary=c',
        '',
        '--c',
        '',
        'T',
        '--c',
        'Content-Type: text/html',
        '',
        '<p>H',
        '--b',
        'Content-Type: image/png; name=a.png',
        '',
        'png',
        '--b--',
      ),
      { text: 'T', html: '<p>H', files: [['image/png', 'a.png', 'png']] },
    ],
    'two missing inner closes end at the outermost': [
      mixed(
        '--b',
        'Content-Type: multipart/mixed; boundary=c',
        '',
        '--c',
        'Content-Type: multipart/mixed; boundary=d',
        '',
        '--d',
        '',
        'T',
        '--b',
        'Content-Type: a/b',
        '',
        'x',
        '--b--',
      ),
      { text: 'T', files: [['a/b', null, 'x']] },
    ],
    'white space may follow (section 5.1.1)': [
      mixed('--b \t ', '', 'T', '--b\t', 'Content-Type: a/b', '', 'x', '--b--  ', 'epilogue'),
      { text: 'T', files: [['a/b', null, 'x']] },
    ],
    'what begins like one and goes on is none': [
      mixed('--b', '', 'T', '--bb', '--b x', '--b--x', '--b--'),
      { text: 'T\n--bb\n--b x\n--b--x' },
    ],
    'one that another begins with': [
      mixed(
        '--b',
        'Content-Type: multipart/mixed; boundary=b-1',
        '',
        '--b-1',
        '',
        'T',
        '--b-1--',
        '--b',
        'Content-Type: a/b',
        '',
        'x',
        '--b--',
      ),
      { text: 'T', files: [['a/b', null, 'x']] },
    ],
    'preamble and epilogue are no parts': [
      mixed('preamble', '--b', '', 'T', '--b--', 'epilogue'),
      { text: 'T' },
    ],
    'one of 70 characters in quotes, with all that may stand in it': [
      lines(
        head(`multipart/mixed; boundary="${`'()+_,-./:=? `.padEnd(70, 'x')}"`),
        '',
        `--${`'()+_,-./:=? `.padEnd(70, 'x')}`,
        '',
        'T',
        `--${`'()+_,-./:=? `.padEnd(70, 'x')}--`,
      ),
      { text: 'T' },
    ],
    'a line in the middle of another is none': [mixed('--b', '', 'x --b', '--b--'), { text: 'x --b' }],
    'the close is missing': [
      mixed('--b', '', 'T', '--b', 'Content-Type: a/b', '', 'x'),
      { text: 'T', files: [['a/b', null, 'x']] },
    ],
    'the boundary is nowhere': [mixed('just text'), { text: 'just text', problem: /boundary/ }],
    'no boundary is named': [
      lines(head('multipart/mixed'), '', 'just text'),
      { text: 'just text', problem: /boundary/ },
    ],
    'that of a part is nowhere': [
      mixed('--b', '', 'T', '--b', 'Content-Type: multipart/mixed; boundary=gone', '', 'lost?', '--b--'),
      { text: 'T', files: [['text/plain', null, 'lost?']], problem: /boundary/ },
    ],
    'parts of a digest are messages (section 5.1.5)': [
      lines(
        head('multipart/digest; boundary=b'),
        '',
        '--b',
        '',
        'Subject: 1',
        '',
        'one',
        '--b',
        'Content-Type: text/plain',
        '',
        'T',
        '--b--',
      ),
      { text: 'T', files: [['message/rfc822', null, 'Subject: 1\r\n\r\none']] },
    ],
    'the first of two Content-Type fields counts': [
      lines(head('multipart/mixed; boundary=b'), 'Content-Type: text/plain', '', '--b', '', 'T', '--b--'),
      { text: 'T' },
    ],
    'a Content-Type with comments and white space': [
      lines(head('multipart / mixed (a (b) c); boundary=b (d)'), '', '--b', '', 'T', '--b--'),
      { text: 'T' },
    ],
    'a Content-Type that is none is plain text (RFC 2045 section 5.2)': [
      lines(head('text'), '', 'T'),
      { text: 'T' },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, [source, wanted]) => expectRead(source, wanted))
  it.each(Object.entries(cases))('with bare LF: %s', (_, [source, wanted]) =>
    expectRead(source.replaceAll('\r\n', '\n'), withLineEnds(wanted, '\n')),
  )
  it.each(Object.entries(cases))('with bare CR: %s', (_, [source, wanted]) =>
    expectRead(source.replaceAll('\r\n', '\r'), withLineEnds(wanted, '\r')),
  )
})

function withLineEnds(wanted: Wanted, lineEnd: string): Wanted {
  if (!wanted.files) return wanted
  const files = wanted.files.map(([type, name, content]): [string, string | null, string] => [
    type,
    name,
    content.replaceAll('\r\n', lineEnd),
  ])
  return { ...wanted, files }
}

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

describe('bounds', () => {
  it.each([
    ['parts', mixed('--b\r\n\r\nx\r\n'.repeat(1500)), /more than 1000 parts/],
    [
      'depth',
      Array.from(
        { length: 200 },
        (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
      ).join(''),
      /nested more than 100 deep/,
    ],
    [
      'header of one part',
      mixed('--b', `Content-Type: text/plain; x=${'y'.repeat(100_000)}`, '', 'T'),
      /^The header of a part has more than 65536 bytes; the fields after that are not read\.$/,
    ],
    [
      'fields of the message',
      `${'a:b\r\n'.repeat(6000)}Content-Type: text/html\r\n\r\nHello`,
      /^The header of the message has 5000 fields or more; those after that are not read\.$/,
    ],
    [
      'fields of a part',
      mixed('--b', ...Array.from({ length: 6000 }, () => 'a:b'), '', 'T'),
      /^The header of a part has 5000 fields or more; those after that are not read\.$/,
    ],
    [
      'header of the message',
      `${`X-Long: ${'value '.repeat(50)}\r\n`.repeat(4000)}Content-Type: text/html\r\n\r\nHello`,
      /^The header of the message has more than 1048576 bytes; the fields after that are not read\.$/,
    ],
    [
      'boundaries',
      lines(head(`multipart/mixed; boundary=${'b'.repeat(1000)}`), '', `--${'b'.repeat(1000)}`, '', 'T'),
      /^A boundary has more than 200 characters; its multipart is shown as text\.$/,
    ],
    [
      'header of all parts',
      mixed(`--b\r\nX-A: ${'y'.repeat(60_000)}\r\n\r\nx\r\n`.repeat(100)),
      /more than 4194304 bytes of header/,
    ],
    [
      'lines that begin like a boundary',
      mixed('--b', '', '--b x\r\n'.repeat(20_000)),
      /begin like a boundary/,
    ],
    [
      'transfer encodings',
      lines(head('text/plain'), 'Content-Transfer-Encoding: x-odd', '', 'T'),
      /"x-odd" is unknown/,
    ],
  ])('of %s are reported', (_, source, problem) => {
    const started = performance.now()
    const structure = readStructure(Buffer.from(source))
    expect(structure.problem).toMatch(problem)
    expect(structure.parts.length).toBeGreaterThan(0)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('still read the body of a message whose header is too long', async () => {
    const source = Buffer.from(`X-A: ${'y'.repeat(2_000_000)}\r\nContent-Type: text/html\r\n\r\nHello`)
    expect(await parseWithContents(source)).toMatchObject({
      text: 'Hello',
      problem: expect.stringMatching(/^The header of the message has more than/),
    })
  })

  it('drop a cut field at the end of a header that is too long', async () => {
    const long = (to: string): Buffer =>
      Buffer.from(`X-A: ${'y'.repeat(1_048_576 - 20)}\r\nTo: ${to}\r\n\r\nHello`)
    expect(await parseWithContents(long('bob@example.com'))).toMatchObject({ to: [], text: 'Hello' })
    // The list of addresses has a limit of its own.
    const list = Array.from({ length: 30_000 }, (_, i) => `bob${i}@example.com`)
    const { to } = await parseWithContents(Buffer.from(`To: ${list.join(', ')}\r\n\r\nHello`))
    expect(to.map(({ address }) => address)).toEqual(list.slice(0, to.length))
  })

  it('read nested multiparts in linear time', () => {
    const nested = Array.from(
      { length: 90 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}x\r\n\r\n--b${i}x\r\n`,
    ).join('')
    expectLinearCost((size) => readStructure(Buffer.from(`${nested}\r\n${'-'.repeat(size)}`)), 50_000)
    const all = `${nested}\r\n${'-'.repeat(1_000_000)}`
    expect(readStructure(Buffer.from(all)).problem).toBe(null)
    const large = readStructure(Buffer.from(`${nested}\r\n${'-'.repeat(4_000_000)}`))
    expect(large.problem).toBe(
      'Nested multiparts are too large to be taken apart; the innermost is shown as text.',
    )
    expect(large.text).not.toBe(null)
  })
})
