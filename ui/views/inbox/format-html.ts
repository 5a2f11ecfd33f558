import type { CodeToken } from '../shared/code-tokens.ts'
import { endOfVerbatim, nameOf, nextPiece, valuesIn, verbatim } from '../shared/html-pieces.ts'

/**
 * Breaks HTML into lines and indents it, for reading: blocks are on their own lines, inline content stays in its line.
 * White space is folded as a browser does; style sheets and preformatted text stay as they are.
 *
 * The time is linear in the length, however broken the HTML is.
 */
export function formatHtml(html: string): { text: string; tokens: CodeToken[] } {
  const tokens: CodeToken[] = []
  const lines: string[] = []
  let length = 0
  let line = ''
  /** Kept up to date piece by piece: to trim the line after each piece takes quadratic time. */
  let isBlank = true
  let depth = 0

  function breakLine(): void {
    if (isBlank) {
      // The line is still empty. Only its indentation changes.
      line = indentation(depth)
      return
    }
    lines.push(line)
    length += line.length + 1
    line = indentation(depth)
    isBlank = true
  }
  function add(piece: string, kind?: CodeToken['kind']): void {
    const start = length + line.length
    line += piece
    isBlank &&= piece.trim() === ''
    if (!kind) return
    tokens.push({ start, end: start + piece.length, kind })
    if (kind !== 'tag') return
    tokens.push(...valuesIn(piece, start))
  }

  let at = 0
  while (at < html.length) {
    const next = nextPiece(html, at)
    const piece = html.slice(at, next.end)
    at = next.end
    if (next.kind === 'text') {
      const folded = piece.replace(/[ \t\r\n\f]+/g, ' ')
      add(isBlank ? folded.trimStart() : folded)
      continue
    }
    if (next.kind === 'comment') {
      breakLine()
      add(piece, 'comment')
      breakLine()
      continue
    }
    const name = nameOf(piece)
    const isEnd = piece.startsWith('</')
    const isInline = inline.has(name)
    if (isEnd && !isInline) depth = Math.max(0, depth - 1)
    if (!isInline) breakLine()
    add(piece.replace(/\s+/g, ' '), 'tag')
    if (isEnd || isInline || empty.has(name) || piece.endsWith('/>') || piece.startsWith('<!')) {
      if (!isInline || name === 'br') breakLine()
      continue
    }
    if (verbatim.has(name)) {
      const end = endOfVerbatim(html, at, name)
      const content = html.slice(at, end)
      at = end
      for (const [no, part] of content.split(/\r?\n/).entries()) {
        if (no > 0) {
          lines.push(line)
          length += line.length + 1
          line = ''
          isBlank = true
        }
        add(part)
      }
      depth++
      continue
    }
    depth++
    breakLine()
  }
  if (!isBlank || lines.length === 0) lines.push(line.trimEnd())
  return { text: lines.join('\n'), tokens }
}

/** Elements that do not begin a new line. */
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big br cite code em font i img kbd label mark o:p q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
const empty: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
const deepest = 30

function indentation(depth: number): string {
  return '  '.repeat(Math.min(depth, deepest))
}
