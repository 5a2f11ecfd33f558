/** Why a tag cannot be renamed so; `""` if it can, or while no name is typed. */
export function renameProblem(from: string, to: string): string {
  if (from.includes('"'))
    return 'A tag with a quotation mark cannot be found by a search, so it cannot be renamed.'
  if (/[\x00-\x1f\x7f,]/.test(to)) return 'A tag cannot contain commas or control characters.'
  return to === from ? 'This is its name already.' : ''
}
