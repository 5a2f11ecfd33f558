import { foldSpace } from './text.ts'

/**
 * The form in which searches compare texts. Texts that look the same, or differ in case only, have the same form: white
 * space is folded, characters without a shape (soft hyphens, zero-width spaces) are left out, and letters are compared as
 * Unicode's NFKC_Casefold does, so that `Straße` is `strasse`, and `é` may be one character or two. Beside that, the
 * Turkish `İ` and `ı` are `i`, because `I` may be the capital of either.
 *
 * @see Unicode Standard section 3.13, Default Caseless Matching
 */
export function foldText(text: string): string {
  return beyondAscii.test(text) ? foldBeyondAscii(text) : foldSpace(text).toLowerCase()
}

/** The same for a text whose white space is folded, in half of the time. */
export function foldLetters(text: string): string {
  return beyondAscii.test(text) ? foldBeyondAscii(text) : text.toLowerCase()
}

function foldBeyondAscii(text: string): string {
  const shown = text.replace(shapeless, '').replace(halves, '\ufffd').normalize('NFKC')
  // The lower case of the capitals: `ß` and `ẞ` become `ss`, and `ﬃ` three letters.
  const lower = shown.toLowerCase().toUpperCase().toLowerCase()
  const normal = lower === shown ? shown : lower.normalize('NFKC')
  return foldSpace(normal.replace(dottedI, 'i').replace(finalSigma, 'σ'))
}

const beyondAscii = /[^\x00-\x7f]/
const shapeless = /\p{Default_Ignorable_Code_Point}+/gu
/** Halves of surrogate pairs, which UTF-8 cannot represent. */
const halves = /\p{Surrogate}/gu
const dottedI = /i\u0307/g
const finalSigma = /ς/g
