/** Whether a column of type `text` can hold this string: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}
