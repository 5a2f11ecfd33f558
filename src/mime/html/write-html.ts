import { shownName, type HtmlCleaner } from './clean-element.ts'
import { htmlNamespace, type HtmlNode, walkHtml } from './html-tree.ts'
import type { HtmlDocument } from './parse-html.ts'

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
  // As bytes, because a string that was joined from many strings keeps them all in memory.
  const pieces: Buffer[] = [Buffer.from(doctypes[mode])]
  let line = ''
  let length = 0
  let isFull = isCut
  let hasForeign = false
  /** The open elements; `""` for one without tags. */
  const open: string[] = []
  let depth = 0

  function write(text: string): void {
    line += text
    if (line.length < lineLength) return
    length += line.length
    if (length > maxWritten) isFull = true
    pieces.push(Buffer.from(line))
    line = ''
  }

  function note(): void {
    if (isFull) write('<p>[The rest of this mail is left out, because it is too large.]</p>')
  }

  walkHtml(root, {
    open(element) {
      const isForeign = element.namespace !== htmlNamespace
      if (length > maxWritten || (isForeign && !withForeign)) return false
      const fate = cleaner.fateOf(element)
      if (fate === 'gone') return false
      const isRaw = element.name === 'style'
      if (isRaw && depth >= maxDepth) return false
      if (fate === 'unwrapped' || depth >= maxDepth) {
        open.push('')
        return true
      }
      if (isForeign) hasForeign = true
      write(cleaner.tagOf(element))
      const name = shownName(element)
      if (isRaw) {
        const css = cleaner.css(textIn(element))
        write(`${isForeign ? escapedText(css) : css}</style>`)
        return false
      }
      if (!isForeign && voidElements.has(name)) return false
      // A parser leaves the first newline out.
      if (newlineElements.has(name) && element.first?.text.startsWith('\n')) write('\n')
      open.push(name)
      depth++
      return true
    },
    text({ text }) {
      for (let at = 0; at < text.length && length <= maxWritten; at += lineLength)
        write(escapedText(text.slice(at, at + lineLength)))
    },
    close() {
      const name = open.pop()
      if (!name) return
      depth--
      if (name === 'body') note()
      write(`</${name}>`)
    },
  })
  pieces.push(Buffer.from(line))
  return { html: Buffer.concat(pieces).toString(), hasForeign }
}

/** Browsers nest about 512 elements, and put deeper ones beside each other. */
const maxDepth = 480
const maxWritten = 16_000_000
const lineLength = 16_384

/** Only the mode of the layout matters. */
const doctypes = {
  'no-quirks': '<!DOCTYPE html>',
  'limited-quirks':
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  quirks: '',
} as const satisfies Record<HtmlDocument['mode'], string>

const voidElements: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)
const newlineElements: ReadonlySet<string> = new Set(['pre', 'listing', 'textarea'])

function textIn({ first }: HtmlNode): string {
  let text = ''
  for (let node = first; node; node = node.next) text += node.text
  return text
}

function escapedText(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (char) => entities[char] ?? char) : text
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
