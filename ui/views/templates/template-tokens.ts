import type { CodeToken } from '../shared/code-tokens.ts'
import { endOfVerbatim, nameOf, nextPiece, valuesIn, verbatim } from '../shared/html-pieces.ts'
import { placeholder } from './preview.ts'

/**
 * What has a colour in the source of a template: placeholders, and in HTML also tags, their quoted values and comments.
 * Takes linear time, even if the HTML is broken.
 */
export function templateTokens(source: string, isHtml: boolean): CodeToken[] {
  const placeholders = [...source.matchAll(placeholder)].map(({ index, 0: written }): CodeToken => ({
    start: index,
    end: index + written.length,
    kind: 'placeholder',
  }))
  return isHtml ? [...htmlTokens(source), ...placeholders] : placeholders
}

function htmlTokens(html: string): CodeToken[] {
  const tokens: CodeToken[] = []
  let at = 0
  while (at < html.length) {
    const { kind, end } = nextPiece(html, at)
    const start = at
    at = end
    if (kind === 'text') continue
    tokens.push({ start, end, kind })
    if (kind === 'comment') continue
    const tag = html.slice(start, end)
    tokens.push(...valuesIn(tag, start))
    // What these hold is shown as it is, but for `pre`, which holds tags.
    const name = nameOf(tag)
    if (verbatim.has(name) && name !== 'pre' && !tag.startsWith('</')) at = endOfVerbatim(html, end, name)
  }
  return tokens
}
