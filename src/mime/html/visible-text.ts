import { scanHtml } from './scan-html.ts'

/**
 * The visible text of HTML, as lines: block elements, table rows and `<br>` end a line; styles and scripts are left
 * out. At most 1 MB of it is read.
 */
export function visibleText(html: string): string {
  let text = ''
  /** The open hidden element, and how many elements of this name are open in it. Everything in it is hidden. */
  let hiddenBy: { name: string; depth: number } | null = null
  scanHtml(html, [], {
    onOpenTag(name) {
      if (hiddenBy?.name === name) hiddenBy.depth++
      // `<body>` ends a `<head>` that was not closed.
      else if (hiddenBy?.name === 'head' && name === 'body') hiddenBy = null
      else if (!hiddenBy && hidden.has(name)) hiddenBy = { name, depth: 1 }
      if (lineEnding.has(name)) text += '\n'
      else if (name === 'td' || name === 'th') text += ' '
    },
    onText(piece) {
      if (!hiddenBy) text += piece.replace(unfolded, ' ')
    },
    onCloseTag(name) {
      if (hiddenBy?.name === name && --hiddenBy.depth === 0) hiddenBy = null
      if (lineEnding.has(name)) text += '\n'
    },
  })
  return text
}

const hidden = new Set(['head', 'style', 'script', 'template', 'title', 'noscript'])
// Does not match single spaces, because replacing each of them would take longer.
const unfolded = /\s{2,}|[^\S ]/g
const lineEnding = new Set(
  'address article aside blockquote br center div dl dt dd fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)
