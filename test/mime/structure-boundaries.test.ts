import { describe, it } from 'vitest'
import { expectRead, head, lines, mixed, type Wanted } from './_structure.ts'

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
      { text: 'T\nlost?', problem: /boundary/ },
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
    'a part whose header has bare CRs': [
      lines(head('multipart/mixed; boundary=b'), '', '--b', 'Content-Type: text/html\rX: y\r\rT', '--b--'),
      { html: 'T' },
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
