import { describe, expect, it } from 'vitest'
import { foldText } from '../../src/core/fold-text.ts'

const shapeless = /\p{Default_Ignorable_Code_Point}/u
/** Every character that Unicode's case folding or normalization changes, and every 16th of the others that are assigned. */
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((one, at) => (at % 16 === 0 && /\P{Unassigned}/u.test(one)) || isChanged(one))

function isChanged(one: string): boolean {
  if (shapeless.test(one)) return true
  return one.normalize('NFD') !== one || one.toLowerCase() !== one || one.toUpperCase() !== one
}

describe('the form in which texts are compared', () => {
  it.each([
    ['  Two \r\n words\t', 'two words'],
    ['Straße STRASSE ẞ', 'strasse strasse ss'],
    ['İSTANBUL ıSTANBUL ISTANBUL', 'istanbul istanbul istanbul'],
    ['Be\u00adsta\u200btig\u200cung\ufeff', 'bestatigung'],
    ['cafe\u0301 CAFÉ', 'café café'],
    ['ΟΔΟΣ οδος', 'οδοσ οδοσ'],
    ['ＡＢ１２ ﬃ', 'ab12 ffi'],
    ['\ud83d half', '\ufffd half'],
    ['\u200b \u00ad', ''],
  ])('%j is compared as %j', (text, folded) => expect(foldText(text)).toBe(folded))

  it('is the same for each spelling of a character, in both normal forms and cases', () => {
    expect(characters.length).toBeGreaterThan(20_000)
    const differing = characters.filter((one) => {
      // Between letters, because white space at the ends does not count.
      const text = `a${one}b`
      const folded = foldText(text)
      const same = [
        folded,
        text.normalize('NFD'),
        text.normalize('NFC'),
        text.toUpperCase(),
        text.toLowerCase(),
      ]
      return same.some((other) => foldText(other) !== folded)
    })
    expect(differing.map((one) => one.codePointAt(0)?.toString(16))).toEqual([])
  })

  it('leaves out every character without a shape', () => {
    const invisible = characters.filter((one) => shapeless.test(one))
    expect(invisible.length).toBeGreaterThan(100)
    for (const one of invisible)
      expect(foldText(`Pass${one}word`), one.codePointAt(0)?.toString(16)).toBe('password')
  })
})
