import { describe, expect, it } from 'vitest'
import { renderTexts, type LanguageEngine } from '../../src/templates/engines.ts'

const maxBytes = { subject: 4000, bodies: 10_000_000 }
const thousand = Array.from({ length: 1000 }, (_, i) => i)
const million = 'x'.repeat(1_000_000)
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** The result of a hostile template: the code of the error, or the size of the result. */
async function outcome(engine: LanguageEngine, html: string, data: unknown): Promise<string | number> {
  try {
    return (await renderTexts({ engine, texts: { html }, data, maxBytes })).html.length
  } catch (error) {
    const { code = String(error) } = error as { code?: string }
    return code
  }
}

const each = (depth: number, path: string, inner: string): string =>
  `{{#each ${path}}}`.repeat(depth) + inner + '{{/each}}'.repeat(depth)

/** Each with what becomes of it: `invalid_template`, `message_too_large`, or the length of the result. */
const both: Readonly<Record<string, [html: string, data: unknown, becomes: string | number]>> = {
  'loops over a list that is not there': [each(5, 'list', 'x'), {}, 0],
  'one loop over 1,000 items': ['{{#each list}}x{{/each}}', { list: thousand }, 1000],
  'a million blocks in each other': [
    '{{#a}}'.repeat(150_000) + '{{/a}}'.repeat(150_000),
    {},
    'invalid_template',
  ],
  '101 blocks in each other': ['{{#a}}'.repeat(102) + '{{/a}}'.repeat(102), {}, 'invalid_template'],
  'a million blocks that are not closed': ['{{#a}}'.repeat(150_000), {}, 'invalid_template'],
  'a million blocks that are not open': ['{{/a}}'.repeat(150_000), {}, 'invalid_template'],
  'an unclosed loop': ['{{#each list}}x', { list: thousand }, 'invalid_template'],
  'a partial': ['{{> other}}', {}, 'invalid_template'],
  'a decorator': ['{{* other}}', {}, 'invalid_template'],
  'an unknown helper': ['{{other name}}', {}, 'invalid_template'],
  'the constructor': ['{{constructor}}{{a.constructor}}{{a.b.constructor.name}}', { a: { b: {} } }, 0],
  'the prototype': ['{{__proto__}}{{a.__proto__.toString}}{{#__proto__}}x{{/__proto__}}', { a: {} }, 0],
  'data with the name of the prototype': ['{{__proto__.x}}', JSON.parse('{"__proto__":{"x":"abc"}}'), 3],
  'a million tags': ['{{a}}'.repeat(200_000), { a: 1 }, 'invalid_template'],
  '1 MB of text': [million, {}, 1_000_000],
  '1 MB of opening braces': ['{'.repeat(1_000_000), {}, expect.anything()],
  '1 MB of lines before a block': [`${'\n'.repeat(1_000_000)}x{{#a}}y{{/a}}`, { a: true }, 1_000_002],
  '1 MB of spaces before a block': [`x${' '.repeat(1_000_000)}{{#a}}y{{/a}}`, { a: true }, 1_000_002],
  'a path of 1 MB': [`{{a${'.a'.repeat(500_000)}}}`, {}, expect.anything()],
  'a name of 1 MB': [`{{${million}}}`, {}, 0],
  'data that is nested deeply': ['{{a}}', { a: nested(5000) }, 'validation_error'],
}

const ofHandlebars: typeof both = {
  'output of 10 MB and more': [
    '{{#each list}}{{{../text}}}{{/each}}',
    { list: thousand, text: million },
    'message_too_large',
  ],
  'loops in loops': [each(5, '@root.list', 'x'), { list: thousand }, 'invalid_template'],
  'loops without a result': [each(5, '@root.list', ''), { list: thousand }, 'invalid_template'],
  'a list that joins itself': ['{{list}}'.repeat(2000), { list: thousand }, 'invalid_template'],
  'long texts that are compared': [
    each(2, '@root.list', '{{#equals @root.a @root.b}}{{/equals}}'),
    { list: thousand, a: million, b: `${million.slice(1)}y` },
    'invalid_template',
  ],
  'a value that grows when it is escaped': ['{{a}}', { a: '"'.repeat(9_000_000) }, 'message_too_large'],
  'a lookup of the prototype': [
    '{{lookup a "constructor"}}{{lookup (lookup a "__proto__") "x"}}',
    { a: {} },
    0,
  ],
  'expressions in each other': [
    `{{lookup ${'(lookup '.repeat(100_000)}a "b"${') "b"'.repeat(100_000)} "c"}}`,
    {},
    'invalid_template',
  ],
  'else if 100,000 times': [`{{#if a}}${'{{else if a}}'.repeat(100_000)}{{/if}}`, {}, 'invalid_template'],
  'a million parameters': [`{{lookup ${'a '.repeat(500_000)}}}`, {}, 'invalid_template'],
  'an unclosed tag': ['{{name', {}, 'invalid_template'],
  'an unclosed string': [`{{lookup "${'\\"'.repeat(500_000)}`, {}, 'invalid_template'],
  'an unclosed comment': [`{{!--${'{{!--'.repeat(200_000)}`, {}, 'invalid_template'],
  'the log': ['{{log "x"}}', {}, 'invalid_template'],
  'the log without a text': ['{{log}}', { log: 'x' }, 'invalid_template'],
  'the log as a block': ['{{#log}}x{{/log}}', { log: 'x' }, 'invalid_template'],
  'an inline partial': ['{{#*inline "a"}}x{{/inline}}{{> a}}', {}, 'invalid_template'],
  'a partial block': ['{{#> layout}}x{{/layout}}', {}, 'invalid_template'],
  'a helper of the package that is no helper here': ['{{helperMissing "a"}}', {}, 'invalid_template'],
  'a block helper without a block': ['{{if a}}', {}, 'invalid_template'],
  'too many parameters': ['{{#if a b}}x{{/if}}', {}, 'invalid_template'],
  'more names of a block than it gives values': [
    `{{#each list as |a b c|}}{{c}}{{/each}}`,
    { list: thousand },
    'invalid_template',
  ],
  'a NUL': ['\0{{a}}', { a: 1 }, expect.anything()],
}

const ofMustachio: typeof both = {
  'a path of more names than data is nested': [`{{a${'.a'.repeat(100)}}}`, {}, 'invalid_template'],
  'the longest path': [`{{a${'.a'.repeat(99)}}}`, {}, 0],
  'output of 10 MB and more': [
    '{{#each list}}{{{../../text}}}{{/each}}',
    { list: thousand, text: million },
    'message_too_large',
  ],
  'loops in loops': [
    each(
      1,
      'list',
      each(1, '../../list', each(1, '../../../../list', each(1, '../../../../../../list', 'x'))),
    ),
    { list: thousand },
    'invalid_template',
  ],
  'a large object that is looked at again and again': [
    '{{#each list}}{{#../../many}}{{/../../many}}{{/each}}',
    { list: thousand, many: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])) },
    0,
  ],
}

describe.each<[LanguageEngine, typeof both]>([
  ['handlebars', { ...both, ...ofHandlebars }],
  ['mustachio', { ...both, ...ofMustachio }],
])('a hostile template of %s', (engine, all) => {
  it.each(Object.entries(all))(
    'ends, where it would not without bounds: %s',
    async (_, [html, data, becomes]) => {
      expect(await outcome(engine, html, data)).toEqual(becomes)
    },
  )
})
