import { describe, expect, it } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import { mailWith, page } from './_mail.ts'

/** The messages of the checks of contrast and sizes for HTML with a style sheet. */
async function found(css: string, body: string): Promise<string[]> {
  const html = page(body).replace('</head>', `<style>${css}</style></head>`)
  const { findings } = checkMail(mailWith({ html }))
  return findings.filter(({ id }) => id === 'contrast' || id === 'font-size').map(({ message }) => message)
}

const low = 'The text "x" has a contrast of 1.6, and needs 4.5.'
const small = 'The text "x" has 8 pixels.'

describe('contrast and sizes by style sheets', () => {
  it.each([
    ['p { color: #ccc }', '<p>x</p>', [low]],
    ['p { color: #ccc }', '<p>x\n  x</p>', [low.replace('"x"', '"x x"')]],
    ['.pale { color: #ccc }', '<div class="a pale"><p>x</p></div>', [low]],
    ['#pale { color: #CCCCCC !important }', '<p id="pale" style="color: #000">x</p>', [low]],
    [
      'td.pale { color: rgb(204, 204, 204) }',
      '<table role="none"><tr><td class="pale">x</td></tr></table>',
      [low],
    ],
    ['.footer p, h7 { font-size: 8px }', '<div class="footer"><div><p>x</p></div></div>', [small]],
    ['p { font: bold 6pt/1.5 Arial }', '<p>x</p>', [small]],
    ['p { color: #ccc } .dark { color: #000 }', '<p class="dark">x</p>', []],
    ['.dark { color: #000 } p { color: #ccc }', '<p class="dark">x</p>', []],
    ['p { color: #ccc }', '<p style="color: #000">x</p>', []],
    ['body { background: #000 } p { color: #ccc }', '<p>x</p>', []],
    ['.no p { color: #ccc }', '<p>x</p>', []],
    ['@media (prefers-color-scheme: dark) { p { color: #ccc } }', '<p>x</p>', []],
    ['@media print { p { color: red } } p { color: #ccc }', '<p>x</p>', [low]],
    ['p:hover { color: #ccc }', '<p>x</p>', []],
    ['.hidden { display: none } p { color: #ccc }', '<p class="hidden">x</p>', []],
    ['.a { display: none } .b { display: block } p { color: #ccc }', '<p class="a b">x</p>', [low]],
    ['.a { display: none } .b { visibility: visible } p { color: #ccc }', '<p class="a b">x</p>', []],
    ['.a { display: none } p { color: #ccc; display: block }', '<div class="a"><p>x</p></div>', []],
    ['p { color: #ccc }', '<p style="display: none; display: block">x</p>', [low]],
    ['p { color: #ccc }', '<p style="display: none !important; display: block">x</p>', []],
    ['p { color: #ccc }', '<p style="display: none; display: bogus">x</p>', []],
    ['p { color: #ccc }', '<p style="display: none; display: contents">x</p>', [low]],
    ['p { color: #ccc }', '<p style="visibility: hidden; visibility: inherit">x</p>', [low]],
    [
      'p { color: #ccc }',
      '<p style="opacity: 0; opacity: initial; max-height: 0; max-height: initial">x</p>',
      [low],
    ],
    ['p { color: #ccc }', '<p style="opacity: 0; opacity:">x</p>', []],
    ['p { color: #ccc }', '<p style="opacity: 0%">x</p>', []],
    ['p { color: #ccc }', '<p style="opacity: 0.0">x</p>', []],
    ['p { color: #ccc }', '<p style="max-height: 0pt">x</p>', []],
    ['p { color: #ccc; opacity: 0%; }', '<p>x</p>', []],
    ['p { color: #ccc; max-height: 0.0pt }', '<p>x</p>', []],
    ['p { color: #ccc; display: block !important }', '<p style="display: none !important">x</p>', []],
    ['p { color: #ccc }', '<p style="display: none !important; display: block !important">x</p>', [low]],
    ['p { color: #ccc }', '<p style="opacity: 0; opacity: .5">x</p>', [low]],
    ['p { color: #ccc }', '<p style="max-height: 0; max-height: 10px">x</p>', [low]],
    ['p { color: #ccc }', `<p>${'x'.repeat(79)}😀</p>`, [low.replace('"x"', `"${'x'.repeat(79)}"`)]],
    // Whether these apply is left open, so nothing is said of the text.
    ['div > p { color: #000 } p { color: #ccc }', '<div><p>x</p></div>', []],
    ['p[class] { color: #ccc }', '<p>x</p>', []],
    ['p { color: #ccc } p[title="a:b"] { background-color: #000 }', '<p>x</p>', []],
  ])('%s in %s: %j', async (css, body, expected) => {
    expect(await found(css, body)).toEqual(expected)
  })

  it.each([
    ['many rules', 'p.a b, #x i { color: #ccc }'.repeat(20_000), '<p class="a"><b>x</b></p>'.repeat(5000)],
    ['rules that all apply', 'p{color:#ccc}'.repeat(5000), '<p>x</p>'.repeat(10_000)],
    ['deep nesting', 'a b c d e f g { color: #ccc }'.repeat(5000), '<g>'.repeat(20_000)],
  ])(
    '%s end in time',
    async (_, css, body) => {
      const html = page(body).replace('</head>', `<style>${css}</style></head>`)
      const { checks } = checkMail(mailWith({ html }))
      expect(checks.length).toBeGreaterThan(10)
    },
    20_000,
  )
})
