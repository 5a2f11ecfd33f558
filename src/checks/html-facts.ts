import { scanHtml } from '../mime/html/scan-html.ts'
import { initialStyle, styleWithin, type TextStyle } from './inline-style.ts'
import { createStyleRules, type StyledElement } from './style-rules.ts'

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
  texts: { style: TextStyle; text: string; offset: number }[]
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
  const facts: HtmlFacts = {
    images: [],
    links: [],
    headings: [],
    tables: [],
    lang: null,
    title: null,
    texts: [],
  }
  const { images, links, headings, tables, texts } = facts
  const elements: (StyledElement & { style: TextStyle })[] = []
  const rules = createStyleRules()
  let sheet = ''
  const openTables: HtmlTable[] = []
  const styles = new Set<string>()
  let open: HtmlLink | null = null
  scanHtml(html, attributesAsked, {
    onOpenTag(name, attributes, offset) {
      const { href, alt, src, width, height, lang, role } = attributes
      if (lang !== undefined && texts.length === 0) facts.lang ??= lang.trim() || null
      if (name === 'img' && images.length < maxEach) {
        const isPixel = [width, height].every((length) => /^\s*[01](?:px)?\s*$/.test(length ?? ''))
        images.push({ src: (src ?? '').trim(), alt: alt ?? null, isPixel, offset })
        if (open && alt) open.text += alt
      }
      if (/^h[1-6]$/.test(name) && headings.length < maxEach)
        headings.push({ level: Number(name[1]), offset })
      if (name === 'table' && tables.length < maxEach) {
        const table = { role: role?.trim().toLowerCase() ?? null, hasHeader: false, offset }
        tables.push(table)
        if (openTables.length < maxDepth) openTables.push(table)
      }
      const table = openTables.at(-1)
      if (table && (name === 'th' || name === 'caption')) table.hasHeader = true
      if (!voidElements.has(name) && elements.length < maxDepth) {
        const parent = elements.at(-1)?.style ?? initialStyle
        const { id = '' } = attributes
        const classes = attributes.class?.trim().split(/\s+/, maxClasses) ?? []
        const element = { name, classes, id: id.trim() }
        const declared = rules.matching(element, elements)
        elements.push({ ...element, style: styleWithin(parent, name, attributes, declared) })
      }
      if (name !== 'a' || href === undefined || links.length >= maxEach) return
      open = { href: href.trim(), text: attributes['aria-label'] ?? attributes.title ?? '', offset }
      links.push(open)
    },
    onText(piece, offset) {
      const element = elements.at(-1)
      if (element?.name === 'title') facts.title = (facts.title ?? '') + piece
      if (element?.name === 'style') sheet += piece
      if (element && unseen.has(element.name)) return
      if (open) open.text += piece
      if (isBlank.test(piece)) return
      const style = element?.style ?? initialStyle
      if (style.isHidden || texts.length >= maxStyles) return
      const key = [style.color, style.background, style.fontSize, style.isBold].join()
      if (styles.has(key)) return
      styles.add(key)
      texts.push({ style, text: piece.trim().slice(0, 80), offset })
    },
    onCloseTag(name) {
      if (name === 'a') open = null
      if (name === 'table') openTables.pop()
      if (name === 'style' && sheet !== '') {
        rules.add(sheet)
        sheet = ''
      }
      // A tag that closes nothing is ignored, as browsers do.
      const at = elements.findLastIndex((element) => element.name === name)
      if (at !== -1) elements.length = at
    },
  })
  return facts
}

const attributesAsked = [
  'href',
  'alt',
  'src',
  'width',
  'height',
  'lang',
  'role',
  'title',
  'aria-label',
  'style',
  'color',
  'bgcolor',
  'background',
  'text',
  'class',
  'id',
] as const
const maxEach = 10_000
const maxClasses = 20
const maxStyles = 1000
/** Deeper elements get the style of the element at this depth. */
const maxDepth = 200
/** White space, and the invisible characters that fill preview texts. */
const isBlank = /^(?:\s|[\u00ad\u200b-\u200f\u2060]|\u034f)*$/
const unseen = new Set(['style', 'script', 'title', 'noscript', 'template'])
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
