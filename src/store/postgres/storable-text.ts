/** Whether a column of type `text` can hold this string: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}

/** The text with U+FFFD for each lone surrogate, and a space for each NUL. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : Buffer.from(text).toString().replaceAll('\0', ' ')
}
