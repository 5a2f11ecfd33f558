/** The name that a text was most likely meant for, by its edit distance to names and to their last words. */
export function suggest(name: string, names: readonly string[]): string | undefined {
  const short = name.slice(0, maxNameLength).toLowerCase()
  const scored = names.map((candidate) => {
    // The last word is compared so that "prot" suggests "smtpPort". At the same distance, a whole name comes first.
    const lastWord = /[A-Z][a-z]+$/.exec(candidate)?.[0].toLowerCase()
    const byWord =
      lastWord === undefined || short.length < 4
        ? Number.POSITIVE_INFINITY
        : editDistance(short, lastWord) + 0.5
    return [Math.min(editDistance(short, candidate.toLowerCase()), byWord), candidate] as const
  })
  const [best] = scored.sort(([a], [b]) => a - b)
  return best && best[0] < Math.max(2, Math.floor(short.length / 3)) + 1 ? best[1] : undefined
}

// Names come from outside, and a distance costs the product of both lengths.
const maxNameLength = 40

/** How many characters to insert, remove or replace make one text of the other. It takes the product of both lengths. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
