/** A position in a list, as a path names it; -1 if it is not valid. */
export function pathIndex(text: string): number {
  // Only the form of the lists is valid: `00` is not `0`.
  return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : -1
}
