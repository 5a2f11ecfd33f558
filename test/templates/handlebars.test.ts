import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { renderTexts, type RenderOptions } from '../../src/templates/engines.ts'

// The package's types need those of a browser.
const handlebars = createRequire(import.meta.url)('handlebars') as {
  compile(source: string, options?: object): (data: unknown) => string
}

const maxBytes = { subject: 4000, bodies: 1_000_000 }
const render = async (html: string, data: unknown, options?: RenderOptions): Promise<string> =>
  (await renderTexts({ engine: 'handlebars', texts: { html }, data, options, maxBytes })).html

const data = {
  name: 'Ada <b> & "x" \'y\' `z` =',
  'first name': 'first',
  empty: '',
  zero: 0,
  yes: true,
  no: false,
  none: null,
  count: 3,
  list: ['a', 'b', 'c'],
  nested: [
    [1, 2],
    [3, [4, null]],
  ],
  emptyList: [],
  emptyObject: {},
  person: { name: 'Grace', address: { city: 'Paris' }, tags: ['x', 'y'], name2: null },
  people: [
    { name: 'A', tags: ['1', '2'], city: { name: 'P' } },
    { name: 'B', tags: [] },
    { name: null, tags: ['3'] },
  ],
  map: { one: 1, two: { name: 'zwei' } },
}

