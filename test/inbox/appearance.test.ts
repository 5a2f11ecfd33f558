import { describe, expect, it } from 'vitest'
import { withAppearance } from '../../src/reading/appearance.ts'

const mail = `<!doctype html><style>p { color: black }
@media (prefers-color-scheme: dark) { p { color: white } }
@media (PREFERS-COLOR-SCHEME:light) { p { color: navy } }</style><p>Hello</p>`

describe('the colour scheme of a mail', () => {
  it('resolves its conditions on the colour scheme, and leaves the rest unchanged', () => {
    const dark = withAppearance(mail, 'dark')
    expect(dark).toContain('@media (min-width:0px) { p { color: white } }')
    expect(dark).toContain('@media (max-width:0px) { p { color: navy } }')
    expect(dark.replace(/\((?:min|max)-width:0px\)/g, '')).toBe(
      mail.replace(/\(prefers-color-scheme: ?(?:dark|light)\)/gi, ''),
    )
    expect(withAppearance(mail, 'light')).toContain('@media (max-width:0px) { p { color: white } }')
  })

  it('is set for a mail that declares support for both, and for no other', () => {
    for (const said of [
      '<style>:root { color-scheme: light dark; }</style>',
      '<meta name="color-scheme" content="light dark">',
      '<meta name="supported-color-schemes" content="light dark">',
    ]) {
      expect(withAppearance(said, 'dark'), said).toContain(':root{color-scheme:dark only!important}')
      expect(withAppearance(said, 'light'), said).toContain(':root{color-scheme:light only!important}')
    }
    expect(withAppearance(mail, 'dark')).not.toContain('<style>:root')
    expect(withAppearance('<meta name="color-scheme" content="light">', 'dark')).not.toContain('only')
  })

  it('inverts pictures beforehand where the viewer inverts', () => {
    const html = withAppearance(mail, 'inverted')
    expect(html).toContain('@media (max-width:0px) { p { color: white } }')
    expect(html).toMatch(/<style>img.*invert\(1\)[^<]*<\/style>$/)
  })

  it('leaves the alt text of pictures that are not loaded to the general inversion', () => {
    expect(withAppearance(mail, 'inverted')).toMatch(/img\[src\^="http" i\][^}]*{filter:none!important}/)
    expect(withAppearance(mail, 'inverted', { remoteImages: true })).not.toContain('filter:none')
  })

  it('reads hostile text in one pass', () => {
    const hostile = '(prefers-color-scheme'.repeat(50_000) + 'color-scheme '.repeat(50_000)
    expect(withAppearance(hostile, 'dark')).toBe(hostile)
  })
})
