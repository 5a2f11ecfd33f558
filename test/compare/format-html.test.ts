import { expect, it } from 'vitest'
import { formatHtml as format, maxFormattedLines } from '../../src/compare/format-html.ts'

it('puts blocks on lines of their own, and leaves texts and inline elements as they flow', () => {
  const html = `<!doctype html><html lang=en><head><meta charset="utf-8"><style>
  p { color: red }
    @media print { p { color: black } }
</style></head><body>
<!--[if mso]><table><![endif]-->
<p CLASS='a  b'>Hello &lt;Ada&gt;,<br>your  code is
<b>123</b> &amp; <a href="https://a.test/?b=c&amp;d=e">here</a>.</p><ul><li>one<li>two</ul>
<img src="a.png" alt='"x"'></body></html>`
  expect(format(html)).toEqual([
    '<!doctype html>',
    '<html lang="en">',
    '  <head>',
    '    <meta charset="utf-8">',
    '    <style>',
    '      p { color: red }',
    '      @media print { p { color: black } }',
    '    </style>',
    '  </head>',
    '  <body>',
    '    <!--[if mso]><table><![endif]-->',
    '    <p class="a b">',
    '      Hello &lt;Ada>,<br>',
    '      your code is <b>123</b> & <a href="https://a.test/?b=c&d=e">here</a>.',
    '    </p>',
    '    <ul>',
    '      <li>',
    '        one',
    '      <li>',
    '        two',
    '    </ul>',
    '    <img src="a.png" alt="&quot;x&quot;">',
    '  </body>',
    '</html>',
  ])
})

it('is the same for HTML that is indented in another way', () => {
  const flat = '<table><tr><td><p>Hello <b>Ada</b></p></td></tr></table>'
  const wide = '<table>\n <tr>\n\t<td>\n  <p>\n  Hello\n <b>Ada</b>\n</p>\n </td>\n</tr>\n</table>\n'
  expect(format(wide)).toEqual(format(flat))
})

it.each([
  ['open elements', '<div>'.repeat(200_000)],
  ['closing tags', '</div>'.repeat(160_000)],
  ['elements that are never closed', '<p><table></div>'.repeat(60_000)],
  ['attributes', `<p ${'a=b '.repeat(240_000)}>`],
  ['a long value', `<p a="${'&amp;'.repeat(190_000)}">`],
  ['an open tag', `<p ${'a'.repeat(1_000_000)}`],
  ['text', 'a '.repeat(600_000)],
  ['lines', '\n'.repeat(900_000)],
  ['lines of a style', `<style>${'a\n'.repeat(400_000)}`],
  ['an open comment', `<!--${'-'.repeat(900_000)}`],
  ['brackets', '<'.repeat(900_000)],
  ['null characters', '\0'.repeat(900_000)],
])('costs linear time for %s', (_, html) => {
  const began = process.cpuUsage()
  const lines = format(html)
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1000).toBeLessThan(3000)
  expect(lines.length).toBeLessThanOrEqual(maxFormattedLines + 1)
  expect(lines.join('\n').length).toBeLessThan(10_000_000)
})

it.each([
  ['elements', '<hr>'.repeat(maxFormattedLines + 100)],
  ['lines of a style', `<style>${'a\n'.repeat(maxFormattedLines + 100)}</style>`],
])('says that it shows only the first of many lines of %s', (_, html) => {
  const lines = format(html)
  expect(lines).toHaveLength(maxFormattedLines + 1)
  expect(lines.at(-1)).toBe('(Only the first 50000 lines are shown.)')
})
