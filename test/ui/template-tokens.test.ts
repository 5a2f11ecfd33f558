import { describe, expect, it } from 'vitest'
import { templateTokens } from '../../ui/views/templates/template-tokens.ts'

/** The text of each token, and its kind. */
const read = (source: string, isHtml = true): [string, string][] =>
  templateTokens(source, isHtml).map(({ start, end, kind }) => [kind, source.slice(start, end)])

describe('the colours of a template', () => {
  it.each<[string, string, [string, string][]]>([
    ['a tag', 'a <br> b', [['tag', '<br>']]],
    [
      'values, and a placeholder within one',
      `<a href="{{ link }}" title='x>y'>`,
      [
        ['tag', `<a href="{{ link }}" title='x>y'>`],
        ['value', '"{{ link }}"'],
        ['value', `'x>y'`],
        ['placeholder', '{{ link }}'],
      ],
    ],
    ['a comment with a tag', '<!-- <b> -->', [['comment', '<!-- <b> -->']]],
    ['a comment without an end', 'a <!-- b', [['comment', '<!-- b']]],
    ['a tag without an end', 'a <b c', [['tag', '<b c']]],
    [
      'a style sheet',
      '<style>a > b { c: "<i>" } {{name}}</style>',
      [
        ['tag', '<style>'],
        ['tag', '</style>'],
        ['placeholder', '{{name}}'],
      ],
    ],
    [
      'tags in preformatted text',
      '<pre><b></pre>',
      [
        ['tag', '<pre>'],
        ['tag', '<b>'],
        ['tag', '</pre>'],
      ],
    ],
    ['a sign that begins no tag', '1 < 2', []],
    ['a broken placeholder', '{{name} {{1}}', []],
  ])('%s', (_, source, tokens) => expect(read(source)).toEqual(tokens))

  it('of text are its placeholders', () =>
    expect(read('<b> {{name}}', false)).toEqual([['placeholder', '{{name}}']]))
})