/** Templates that must become the same as with the package itself. */
const same: readonly string[] = [
  'plain text, { single } braces',
  '{{name}} {{{name}}} {{&name}} {{ name }} {{~name~}} {{{ name }}}',
  '{{empty}}|{{zero}}|{{yes}}|{{no}}|{{none}}|{{missing}}|{{{zero}}}|{{{no}}}|{{{none}}}|{{{missing}}}',
  '{{person.name}} {{person/name}} {{person.address.city}} {{person.missing.deeper}} {{missing.deeper}} {{none.deeper}}',
  '{{list}} {{nested}} {{person}} {{list.length}} {{name.length}} {{list.[1]}} {{list.1}} {{people.0.name}}',
  '{{[first name]}} {{"first name"}} {{person.[name]}} {{this.name}} {{./name}} {{this}}',
  '{{#if yes}}y{{else}}n{{/if}} {{#if no}}y{{else}}n{{/if}} {{#if zero}}y{{else}}n{{/if}} {{#if zero includeZero=true}}y{{else}}n{{/if}}',
  '{{#if empty}}y{{/if}}{{#if emptyList}}y{{/if}}{{#if emptyObject}}y{{/if}}{{#if none}}y{{/if}}{{#if missing}}y{{/if}}{{#if "x"}}y{{/if}}',
  '{{#unless no}}u{{/unless}}{{#unless yes}}u{{else}}e{{/unless}}{{^if no}}i{{/if}}{{#if no}}a{{^}}b{{/if}}',
  '{{#if no}}1{{else if zero}}2{{else if yes}}3{{else}}4{{/if}} {{#if no}}1{{else unless yes}}2{{else}}5{{/if}}',
  '{{#each list}}{{@index}}{{@key}}{{@first}}{{@last}}{{this}}{{.}},{{/each}}',
  '{{#each map}}{{@index}}{{@key}}{{@first}}{{@last}}{{this}};{{/each}}{{#each emptyList}}x{{else}}none{{/each}}{{#each missing}}x{{else}}none{{/each}}{{#each "abc"}}x{{else}}t{{/each}}',
  '{{#each people}}{{name}}{{../count}}{{#each tags}}{{.}}{{../name}}{{../../count}}{{@index}}{{@../index}}{{@root.count}}{{/each}};{{/each}}',
  '{{#each people}}{{#if name}}{{../count}}{{name}}{{#with city}}{{name}}{{../name}}{{@index}}{{/with}}{{/if}}{{/each}}',
  '{{#each people as |p i|}}{{i}}{{p.name}}{{#each p.tags as |t|}}{{t}}{{p.name}}{{i}}{{/each}}{{/each}}',
  '{{#with person}}{{name}}{{../count}}{{#with address}}{{city}}{{../name}}{{../../count}}{{/with}}{{else}}none{{/with}}{{#with missing}}x{{else}}none{{/with}}',
  '{{#each list as |x x|}}{{x}},{{/each}}',
  '{{#with person as |p|}}{{p.name}}{{p.address.city}}{{name}}{{/with}}{{#with list}}{{length}}{{/with}}',
  '{{#person}}{{name}}{{../count}}{{/person}}{{#list}}{{.}}{{@index}}{{/list}}{{#yes}}{{count}}{{/yes}}{{#no}}x{{else}}n{{/no}}{{^no}}inv{{/no}}{{^list}}x{{/list}}{{#zero}}z{{this}}{{/zero}}{{#none}}x{{^}}o{{/none}}{{#emptyList}}x{{else}}el{{/emptyList}}',
  '{{lookup list 1}} {{lookup person "name"}} {{lookup map "two"}} {{#with (lookup map "two")}}{{name}}{{/with}} {{lookup missing "x"}} {{#if (lookup list 9)}}x{{/if}} {{lookup name "length"}}',
  '{{! comment }}a{{!-- a }} comment --}}b\n  {{! alone }}\nc',
  'a\n{{#if yes}}\n  b\n{{else}}\n  c\n{{/if}}\nd\n  {{#each list}}  \n {{.}}\n  {{/each}}  \ne {{#if yes}}\n f{{/if}}\n',
  'a  {{~#if yes~}}  b  {{~else~}}  c  {{~/if~}}  d {{~name}} \n {{{~name~}}} x',
  '\\{{name}} \\\\{{name}} {{{{raw}}}}',
  '{{#each nested}}{{#each this}}{{this}}{{#each this}}[{{this}}]{{/each}}{{/each}};{{/each}}',
  '{{#each list}}{{#if @first}}first{{else}}{{#if @last}}last{{else}}mid{{/if}}{{/if}}{{/each}}',
  '{{@root.name}} {{@index}} {{@missing}} {{#each list}}{{@root.list.[2]}}{{/each}} {{#with person}}{{@root.zero}}{{/with}}',
  '{{true}} {{1}} {{null}} {{undefined}} {{#if true}}t{{/if}}{{#if 0}}z{{/if}}{{#if null}}n{{/if}}{{#if undefined}}u{{/if}}',
  '{{constructor}}{{__proto__}}{{toString}}{{person.constructor}}{{person.__proto__.x}}{{list.constructor}}{{name.constructor}}{{lookup person "constructor"}}{{lookup list "__proto__"}}{{lookup list "push"}}{{#with constructor}}x{{/with}}{{#each __proto__}}x{{/each}}{{hasOwnProperty}}{{valueOf}}',
  '{{#each people}}{{name}}{{#unless @last}}, {{/unless}}{{/each}}.',
  '{{../name}}|{{../../name}}|{{#with person}}{{../../name}}{{/with}}',
  '\r\n{{#if yes}}\r\n  x\r\n{{/if}}\r\n',
]

