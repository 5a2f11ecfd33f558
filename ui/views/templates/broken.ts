/** A part of a text that looks like a placeholder but is not one, and why. */
export interface BrokenPlaceholder {
  /** As written, cut if it is long. */
  written: string
  reason: string
  start: number
  end: number
  /** Both from 1. */
  line: number
  column: number
}

/**
 * What the server would leave as written although it was likely meant to be filled in: `{{name}`, `{{first name}}`,
 * `{name}}`, `{{{name}}}`. Single braces and `}}` alone are not reported: style sheets are full of them.
 */
export function brokenIn(source: string): BrokenPlaceholder[] {
  const found: BrokenPlaceholder[] = []
  for (const match of source.matchAll(suspect)) {
    const [written] = match
    const reason = reasonFor(written)
    if (reason === '') continue
    const before = source.slice(0, match.index).split('\n')
    found.push({
      written: written.length > mostShown ? `${written.slice(0, mostShown)}…` : written,
      reason,
      start: match.index,
      end: match.index + written.length,
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    })
  }
  return found
}

// Two braces and what follows them up to the closing ones, the next opening ones or the end of the line; or a name with
// one brace before and two behind it.
const suspect = /\{{2,}[^{}\n]*\}*|(?<!\{)\{\s?[A-Za-z_][\w.-]*\s?\}\}(?!\})/g
const mostShown = 40

function reasonFor(written: string): string {
  const [, open = '', inner = '', close = ''] = /^(\{+)([^{}]*)(\}*)$/.exec(written) ?? []
  const name = inner.trim()
  if (open.length === 1) return 'it opens with one brace and needs two'
  if (close.length < 2)
    return close.length === 1 ? 'it closes with one brace and needs two' : 'it is never closed'
  if (name === '') return 'it has no name'
  if (!/^[A-Za-z_]/.test(name)) return 'a name begins with a letter or _'
  if (!/^[\w.-]+$/.test(name)) return 'a name has only letters, digits, _ . and -'
  return open.length > 2 && close.length > 2 ? 'of three braces, the outer ones stay as written' : ''
}
