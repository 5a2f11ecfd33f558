/** A part of a text that is replaced. */
export interface Cut {
  start: number
  end: number
  text: string
}

/** The text with its parts replaced. Of parts that overlap, the first counts. */
export function withCuts(text: string, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return text
  const written: string[] = []
  let at = 0
  for (const { start, end, text: replacement } of [...cuts].sort((a, b) => a.start - b.start)) {
    if (start < at) continue
    written.push(text.slice(at, start), replacement)
    at = end
  }
  return written.join('') + text.slice(at)
}
