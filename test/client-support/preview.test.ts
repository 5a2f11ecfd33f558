import { describe, expect, it } from 'vitest'
import { clientNames, features as table } from '../../src/client-support/features.ts'
import { clientSupport } from '../../src/client-support/client-support.ts'
import { previewClients, type PreviewClient } from '../../src/client-support/preview-clients.ts'
import { previewHtml } from '../../src/client-support/preview.ts'
import type { MailPreview } from '../../src/client-support/types.ts'
import { examples } from './_examples.ts'
import { workedMs } from '../support/own-time.ts'

const preview = (html: string, client: PreviewClient = 'gmail/desktop-webmail'): MailPreview =>
  previewHtml({ html, attachments: [] }, client)
const usedBy = (html: string): string[] =>
  clientSupport({ html, headers: [], attachments: [] }).features.map(({ slug }) => slug)

/** They stay although the client ignores them. */
const stays = ['amp', 'bimi', 'html-doctype', 'css-sytem-ui']

describe.each(previewClients)('the preview of %s', (client) => {
  const at = clientNames.findIndex(([key]) => key === client)
  const ignored = new Set(
    [...table].flatMap(([slug, { support }]) => (support[at] === 'n' && !stays.includes(slug) ? [slug] : [])),
  )

  it('has none of the features that the client ignores, and says which were removed', async () => {
    const left: string[] = []
    for (const slug of ignored) {
      const { html, removed } = preview(examples.get(slug)?.uses ?? '', client)
      const names = removed.map(({ feature }) => feature)
      if (usedBy(html).includes(slug) || names.length === 0) left.push(`${slug}: ${html}`)
      if (!names.some((name) => ignored.has(name) || name.startsWith('style-in-')))
        left.push(`${slug} is not named`)
    }
    expect(left).toEqual([])
  })

  it('leaves mails as they are that use nothing of these', async () => {
    const changed: string[] = []
    let kept = 0
    for (const [slug, { uses, near }] of examples) {
      for (const html of [uses, near]) {
        const used = usedBy(html)
        if (used.some((one) => ignored.has(one))) continue
        if (
          /style-in|not-outlook/.test(
            preview(html, client)
              .removed.map((one) => one.feature)
              .join(' '),
          )
        )
          continue
        kept++
        if (preview(html, client).html !== html) changed.push(`${slug}: ${html}`)
      }
    }
    expect(changed).toEqual([])
    expect(kept).toBeGreaterThan(50)
  })
})

const sheetOf = (length: number): string => `<style>${'p{color:red}'.padEnd(length)}</style>`
const long = (bytes: number): string => `<p>${'x'.repeat(bytes - 3)}`

