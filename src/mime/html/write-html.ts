import { shownName, type HtmlCleaner } from './clean-element.ts'
import { htmlNamespace, voidElements, walkHtml, type HtmlNode, type HtmlVisitor } from './html-tree.ts'
import type { HtmlDocument } from './parse-html.ts'
import { cutText, escapedHtml } from '../../core/text.ts'

/** A document as text. */
export interface WrittenHtml {
  html: string
  /** Whether it has SVG or MathML. */
  hasForeign: boolean
}

/**
 * Writes a document as HTML that every tokenizer reads in the same way: a `<` is only where a tag begins. Elements that are
 * nested deeper than browsers nest them lose their tags; at most 16 million characters are written.
 *
 * @param options.withForeign  Whether SVG and MathML stay. Default: false.
 */
export function writeHtml(
  { root, mode, isCut }: HtmlDocument,
  cleaner: HtmlCleaner,
  { withForeign = false }: { withForeign?: boolean } = {},
): WrittenHtml {
  const writer = new HtmlWriter(cleaner, { withForeign, isCut, begin: doctypes[mode] })
  walkHtml(root, writer)
  return writer.result()
}

class HtmlWriter implements HtmlVisitor {
  readonly #cleaner: HtmlCleaner
  readonly #withForeign: boolean
  /** As bytes, because a string that was joined from many strings keeps them all in memory. */
  readonly #pieces: Buffer[]
  /** What is not in the pieces yet, and the length of these in characters. */
  #waiting = ''
  #length = 0
  /** Whether something is left out, because the document is too large. */
  #isCut: boolean
  #hasForeign = false
  /** The open elements; `""` for one without tags. The depth counts those with tags. */
  readonly #open: string[] = []
  #depth = 0

  constructor(
    cleaner: HtmlCleaner,
    { withForeign, isCut, begin }: { withForeign: boolean; isCut: boolean; begin: string },
  ) {
    this.#cleaner = cleaner
    this.#withForeign = withForeign
    this.#isCut = isCut
    this.#pieces = [Buffer.from(begin)]
  }

  open(element: HtmlNode): boolean {
    const isForeign = element.namespace !== htmlNamespace
    if (this.#length > maxWritten || (isForeign && !this.#withForeign)) return false
    const fate = this.#cleaner.fateOf(element)
    const isStyle = element.name === 'style'
    const isTooDeep = this.#depth >= maxDepth
    if (fate === 'gone' || (isStyle && isTooDeep)) return false
    if (fate === 'unwrapped' || isTooDeep) {
      this.#open.push('')
      return true
    }
    if (isForeign) this.#hasForeign = true
    this.#write(this.#cleaner.tagOf(element))
    if (isStyle) {
      const css = this.#cleaner.css(textIn(element))
      this.#write(`${isForeign ? escapedText(css) : css}</style>`)
      return false
    }
    const name = shownName(element)
    if (!isForeign && voidElements.has(name)) return false
    // A parser leaves the first newline out.
    if (newlineElements.has(name) && element.first?.text.startsWith('\n')) this.#write('\n')
    this.#open.push(name)
    this.#depth++
    return true
  }

  text({ text }: HtmlNode): void {
    for (let at = 0; at < text.length && this.#length <= maxWritten;) {
      const piece = cutText(text.slice(at, at + pieceLength + 1), pieceLength)
      this.#write(escapedText(piece))
      at += piece.length
    }
  }

  close(): void {
    const name = this.#open.pop()
    if (!name) return
    this.#depth--
    if (name === 'body' && this.#isCut)
      this.#write('<p>[The rest of this mail is left out, because it is too large.]</p>')
    this.#write(`</${name}>`)
  }

  result(): WrittenHtml {
    this.#pieces.push(Buffer.from(this.#waiting))
    return { html: Buffer.concat(this.#pieces).toString(), hasForeign: this.#hasForeign }
  }

  #write(text: string): void {
    this.#waiting += text
    if (this.#waiting.length < pieceLength) return
    this.#length += this.#waiting.length
    if (this.#length > maxWritten) this.#isCut = true
    this.#pieces.push(Buffer.from(this.#waiting))
    this.#waiting = ''
  }
}

/** Browsers nest about 512 elements, and put deeper ones beside each other. */
const maxDepth = 480
const maxWritten = 16_000_000
const pieceLength = 16_384

/** Only the mode of the layout matters. */
const doctypes = {
  'no-quirks': '<!DOCTYPE html>',
  'limited-quirks':
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  quirks: '',
} as const satisfies Record<HtmlDocument['mode'], string>

const newlineElements: ReadonlySet<string> = new Set(['pre', 'listing', 'textarea'])

function textIn({ first }: HtmlNode): string {
  let text = ''
  for (let node = first; node; node = node.next) text += node.text
  return text
}

function escapedText(text: string): string {
  // Most have no such character, and testing for one is faster than replacing with a function.
  return /[&<>]/.test(text) ? escapedHtml(text, /[&<>]/g) : text
}
