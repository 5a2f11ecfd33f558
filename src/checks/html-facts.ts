import { scanHtml, type HtmlListener, type TagAttributes } from '../mime/html/scan-html.ts'
import { StyledTexts, unseenElements, type StyledText } from './styled-texts.ts'

/** The facts that the checks read from a mail's HTML. Offsets are those of the names of elements. */
export interface HtmlFacts {
  images: HtmlImage[]
  /** Links as written, trimmed, including those without a target. */
  links: HtmlLink[]
  headings: { level: number; offset: number }[]
  tables: HtmlTable[]
  /** The first `lang` before the first text; null without one. */
  lang: string | null
  /** Null without a `title` element. */
  title: string | null
  /** The styles of the texts that readers see, each with its first text. */
  texts: StyledText[]
}

/** A link of the HTML, or of the text of a mail without HTML. */
export interface HtmlLink {
  href: string
  /** Its text with the alternative texts of its images, or its label. */
  text: string
  /** Null in the text. */
  offset: number | null
}

/** An image of the HTML. */
export interface HtmlImage {
  /** `""` without one. */
  src: string
  /** `""` marks decoration; null: missing. */
  alt: string | null
  /** Whether it is a tracking pixel. */
  isPixel: boolean
  offset: number
}

/** A table of the HTML. */
export interface HtmlTable {
  role: string | null
  /** Whether it has a header cell or a caption, so that it shows data. */
  hasHeader: boolean
  offset: number
}

/** Reads the facts for the checks from hostile HTML in linear time: at most 1 MB of it, and 10,000 of each kind. */
export function readHtmlFacts(html: string): HtmlFacts {
  const reading = new FactsReading()
  scanHtml(html, wantedAttributes, reading)
  return reading.facts
}

class FactsReading implements HtmlListener {
  readonly #texts = new StyledTexts()
  readonly facts: HtmlFacts = {
    images: [],
    links: [],
    headings: [],
    tables: [],
    lang: null,
    title: null,
    texts: this.#texts.found,
  }
  readonly #openTables: HtmlTable[] = []
  #openLink: HtmlLink | null = null

  onOpenTag(name: string, attributes: TagAttributes, offset: number): void {
    const { href, lang, role } = attributes
    const { headings, links, tables, texts } = this.facts
    if (lang !== undefined && texts.length === 0) this.facts.lang ??= lang.trim() || null
    if (name === 'img') this.#addImage(attributes, offset)
    if (/^h[1-6]$/.test(name) && headings.length < maxEach) headings.push({ level: Number(name[1]), offset })
    if (name === 'table' && tables.length < maxEach) {
      const table = { role: role?.trim().toLowerCase() ?? null, hasHeader: false, offset }
      tables.push(table)
      if (this.#openTables.length < maxOpenTables) this.#openTables.push(table)
    }
    const innermost = this.#openTables.at(-1)
    if (innermost && (name === 'th' || name === 'caption')) innermost.hasHeader = true
    this.#texts.onOpenTag(name, attributes)
    if (name !== 'a' || href === undefined || links.length >= maxEach) return
    this.#openLink = { href: href.trim(), text: attributes['aria-label'] ?? attributes.title ?? '', offset }
    links.push(this.#openLink)
  }

  onText(piece: string, offset: number): void {
    const { within } = this.#texts
    if (within === 'title') this.facts.title = (this.facts.title ?? '') + piece
    if (this.#openLink && !unseenElements.has(within)) this.#openLink.text += piece
    this.#texts.onText(piece, offset)
  }

  onCloseTag(name: string): void {
    if (name === 'a') this.#openLink = null
    if (name === 'table') this.#openTables.pop()
    this.#texts.onCloseTag(name)
  }

  #addImage({ src = '', alt, width, height }: TagAttributes, offset: number): void {
    if (this.facts.images.length >= maxEach) return
    const isPixel = [width, height].every((length) => /^\s*[01](?:px)?\s*$/.test(length ?? ''))
    this.facts.images.push({ src: src.trim(), alt: alt ?? null, isPixel, offset })
    if (this.#openLink && alt) this.#openLink.text += alt
  }
}

const wantedAttributes =
  'href alt src width height lang role title aria-label style color bgcolor background text class id'.split(
    ' ',
  )
const maxEach = 10_000
const maxOpenTables = 200
