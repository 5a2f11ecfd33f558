import { describe, expect, it } from 'vitest'
import { formatHtml } from '../../ui/views/inbox/format-html.ts'

const squeeze = (text: string): string => text.replaceAll(/\s+/g, '')

describe('formatted HTML', () => {
  it('has a line for each block, indented, and keeps what is in a line together', () => {
    const html =
      '<!doctype html><html><body><table><tr><td>Hello   <b>you</b>, <a href="https://x.test/a>b">go</a></td></tr></table><!-- x --></body></html>'
    expect(formatHtml(html).text.split('\n')).toEqual([
      '<!doctype html>',
      '<html>',
      '  <body>',
      '    <table>',
      '      <tr>',
      '        <td>',
      '          Hello <b>you</b>, <a href="https://x.test/a>b">go</a>',
      '        </td>',
      '      </tr>',
      '    </table>',
      '    <!-- x -->',
      '  </body>',
      '</html>',
    ])
  })

  it('keeps style sheets and preformatted text as they are', () => {
    const { text } = formatHtml('<style>a {\n  color: red; }\n</style><pre>a\n  b</pre>')
    expect(text).toContain('a {\n  color: red; }\n')
    expect(text).toContain('a\n  b')
  })

  it('names the places of tags, values and comments', () => {
    const { text, tokens } = formatHtml('<p class="a"><!--b-->c</p>')
    const shown = tokens.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
    expect(shown).toEqual(['tag <p class="a">', 'value "a"', 'comment <!--b-->', 'tag </p>'])
  })

  it.each([
    '<p',
    '<<<',
    '<!-- x',
    'a < b > c',
    '<p title="x>y',
    '</',
    '<style>x',
    '<pre>',
    '</p></p>x',
    "<a b='c\"'>d",
  ])('loses nothing of broken HTML: %s', (html) => expect(squeeze(formatHtml(html).text)).toBe(squeeze(html)))

  it.each(['<!--', '<p title="', '<style>', '<', '<b>', '<b>x</b>', "<a b='", '</style'])(
    'takes time that grows with the length only: %s',
    (piece) => {
      const cost = (times: number): number => {
        const html = piece.repeat(times)
        const before = performance.now()
        formatHtml(html)
        return performance.now() - before
      }
      cost(1000)
      expect(cost(100_000)).toBeLessThan(3000)
    },
  )
})
