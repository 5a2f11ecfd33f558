/**
 * Says why a text cannot be the value of a header field: a line break would let the caller write further fields, and
 * half of a surrogate pair has no form in UTF-8.
 *
 * @returns The end of a sentence that begins with the text; null if it is valid.
 */
export function headerFault(text: string): string | null {
  if (!/[\r\n\0\ud800-\udfff]/.test(text)) return null
  if (/[\r\n\0]/.test(text)) return 'has a line break or NUL, which a header field cannot hold'
  return /\p{Surrogate}/u.test(text) ? 'has half of a surrogate pair, which is not a character' : null
}
