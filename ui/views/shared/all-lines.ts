/**
 * The `tabindex` of a text with the class `all-lines`: a long one scrolls, so keys must reach it.
 *
 * @returns undefined for a text that is shown whole at every width.
 */
export const scrollIndexOf = (text: string): 0 | undefined => (text.length > shownWhole ? 0 : undefined)

const shownWhole = 100
