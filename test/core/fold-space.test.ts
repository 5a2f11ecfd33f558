import { expect, it } from 'vitest'
import { foldSpace } from '../../src/core/text.ts'

it.each([
  ['  Acme \r\n\t Inc  <hi@acme.com> ', 'Acme Inc <hi@acme.com>'],
  ['one space each', 'one space each'],
  ['a\u00a0b\tc\x00d\x7fe', 'a b c d e'],
  [' \n ', ''],
])('%j is folded to %j', (text, folded) => expect(foldSpace(text)).toBe(folded))

it('each run of white space and control characters becomes one space', () => {
  const characters = [' ', '\t', '\n', '\x00', '\x7f', '\u00a0', '\u2028', 'a', 'é']
  // All texts of four of these characters.
  for (let n = 0; n < characters.length ** 4; n++) {
    const text = [0, 1, 2, 3]
      .map((i) => characters[Math.floor(n / characters.length ** i) % characters.length])
      .join('')
    expect(foldSpace(text)).toBe(text.replace(/[\s\x00-\x1f\x7f]+/g, ' ').trim())
  }
})
