import { describe, expect, it } from 'vitest'
import { clientSupport } from '../../src/client-support/client-support.ts'
import { clientNames, features as table } from '../../src/client-support/features.ts'
import type { ClientSupport, SupportedFeature } from '../../src/client-support/types.ts'
import { createLocalpost } from '../../src/instance/create.ts'

const supportOf = (html: string): ClientSupport => clientSupport({ html, headers: [], attachments: [] })
const featureOf = async (html: string, slug: string): Promise<SupportedFeature | undefined> =>
  supportOf(html).features.find((feature) => feature.slug === slug)
const slugsOf = async (html: string): Promise<string[]> => supportOf(html).features.map(({ slug }) => slug)

describe('the client support of a mail', () => {
  it('says of a feature which clients ignore it, and which support it partly', async () => {
    const { title, support = '' } = table.get('css-display-flex') ?? {}
    const withLetter = (letter: string): string[] =>
      clientNames.filter((_, at) => support[at] === letter).map(([client]) => client)
    expect(await featureOf('<i style="display: flex">x</i>', 'css-display-flex')).toEqual({
      slug: 'css-display-flex',
      title,
      category: 'css',
      url: 'https://www.caniemail.com/features/css-display-flex/',
      count: 1,
      places: [{ line: 1, snippet: 'display: flex' }],
      unsupported: withLetter('n'),
      partial: withLetter('a'),
    })
    expect(withLetter('n')).toContain('outlook/windows')
  })

  it('gives the line of each place, in style sheets and attributes', async () => {
    const html = `<style>\n  i { float: left }\n\n  b { float: right }\n</style>\n<p>x</p>\n<i style="float: none">x</i>`
    expect((await featureOf(html, 'css-float'))?.places).toEqual([
      { line: 7, snippet: 'float: none' },
      { line: 2, snippet: 'float: left' },
      { line: 4, snippet: 'float: right' },
    ])
  })

  it('keeps 20 places and counts all', async () => {
    const float = await featureOf('<i style="float: left">x</i>\n'.repeat(50), 'css-float')
    expect(float?.count).toBe(50)
    expect(float?.places.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
  })

  it('scores a client by the features that it supports; partly counts half, unknown not at all', async () => {
    const { clients, features } = supportOf('<style>i { color: rgb(0, 0, 0); display: grid }</style>')
    const rows = features.map(({ slug }) => table.get(slug)?.support ?? '')
    for (const [at, { score }] of clients.entries()) {
      const known = rows.map((row) => row[at] ?? 'u').filter((letter) => letter !== 'u')
      const points = known.reduce((sum, letter) => sum + (letter === 'y' ? 1 : letter === 'a' ? 0.5 : 0), 0)
      expect(score).toBe(known.length === 0 ? 100 : Math.round((1000 * points) / known.length) / 10)
    }
    expect(new Set(clients.map(({ score }) => score)).size).toBeGreaterThan(2)
  })

  it('weights the clients by their shares', async () => {
    // Outlook ignores the flex, and supports `display` partly.
    const mail = { html: '<i style="display: flex">x</i>', headers: [], attachments: [] }
    const only = async (client: string): Promise<number> =>
      clientSupport(mail, { shares: { [client]: 3 } }).score
    expect(await only('outlook/windows')).toBe(25)
    expect(await only('apple-mail/ios')).toBe(100)
    const both = clientSupport(mail, { shares: { 'outlook/windows': 1, 'apple-mail/ios': 3 } })
    expect(both.score).toBe(81.3)
  })

  it.each([
    [{ gmial: 1 }, 'shares: there is no client "gmial". The clients are aol/android, '],
    [{ 'gmail/ios': -1 }, 'shares: the share of gmail/ios must be a number from 0 on, not -1.'],
    [{ 'gmail/ios': 'all' }, 'shares: the share of gmail/ios must be a number from 0 on, not "all".'],
    [{ 'gmail/ios': Infinity }, 'shares: the share of gmail/ios must be a number from 0 on, not '],
    [{}, 'shares: at least one client must have a share above 0.'],
    [{ 'gmail/ios': 0 }, 'shares: at least one client must have a share above 0.'],
  ])('refuses the shares %j', (shares, message) => {
    const mail = { html: '', headers: [], attachments: [] }
    expect(() => clientSupport(mail, { shares: shares as Record<string, number> })).toThrow(
      expect.objectContaining({ code: 'validation_error', message: expect.stringContaining(message) }),
    )
  })

  it('is whole for a mail without HTML', async () => {
    const { score, clients, features } = supportOf('')
    expect([score, features]).toEqual([100, []])
    expect(new Set(clients.map((client) => client.score))).toEqual(new Set([100]))
  })

  it('finds AMP and BIMI in the parts and headers of the message', async () => {
    const { features } = clientSupport({
      html: '',
      headers: [['BIMI-Selector', 'v=BIMI1; s=acme']],
      attachments: [{ content_type: 'text/x-amp-html', content_id: null }],
    })
    expect(features.map(({ slug }) => slug)).toEqual(['bimi', 'amp'])
  })

  it('gets the format of an inline image from its part', async () => {
    const { features } = clientSupport({
      html: '<img src="cid:logo@acme">',
      headers: [],
      attachments: [{ content_type: 'image/webp', content_id: 'logo@acme' }],
    })
    expect(features.map(({ slug }) => slug)).toContain('image-webp')
  })

  it.each([
    ['declarations that are no property of CSS', '<i style="mso-line-height-rule: exactly; top">x</i>', []],
    ['what only Outlook reads', '<!--[if mso]><i style="float: left"><![endif]-->', ['html-comments']],
    [
      'descriptors of a font',
      '<style>@font-face { font-weight: bold }</style>',
      ['html-style', 'css-at-font-face'],
    ],
    [
      'the steps of an animation as selectors',
      '<style>@keyframes a { from { top: 0 } 50% { top: 0 } }</style>',
      ['html-style', 'css-at-keyframes', 'css-left-right-top-bottom'],
    ],
    ['text that looks like CSS', '<p>float: left; <b>display: grid</b></p>', ['html-p']],
    ['attributes in the style of a name', '<i class="style" data-style="float: left">x</i>', []],
  ])('passes over %s', async (_, html, expected) => {
    expect(await slugsOf(html)).toEqual(expected)
  })

  it.each([
    ['a rule without an end', '<style>i { float: left', ['css-float', 'css-selector-type', 'html-style']],
    ['a declaration after a broken one', '<i style="; : ; 7; {}; float: left">x</i>', ['css-float']],
    [
      'a rule after a broken one',
      '<style>} ) i { ] } b { float: left }</style>',
      ['css-float', 'css-selector-type', 'html-style'],
    ],
    [
      'a style element in a comment of CSS',
      '<style><!-- i { float: left } --></style>',
      ['css-float', 'css-selector-type', 'html-style'],
    ],
    [
      'escaped quotes of an attribute',
      '<i style="font: 1px &quot;a; b&quot;; float: left">x</i>',
      ['css-float', 'css-font', 'css-unit-px'],
    ],
    [
      'conditions in conditions',
      '<style>@media print { @supports (a: b) { i { float: left } } }</style>',
      ['css-at-media', 'css-at-supports', 'css-float', 'css-selector-type', 'html-style'],
    ],
  ])('reads %s as CSS says', async (_, html, expected) => {
    expect((await slugsOf(html)).toSorted()).toEqual(expected)
  })

  it.each(
    Object.entries({
      'six megabytes of style sheet': `<style>${'i { float: left } '.repeat(350_000)}`,
      'a million open blocks': `<style>${'a{'.repeat(500_000)}`,
      'a million parentheses': `<style>a{b:${'('.repeat(1_000_000)}`,
      'an attribute of a megabyte': `<i style="${'float:left;'.repeat(90_000)}">`,
      'a hundred thousand candidates of an image': `<img srcset="${'a.png 1x,'.repeat(100_000)}">`,
      'selectors of a megabyte': `<style>${'a b,'.repeat(250_000)}{}`,
      'six million empty lines': '\n'.repeat(6_000_000),
      'backslashes, quotes and open comments': `<style>${'\\"/*'.repeat(100_000)}`,
      'bytes that are no text': `<style>${'\u0000\uFFFD\uD800'.repeat(100_000)}</style><i style="\u0000">`,
      'deep nesting': '<div>'.repeat(200_000),
    }),
  )('gives an answer for %s', async (_, html) => {
    const { features } = supportOf(html)
    expect(features.every(({ places }) => places.length <= 20)).toBe(true)
    expect(JSON.stringify(features).length).toBeLessThan(100_000)
  })
})

describe('an instance', () => {
  it('answers the client support of a mail in the library and over HTTP', async () => {
    await using post = await createLocalpost()
    const { id } = await post.emails.send({
      from: 'hi@acme.test',
      to: 'ada@example.com',
      subject: 'Hello',
      html: '<p style="display: flex">Hello</p>',
    })
    await post.inbox.waitFor({ subject: 'Hello' })
    const support = await post.inbox.clientSupport(id)
    expect(support.features.map(({ slug }) => slug)).toEqual(['html-p', 'css-display', 'css-display-flex'])
    const answer = await post.fetch(
      new Request(`http://localpost/dev/inbox/${id}/client-support`, {
        headers: { authorization: `Bearer ${post.apiKey}` },
      }),
    )
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(support)
    await expect(post.inbox.clientSupport('em_none')).rejects.toMatchObject({ code: 'not_found' })
    const unknown = { share: {} } as object
    await expect(post.inbox.clientSupport(id, unknown)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
