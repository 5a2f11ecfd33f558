import { describe, expect, it } from 'vitest'
import { renderTexts } from '../../src/templates/engines.ts'

const maxBytes = { subject: 4000, bodies: 1_000_000 }
const render = async (html: string, data: unknown): Promise<string> =>
  (await renderTexts({ engine: 'mustachio', texts: { html }, data, maxBytes })).html

describe('templates of Mustachio', () => {
  it.each<[source: string, data: object, expected: string]>([
    ['Hello {{ person.first_name }}', { person: { first_name: 'Andrew' } }, 'Hello Andrew'],
    [
      '{{#person}}\n   Hello {{first_name}} \n{{/person}}',
      { person: { first_name: 'A' } },
      '\n   Hello A \n',
    ],
    [
      '{{#each employees}}<li>{{ name }}</li>{{/each}}',
      { employees: [{ name: 'W' }, { name: 'R' }] },
      '<li>W</li><li>R</li>',
    ],
    ['{{#each a.b}}{{.}}{{../../../c}},{{/each}}', { a: { b: [1, 2] }, c: 'x' }, '1x,2x,'],
    [
      '{{#each Company.ceo.products}}{{name}} {{../../last_name}};{{/each}}',
      { Company: { ceo: { last_name: 'Smith', products: [{ name: '0' }, { name: '1' }] } } },
      '0 Smith;1 Smith;',
    ],
    ['{{stuff}} {{{stuff}}} {{&stuff}}', { stuff: '<b>"\'&' }, '&lt;b&gt;&quot;&#39;&amp; <b>"\'& <b>"\'&'],
    ['as{{!stu\n ff}}df', {}, 'asdf'],
    ['{{^stuff}}No Stuff{{/stuff}}', {}, 'No Stuff'],
    ['{{^not_here}}{{../placeholder}}{{/not_here}}', { not_here: false, placeholder: 'x' }, 'x'],
    [
      '{{#english}}Hi, {{../name}}{{/english}}{{#spanish}}x{{/spanish}}',
      { english: true, name: 'Dave' },
      'Hi, Dave',
    ],
    ['{{#name}}{{.}}{{^name}}friend{{/name}}', { name: 'Ada' }, 'Ada'],
    ['{{#name}}{{.}}{{^name}}friend{{/name}}', {}, 'friend'],
    ['{{^name}}friend{{#name}}{{.}}{{/name}}', { name: 'Ada' }, 'Ada'],
    ["You've won {{times_won}} times!", { times_won: 0 }, "You've won 0 times!"],
    ["You've won {{times_won}} times!", { times_won: null }, "You've won  times!"],
    ["You've won {{times_won}} times!", { times_won: false }, "You've won False times!"],
    ['{{../../../a}}', { a: 1 }, '1'],
    ['{{^ each}}x{{/ each}}', {}, 'x'],
    ['{ {{a}} } {{}} {{{a} {{{{a}}}} {{ {a}', { a: 1 }, '{ 1 } {{}} {{{a} {1} {{ {a}'],
    [
      '{{constructor}}{{__proto__}}{{toString}}{{a.length}}{{b.constructor}}{{#b.__proto__}}x{{/b.__proto__}}',
      { a: 'x', b: {} },
      '',
    ],
    ['{{ÄÖ_1}}', { ÄÖ_1: 'x' }, 'x'],
    ...[[], false, '', 0, null, {}].flatMap((nothing): [string, object, string][] => [
      ['{{#o}}x{{/o}}', { o: nothing }, ''],
      ['{{#each o}}x{{/each}}', { o: nothing }, ''],
      ['{{^o}}x{{/o}}', { o: nothing }, 'x'],
    ]),
  ])('%j with %j become %j', async (source, data, expected) => {
    expect(await render(source, data)).toBe(expected)
  })

  it.each<[source: string, message: string]>([
    ['a\n {{#each items}}x', 'line 2, column 2: opens "items", which is not closed: add {{/each}}'],
    ['{{#a}}', 'line 1, column 1: opens "a", which is not closed: add {{/a}}'],
    ['{{#a}}{{/b}}{{/a}}', 'closes "b", but "a" is open: close that first'],
    ['{{/a}}', 'closes "a", which is not open'],
    ['{{/each}}', 'closes a loop, and none is open here'],
    ['{{^each}}x{{/each}}', 'closes a loop, and none is open here'],
    ['{{# each}}x{{/each}}', 'closes a loop, and none is open here'],
    ['{{#each a}}x{{/each }}', 'has spaces in its braces: a loop ends with {{/each}}'],
    ['{{#each a}}x{{/ each}}', 'has spaces in its braces: a loop ends with {{/each}}'],
    ['{{#a}}x{{/each }}', 'closes "each", but "a" is open'],
    ['{{#each}}x{{/each}}', 'has no name between its braces'],
    ['{{a b}}', '"a b" is not a path'],
    ['{{a..b}}', 'is not a path'],
    ['{{.../a}}', 'is not a path'],
    ['{{a/b}}', 'is not a path'],
    ['{{> partial}}', 'is not a path'],
    ['{{@content}}', 'is not a path'],
    ['{{ }}', 'has no name between its braces'],
  ])('%j is refused: %s', async (source, message) => {
    await expect(render(source, {})).rejects.toMatchObject({
      code: 'invalid_template',
      errors: expect.arrayContaining([{ field: 'html', message: expect.stringContaining(message) }]),
    })
  })

  it.each([
    ['{{#each a}}x{{/each}}', { a: 'text' }],
    ['{{#each a}}x{{/each}}', { a: { b: 1 } }],
    ['x\n{{a}}', { a: { b: 1 } }],
    ['{{a}}', { a: [1] }],
  ])('%j is refused with %j', async (source, data) => {
    await expect(render(source, data)).rejects.toMatchObject({
      code: 'invalid_template',
      errors: [{ field: 'html' }],
    })
  })
})
