/** The names that can complete a placeholder, and the part of the text that the chosen one replaces. */
export interface Offer {
  start: number
  end: number
  names: string[]
}

/**
 * What is offered to a person who types: after `{{` the names that contain what was typed since.
 *
 * @param caret  Where the text cursor is; no text may be selected.
 * @param namesOf  Makes the names; it is called only inside of a placeholder, since it may read long texts.
 * @returns At most 8 names, or undefined if there are none.
 */
export function offerAt(text: string, caret: number, namesOf: () => readonly string[]): Offer | undefined {
  const [opened, typed = ''] =
    /\{\{[ \t]*([\w.-]*)$/.exec(text.slice(Math.max(0, caret - longestPlaceholder), caret)) ?? []
  if (opened === undefined) return undefined
  const begun = typed.toLowerCase()
  const names = namesOf()
    .filter((name) => name.toLowerCase().includes(begun) && name !== typed)
    .slice(0, mostNames)
  if (names.length === 0) return undefined
  // The rest of a closed placeholder is replaced. Words after one that is not closed stay.
  const rest = /^[\w.-]*[ \t]*\}\}?/.exec(text.slice(caret, caret + longestPlaceholder))?.[0] ?? ''
  return { start: caret - opened.length, end: caret + rest.length, names }
}

const mostNames = 8
/** Characters of a placeholder that are looked at on each side of the text cursor. */
const longestPlaceholder = 200
