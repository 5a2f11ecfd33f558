/**
 * Says why a text cannot be the value of a header field: a line break would let the caller write further fields.
 *
 * @returns The end of a sentence that begins with the text; null where it can be one.
 */
export function headerFault(text: string): string | null {
  return /[\r\n\0]/.test(text) ? 'has a line break or NUL, which a header field cannot hold' : null
}
