/**
 * Existing tags for what a person types: those that begin with it first, then those that contain it, each in the given
 * order. At most 8; all are offered while nothing is typed.
 *
 * @param known  In lower case, the most frequent first.
 * @param taken  Tags that the mail has already.
 */
export function suggestTags(
  typed: string,
  known: readonly string[],
  taken: readonly string[] = [],
): string[] {
  const words = typed.trim().toLowerCase()
  const isTaken = new Set(taken.map((tag) => tag.toLowerCase()))
  const found = known.filter((tag) => tag.includes(words) && tag !== words && !isTaken.has(tag))
  const begins = found.filter((tag) => tag.startsWith(words))
  return [...begins, ...found.filter((tag) => !tag.startsWith(words))].slice(0, mostTags)
}

const mostTags = 8
