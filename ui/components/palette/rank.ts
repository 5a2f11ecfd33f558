/**
 * The entries that match the typed text, best first: good ones have it in their words, weak ones only its letters in their
 * order.
 */
export function ranked<Entry extends { words: string; group: string }>(
  entries: readonly Entry[],
  typed: string,
): { good: Entry[]; weak: Entry[] } {
  const wanted = typed.trim().toLowerCase()
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(`${entry.words} ${entry.group}`.toLowerCase(), wanted) }))
    .sort((a, b) => b.score - a.score)
  const of = (least: number, most: number): Entry[] =>
    scored.filter(({ score }) => score >= least && score <= most).map(({ entry }) => entry)
  return { good: of(2, 4), weak: of(1, 1) }
}

/** 4 at the start, 3 at the start of a word, 2 anywhere, 1 as letters in their order, 0 not at all. */
function scoreOf(words: string, wanted: string): number {
  const at = words.indexOf(wanted)
  if (at === 0) return 4
  if (at > 0) return words[at - 1] === ' ' ? 3 : 2
  let from = 0
  for (const letter of wanted.replace(/\s+/g, '')) {
    from = words.indexOf(letter, from) + 1
    if (from === 0) return 0
  }
  return 1
}
