import { voidElements } from '../mime/html/html-tree.ts'
import { readMarkup, type MarkupListener } from '../mime/html/markup.ts'
import { scannedLength } from '../mime/html/scan-html.ts'

/**
 * HTML as lines, so that two versions can be compared: each block element on a line of its own, indented by its depth,
 * texts and inline elements as they flow. White space is folded, attributes are in quotes, entities are decoded.
 *
 * In linear time, whatever the HTML is; at most its first million characters, and {@link maxFormattedLines} lines.
 */
export function formatHtml(html: string): string[] {
  const page = new HtmlLines()
  readMarkup(html.slice(0, scannedLength), page)
  return withLimits(page.end(), html.length)
}

/** More than any mail for people has. With its indent, a line may be much longer than the tag that it is made from. */
export const maxFormattedLines = 50_000

/**
 * The first lines of a body, and a last line that says if there are more.
 *
 * @param length  Of the whole body, in characters.
 */
export function withLimits(lines: string[], length: number): string[] {
  if (lines.length > maxFormattedLines)
    return [...lines.slice(0, maxFormattedLines), `(Only the first ${maxFormattedLines} lines are shown.)`]
  return length > scannedLength
    ? [...lines, `(Only the first ${scannedLength} characters are shown.)`]
    : lines
}

class HtmlLines implements MarkupListener {
  readonly #lines: string[] = []
  /** The block elements that are open. */
  readonly #open: string[] = []
  /** Pieces of the line that is being written; joined at its end. */
  #line: string[] = []
  /** The opening tag that is being read: its name, and what is written of it. */
  #name = ''
  #tag = ''

  onTagName(name: string): void {
    this.#name = name.toLowerCase()
    this.#tag = `<${this.#name}`
  }

  onAttribute(name: string, value: string | null): void {
    this.#tag += ` ${name.toLowerCase()}`
    if (value !== null) this.#tag += `="${folded(value).trim().replaceAll('"', '&quot;')}"`
  }

  onTagEnd(): void {
    const name = this.#name
    const tag = `${this.#tag}>`
    if (!blocks.has(name)) {
      this.#line.push(tag)
      if (name === 'br') this.#endLine()
      return
    }
    this.#endLine()
    // `<li>` after an open `<li>`, as HTML allows.
    if (implied.has(name) && this.#open.at(-1) === name) this.#open.pop()
    this.#push(tag)
    if (!voidElements.has(name)) this.#open.push(name)
  }

  onCloseTag(written: string): void {
    const name = written.toLowerCase()
    if (!blocks.has(name)) {
      if (!voidElements.has(name)) this.#line.push(`</${name}>`)
      return
    }
    // Searched only in the innermost elements, so that closing tags without an opening one cost little.
    const minDepth = Math.max(0, this.#open.length - searchedDepth)
    let depth = this.#open.length - 1
    while (depth >= minDepth && this.#open[depth] !== name) depth--
    if (depth < minDepth) return
    this.#endLine()
    this.#open.length = depth
    this.#push(`</${name}>`)
  }

  onText(text: string): void {
    this.#line.push(text.replaceAll('<', '&lt;'))
  }

  onComment(text: string): void {
    this.#endLine()
    this.#push(`<!--${folded(text)}-->`)
  }

  onDeclaration(text: string): void {
    this.#endLine()
    this.#push(`<!${folded(text)}>`)
  }

  isFull(): boolean {
    return this.#lines.length > maxFormattedLines
  }

  end(): string[] {
    this.#endLine()
    return this.#lines
  }

  #endLine(): void {
    const text = this.#line.join('')
    this.#line = []
    const isRaw = rawText.has(this.#open.at(-1) ?? '')
    for (const line of isRaw ? text.split('\n') : [text]) {
      const written = folded(line).trim()
      if (written !== '') this.#push(written)
    }
  }

  #push(written: string): void {
    this.#lines.push('  '.repeat(Math.min(this.#open.length, maxIndent)) + written)
  }
}

const maxIndent = 60
const searchedDepth = 200
const implied = new Set(['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option'])
/** Elements whose lines stay as they are. */
const rawText = new Set(['style', 'script', 'pre', 'textarea'])
const blocks = new Set(
  (
    'html head body title meta link style script base table thead tbody tfoot tr td th caption colgroup col div p ' +
    'center h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr section article header footer main nav aside blockquote pre ' +
    'address figure figcaption form fieldset legend select option textarea button input template svg noscript'
  ).split(' '),
)

const folded = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ')