describe('templates of Handlebars', () => {
  it.each(same)('become what the package makes of %j', async (source) => {
    let expected: string | null
    try {
      expected = handlebars.compile(source)(data)
    } catch {
      expected = null
    }
    const own = await render(source, data, { helpers: 'basic' }).catch(() => null)
    expect(own).toBe(expected)
  })

  it('are escaped in html alone, in all texts, or nowhere', async () => {
    const texts = { subject: '{{a}}', html: '{{a}}', text: '{{a}}' }
    const all = async (escape: RenderOptions['escape']): Promise<string[]> => {
      const made = await renderTexts({
        engine: 'handlebars',
        texts,
        data: { a: '<' },
        options: { escape },
        maxBytes,
      })
      return [made.subject, made.html, made.text]
    }
    expect(await all('html')).toEqual(['<', '&lt;', '<'])
    expect(await all('all')).toEqual(['&lt;', '&lt;', '&lt;'])
    expect(await all('none')).toEqual(['<', '<', '<'])
  })

  it.each<[string, unknown, string]>([
    ['{{#greaterThan a b}}y{{else}}n{{/greaterThan}}', { a: 2, b: '1' }, 'y'],
    ['{{#greaterThan a b}}y{{else}}n{{/greaterThan}}', { a: 2 }, 'n'],
    ['{{#lessThan a b}}y{{else}}n{{/lessThan}}', { a: 1, b: 2 }, 'y'],
    ['{{#equals a b}}y{{else}}n{{/equals}}', { a: 1, b: '1' }, 'y'],
    ['{{#equals a b}}y{{else}}n{{/equals}}', { a: null, b: 'null' }, 'n'],
    ['{{#notEquals a "x"}}y{{else}}n{{/notEquals}}', { a: 'y' }, 'y'],
    ['{{#and a b}}y{{else}}n{{/and}}', { a: 1, b: [] }, 'n'],
    ['{{#or a b}}y{{else}}n{{/or}}', { a: 0, b: 'x' }, 'y'],
    ['{{#greaterThan (length items) 0}}y{{else}}n{{/greaterThan}}', { items: [1] }, 'y'],
    ['{{length items}} {{length text}}', { items: [1, 2], text: 'abc' }, '2 3'],
    ['{{insert name "default=Customer"}} {{insert business "your business"}}', {}, 'Customer your business'],
    [
      '{{formatDate t f}}',
      { t: '2020-01-01T23:00:00.000Z', f: 'MMMM DD, YYYY h:mm:ss A' },
      'January 01, 2020 11:00:00 PM',
    ],
    [
      '{{formatDate t "MMMM DD, YYYY h:mm:ss A" "-0800"}}',
      { t: '2020-01-01T23:00:00.000Z' },
      'January 01, 2020 3:00:00 PM',
    ],
    [
      '{{formatDate t "YY MMM MM M D dddd ddd hh HH H m s ZZ Z" "+05:30"}}',
      { t: 1_577_919_600_000 },
      '20 Jan 01 1 2 Thursday Thu 04 04 4 30 0 +0530 +05:30',
    ],
    ['{{formatDate none "YYYY"}}', {}, ''],
    ['{{formatDate t "D HH:mm"}}', { t: '2020-01-01T23:00' }, '1 23:00'],
    ['{{formatDate t "D HH:mm"}}', { t: '2020-01-01' }, '1 00:00'],
    ['{{insert name "default=Customer"}}', { name: '<A>' }, '&lt;A&gt;'],
  ])('have further helpers: %s with %j', async (source, given, expected) => {
    expect(await render(source, given)).toBe(expected)
    await expect(render(source, given, { helpers: 'basic' })).rejects.toMatchObject({
      code: 'invalid_template',
    })
  })

  it.each([{ t: 'yesterday' }, { t: '1' }, { t: 'Jan 2 2020' }, { t: {} }, { t: 1e99 }])(
    'cannot write %j as a date',
    async (given) => {
      await expect(render('x\n {{formatDate t "YYYY"}}', given)).rejects.toMatchObject({
        code: 'invalid_template',
        errors: [
          { field: 'html', message: expect.stringContaining('line 2, column 2: "formatDate" cannot write') },
        ],
      })
    },
  )

  it('use the name of a further helper as a name where there are no further helpers', async () => {
    expect(await render('{{length}} {{#and}}x{{/and}}', { length: 5, and: true }, { helpers: 'basic' })).toBe(
      '5 x',
    )
  })

  it('say which data is missing, or leave it empty', async () => {
    const source =
      '{{a}} {{b.c}} {{#if d}}x{{/if}}{{#each e}}x{{/each}}{{a}} {{none}} {{#with f}}{{g}}{{/with}}'
    const given = { none: null, f: { h: 1 } }
    await expect(render(source, given, { missing: 'error' })).rejects.toMatchObject({
      code: 'missing_variable',
      errors: [{ field: 'data.a' }, { field: 'data.b.c' }, { field: 'data.g' }],
    })
    const made = await renderTexts({ engine: 'handlebars', texts: { html: source }, data: given, maxBytes })
    expect(made.missing).toEqual(['a', 'b.c', 'g'])
  })
})