describe('the rules of clients', () => {
  it.each<[rule: string, client: PreviewClient, uses: string, near: string]>([
    ['clipped', 'gmail/ios', long(102 * 1024 + 1), long(102 * 1024)],
    ['clipped', 'gmail/android', `<p>${'é'.repeat(52_225)}`, `<p>${'é'.repeat(52_222)}`],
    ['style-limit', 'gmail/desktop-webmail', sheetOf(16_385), sheetOf(16_384)],
    ['style-limit', 'gmail/desktop-webmail', sheetOf(8192) + sheetOf(8193), sheetOf(8192) + sheetOf(8192)],
    [
      'nested-at-rule',
      'gmail/desktop-webmail',
      '<style>@media (max-width:9px){@media (min-width:1px){p{color:red}}}</style>',
      '<style>@media (max-width:9px){p{color:red}}@media (min-width:1px){p{color:red}}</style>',
    ],
    [
      'style-in-body',
      'gmail/desktop-webmail',
      `<p>x</p>${sheetOf(20)}`,
      `<head><title>x</title>${sheetOf(20)}</head><p>x</p>`,
    ],
    ['style-in-body', 'gmail/ios', `x${sheetOf(20)}`, ` \n${sheetOf(20)}x`],
    [
      'style-in-head',
      'yahoo/android',
      `<head>${sheetOf(20)}</head><p>x</p>`,
      `<head></head><p>x</p>${sheetOf(20)}`,
    ],
    ['word-box', 'outlook/windows', '<div style="width:9px">x</div>', '<td style="width:9px">x</td>'],
    ['word-box', 'outlook/windows', '<a style="padding-left:9px">x</a>', '<a style="color:red">x</a>'],
    [
      'not-outlook',
      'outlook/windows',
      '<!--[if !mso]><!--><p>x</p><!--<![endif]-->',
      '<!--[if mso]><p>x</p><![endif]-->',
    ],
    ['not-outlook', 'outlook/windows', '<![if !mso]><p>x</p><![endif]>', '<![if mso]><p>x</p><![endif]>'],
    ['too-long', 'apple-mail/ios', long(1_000_001), long(1_000_000)],
  ])('%s (%s)', async (rule, client, uses, near) => {
    const rulesOf = async (html: string): Promise<string[]> =>
      preview(html, client).removed.map(({ feature }) => feature)
    expect(await rulesOf(uses)).toEqual([rule])
    expect(await rulesOf(near)).toEqual([])
    // The rule is not one of all clients.
    if (rule !== 'too-long') expect(preview(uses, 'apple-mail/macos').removed).toEqual([])
  })

  it.each([
    ['mso', true],
    ['gte mso 9', true],
    ['mso 16', true],
    ['mso 15', false],
    ['lt mso 16', false],
    ['!mso', false],
    ['(gte mso 9)|(IE)', true],
    ['(mso)&(lt mso 12)', false],
    ['IE', false],
    ['!(IE)', true],
    ['true', true],
    ['?', false],
  ])('Outlook reads [if %s]: %s', async (condition, applies) => {
    const { html } = preview(`<!--[if ${condition}]>\n<p>x</p><![endif]-->`, 'outlook/windows')
    expect(html.includes('<!--')).toBe(!applies)
  })

  it.each([
    ['<xml><o:x><o:PixelsPerInch>96</o:PixelsPerInch></o:x></xml>', ''],
    ['<!--[if mso]><noscript><xml><w:View>96</w:View></xml></noscript><![endif]-->', '<noscript></noscript>'],
    ['<o:OfficeDocumentSettings>96</o:OfficeDocumentSettings>', ''],
    ['<w:WordDocument>96<w:Zoom/><w:View/></w:WordDocument>', ''],
    ['<o:p>text</o:p>', '<o:p>text</o:p>'],
    [
      '<v:rect><w:anchorlock/><center>text</center></v:rect>',
      '<v:rect><w:anchorlock/><center>text</center></v:rect>',
    ],
    ['<o:open>text', '<o:open>text'],
  ])('Outlook does not show the settings in %s', (settings, shown) => {
    expect(preview(`${settings}<p>text</p>`, 'outlook/windows').html).toBe(`${shown}<p>text</p>`)
  })

  it('keeps what is around the parts that it removes', async () => {
    const html = [
      '<head><style>',
      '@import "a.css"; p { color: red; position: fixed; clear: both }',
      'p:first-child, b { color: blue } i:hover { color: green }',
      '@media (max-width: 9px) { u:first-child { color: red } }',
      '</style></head>',
      '<p style="position:absolute;color:&quot;red">Hi</p><svg><b>x</b><svg></svg></svg><video>Film</video>',
    ].join('\n')
    const { html: left, removed } = preview(html)
    expect(left.replace(/\s+/g, ' ')).toBe(
      '<head><style> p { color: red; ; clear: both } b { color: blue } i:hover { color: green } ' +
        '@media (max-width: 9px) { } </style></head> <p style=" ;color:&#34;red">Hi</p>Film',
    )
    expect(
      removed.map(({ feature, places }) => [
        feature,
        places.map(({ line, snippet }) => `${line} ${snippet}`),
      ]),
    ).toEqual([
      ['css-position', ['6 position: absolute', '2 position: fixed']],
      ['html-svg', ['6 <svg>']],
      ['html-video', ['6 <video>']],
      ['css-at-import', ['2 @import "a.css"']],
      ['css-pseudo-class-first-child', ['3 p:first-child', '4 u:first-child']],
    ])
  })

  it('keeps the line of a place below a part for other clients', async () => {
    const html = '<!--[if !mso]><!-->\n<p>x</p>\n<!--<![endif]-->\n<p style="float:left">x</p>'
    const { removed } = preview(html, 'outlook/windows')
    expect(removed.map(({ feature, places }) => [feature, places[0]?.line])).toEqual([
      ['not-outlook', 1],
      ['css-float', 4],
    ])
  })

  it('says that it is an approximation, and adds the line of a clipped mail', async () => {
    const { note, html } = preview(`${long(102 * 1024 - 2)}<b>x</b>`, 'gmail/desktop-webmail')
    expect(note).toBe('An approximation of Gmail, Desktop Webmail: what it is known to ignore is removed.')
    expect(html).toMatch(/x<p>\[Message clipped\]<\/p>$/)
  })

  it('gets the format of an inline image from its part', async () => {
    const parts = [{ content_type: 'image/svg+xml', content_id: 'logo' }]
    const html = '<img src="cid:logo" alt="Acme">'
    const found = previewHtml({ html, attachments: parts }, 'gmail/desktop-webmail')
    expect(found.removed.map(({ feature }) => feature)).toEqual(['image-svg'])
    expect(found.html).toBe('<img  alt="Acme">')
    expect(preview(html).removed).toEqual([])
  })

  it.each([
    ['open style', '<style>p{position:fixed'],
    ['an end tag from parts', '<style>p{color:red}</sty/**/le><script>x</script>'],
    ['deep blocks', `<style>${'@media print{'.repeat(5000)}</style>`],
    ['many selectors', `<style>${'p:first-child,'.repeat(20_000)}b{color:red}</style>`],
    ['many styles', '<p style="position:fixed">x'.repeat(20_000)],
    ['many conditions', '<!--[if mso]>'.repeat(50_000)],
    ['open svg', '<svg>'.repeat(50_000)],
    ['unclosed attribute', `<p style="${'position:fixed;'.repeat(20_000)}`],
    ['long comment', `<!--${'-'.repeat(500_000)}`],
  ])('takes a bounded time: %s', async (_, html) => {
    for (const client of ['gmail/desktop-webmail', 'outlook/windows'] as const) {
      const before = workedMs()
      const { removed } = preview(html, client)
      expect(workedMs() - before).toBeLessThan(2000)
      expect(removed.every(({ places }) => places.length <= 20)).toBe(true)
    }
  })
})
