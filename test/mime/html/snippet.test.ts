import { describe, expect, it } from 'vitest'
import { expectLinearCost } from '../../support/linear-cost.ts'
import { snippetOf } from '../../../src/mime/html/snippet.ts'

describe('snippetOf', () => {
  it('uses the plain text where it is not empty, with white space folded, cut at 140 characters', () => {
    expect(snippetOf('Hello\r\n\r\n  Ada\t!', '<p>No</p>')).toBe('Hello Ada !')
    expect(snippetOf(' \n', '<p>Yes</p>')).toBe('Yes')
    expect(snippetOf('x'.repeat(500), '')).toHaveLength(140)
    expect(snippetOf(`${'x'.repeat(139)}🎉`, '')).toBe('x'.repeat(139))
    expect(snippetOf('', '')).toBe('')
  })

  it.each([
    [
      '<html><head><title>T</title><style>p { color: red }</style></head><body><p>Hello <b>Ada</b>!</p></body></html>',
      'Hello Ada!',
    ],
    ['<div>One</div><div>Two</div>', 'One Two'],
    ['Hel<b>lo</b> W<a href="x">or</a>ld', 'Hello World'],
    ['<!-- no > --><p>yes</p>', 'yes'],
    ['<!doctype html><SCRIPT>if (a < b) x()</SCRIPT>shown', 'shown'],
    ['a < b &amp;&lt;&#65;&#x42;&nbsp;&euro;&nope;', 'a < b &<AB €&nope;'],
    // Browsers show the replacement character for these.
    ['&#0;&#xd800;&#9999999;x', '\ufffd\ufffd\ufffdx'],
    ['<p>pre\u200b\u00ad\u034fheader</p>', 'preheader'],
    ['text <unclosed', 'text'],
    ['text <style>unclosed', 'text'],
    ['line<br>break<br/>again', 'line break again'],
  ])('shows the visible text of %j', (html, expected) => {
    expect(snippetOf('', html)).toBe(expected)
  })

  it.each(['<', '<!--', '<style>', '<a ', '<div>', '&', '&#', '</', '<!', '<style></style>', '<b>'])(
    'has a linear cost for HTML that repeats %j',
    (piece) => expectLinearCost((size) => snippetOf('', piece.repeat(size / piece.length)), 250_000),
  )
})
