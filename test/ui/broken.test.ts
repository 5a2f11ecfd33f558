import { describe, expect, it } from 'vitest'
import { render } from '../../src/emails/render.ts'
import { brokenIn } from '../../ui/views/templates/broken.ts'
import { preview } from '../../ui/views/templates/preview.ts'

describe('broken placeholders', () => {
  it.each([
    ['{{name}', 'it closes with one brace and needs two'],
    ['{{name', 'it is never closed'],
    ['{name}}', 'it opens with one brace and needs two'],
    ['{{}}', 'it has no name'],
    ['{{ }}', 'it has no name'],
    ['{{1st}}', 'a name begins with a letter or _'],
    ['{{#if a}}', 'a name begins with a letter or _'],
    ['{{first name}}', 'a name has only letters, digits, _ . and -'],
    ['{{{name}}}', 'of three braces, the outer ones stay as written'],
  ])('%s is named: %s', (written, reason) => {
    expect(brokenIn(`One\nand ${written}`)).toEqual([
      { written, reason, start: 8, end: 8 + written.length, line: 2, column: 5 },
    ])
  })

  it.each(['{{name}}', '{{ user.name-2 }}', '@media print{a{color:red}}', '{}', 'if (a) { b }', '}}'])(
    '%s is none',
    (written) => expect(brokenIn(written)).toEqual([]),
  )

  it('are those that the server leaves as written', () => {
    const source = '{{a}} {{ b }} {{c} {{d e}} {{          f          }}'
    const values = { a: '1', b: '2', f: '6' }
    const { subject } = render({ subject: source, html: '', text: '' }, values)
    expect(preview(source, values)).toEqual({ text: subject, missing: [] })
    expect(brokenIn(source).map(({ written }) => written)).toEqual(['{{c}', '{{d e}}'])
  })
})
