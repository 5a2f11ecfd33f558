import { describe, expect, it } from 'vitest'
import { clientSupport } from '../../src/client-support/client-support.ts'

const slugsOf = async (html: string): Promise<string[]> =>
  clientSupport({ html, headers: [], attachments: [] }).features.map(({ slug }) => slug)

/** The classes in which Mailpit's HTML check differs on public templates; see docs/checks.md. */
describe('a feature about which Mailpit says something else', () => {
  it.each([
    ['css-at-media', '<style>@media only screen and (max-width: 600px) { p { color: red } }</style><p>x</p>'],
    ['css-display-none', '<p style="display: none">x</p>'],
    ['css-max-height', '<style>@media screen { p { max-height: none !important } }</style><p>x</p>'],
    ['css-important', '<style>@media screen { p { color: red !important } }</style><p>x</p>'],
    ['css-rgba', '<style>p:hover { box-shadow: 0 0 6px 1px rgba(33, 153, 232, 0.5) }</style><p>x</p>'],
    ['css-border', '<p style="border-top: 1px solid red">x</p>'],
    ['css-display-flex', '<p style="display: flex">x</p>'],
    ['css-margin', '<p style="margin-left: 1px">x</p>'],
    ['css-overflow', '<p style="overflow-y: hidden">x</p>'],
    ['css-unit-vw', '<style>@media screen { p { width: 90vw } }</style><p>x</p>'],
  ])('is used: %s in %s', async (slug, html) => {
    expect(await slugsOf(html)).toContain(slug)
  })

  it.each([
    ['css-height', '<p style="line-height: 1.5; max-height: 9px">x</p><img height="9">'],
    ['css-position', '<p style="background-position: center">x</p>'],
    ['css-transform', '<p style="text-transform: uppercase">x</p>'],
    ['html-anchor-links', '<a href="#">x</a>'],
    ['css-background-color', '<table bgcolor="#eeeeee"><tr><td>x</td></tr></table>'],
  ])('is not used: %s in %s', async (slug, html) => {
    expect(await slugsOf(html)).not.toContain(slug)
  })
})
