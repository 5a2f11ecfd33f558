import type { CodeToken } from './code-tokens.ts'

/** The elements whose content is no HTML, or keeps its white space. */
export const verbatim: ReadonlySet<string> = new Set(['style', 'script', 'textarea', 'pre', 'title', 'xmp'])

/** The name of the element that a tag begins or ends, in lower case; '' for a declaration. */
export function nameOf(tag: string): string {
  return /^<\/?([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase() ?? ''
}

/** The quoted values in a tag that begins at a place. */
export function valuesIn(tag: string, start: number): CodeToken[] {
  return [...tag.matchAll(/"[^"]*"|'[^']*'/g)].map(({ index, 0: value }) => ({
    start: start + index,
    end: start + index + value.length,
    kind: 'value',
  }))
}

/**
 * The piece of HTML that begins at a place, and where it ends. The place must not be the end of the HTML. Broken HTML
 * is read as text, or to its end.
 */
export function nextPiece(html: string, at: number): { kind: 'text' | 'comment' | 'tag'; end: number } {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4)
    return { kind: 'comment', end: end < 0 ? html.length : end + 3 }
  }
  if (isTag(html, at)) return { kind: 'tag', end: endOfTag(html, at) }
  let end = at + 1
  for (;;) {
    end = html.indexOf('<', end)
    if (end < 0) return { kind: 'text', end: html.length }
    if (isTag(html, end)) return { kind: 'text', end }
    end++
  }
}

function isTag(html: string, at: number): boolean {
  return html[at] === '<' && /[a-z/!?]/i.test(html[at + 1] ?? '')
}

/** A `>` in a quoted value ends no tag. */
function endOfTag(html: string, at: number): number {
  let quote = ''
  for (let end = at + 1; end < html.length; end++) {
    const char = html[end]
    if (quote) {
      if (char === quote) quote = ''
    } else if (char === '>') return end + 1
    else if ((char === '"' || char === "'") && html[end - 1] === '=') quote = char
  }
  return html.length
}

/** Where the content of an element in {@link verbatim} ends that begins at a place. */
export function endOfVerbatim(html: string, at: number, name: string): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = at
  return closing.exec(html)?.index ?? html.length
}
