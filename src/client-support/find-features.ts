import { shorten } from '../core/quote.ts'
import { scanHtml, type TagAttributes } from '../mime/html/scan-html.ts'
import { atRuleFeatures, declarationFeatures, urlsOf } from './css-features.ts'
import { features, type Feature } from './features.ts'
import {
  featureAttributes,
  elementFeatures,
  imageFeatures,
  imagesOf,
  type ImagePart,
} from './html-features.ts'
import { atRuleText, declarationText, scanCss, cssText } from './scan-css.ts'
import { selectorFeatures } from './selectors.ts'

/** The parts of a mail in which features are searched. */
export interface MailContent {
  html: string
  headers: readonly (readonly [name: string, value: string])[]
  /** The content types and content ids of all parts except the bodies. */
  attachments: readonly ImagePart[]
}

/** How a mail uses one feature. */
export interface FeatureUse {
  slug: string
  feature: Feature
  /** How often the mail uses it. */
  count: number
  /** The first 20 places, by offset into the HTML. */
  places: { offset: number; snippet: string }[]
}

/**
 * Finds the features of HTML and CSS that a mail uses, in the order of their first use; those of style sheets come after those
 * of tags. Only the first 1 MB of the HTML and the first 250 KB of a style sheet are checked.
 */
export function findFeatures({ html, headers, attachments }: MailContent): FeatureUse[] {
  const found = new FoundFeatures(attachments)
  let sheet: { text: string; start: number } | null = null
  const sheets: { text: string; start: number }[] = []
  scanHtml(html, featureAttributes, {
    onOpenTag(name, attributes, start) {
      found.addElement(name, attributes, start)
      if (name === 'style') sheet = { text: '', start: -1 }
    },
    onText(piece, start) {
      if (!sheet) return
      if (sheet.start === -1) sheet.start = start
      sheet.text += piece
    },
    onCloseTag(name) {
      if (name !== 'style' || !sheet) return
      sheets.push(sheet)
      sheet = null
    },
    onComment: (start) => found.add(['html-comments'], start, () => '<!-- -->'),
    onDeclaration(text, start) {
      if (/^!?doctype\s+html\s*$/i.test(text))
        found.add(['html-doctype'], start, () => `<!${text.replace(/^!/, '')}>`)
    },
  })
  if (sheet) sheets.push(sheet)
  for (const { text, start } of sheets) found.addCss(cssUses(text, 'sheet'), (offset) => start + offset)
  if (headers.some(([name]) => /^bimi-(?:selector|location|indicator)$/i.test(name)))
    found.add(['bimi'], 0, () => 'BIMI')
  if (attachments.some(({ content_type }) => content_type === 'text/x-amp-html'))
    found.add(['amp'], 0, () => 'text/x-amp-html')
  return [...found.uses.values()]
}

/** What is written at a place, in one line of at most 120 characters. */
export function placeText(text: string): string {
  return shorten(text.slice(0, 1000).replace(/\s+/g, ' '), 120)
}

/** How many places of a feature are named. */
export const maxPlaces = 20

/** The features that were found so far. */
class FoundFeatures {
  /** By slug, in the order of their first use. */
  readonly uses = new Map<string, FeatureUse>()
  readonly #parts: readonly ImagePart[]
  /** The features of inline styles, because mails repeat the same ones. */
  readonly #inline = new Map<string, readonly CssUse[]>()

  /** @param parts  Those of the mail, which `cid:` URLs name. */
  constructor(parts: readonly ImagePart[]) {
    this.#parts = parts
  }

  add(slugs: Iterable<string>, offset: number, snippet: () => string): void {
    for (const slug of slugs) {
      const feature = features.get(slug)
      if (!feature) continue
      const use = this.uses.get(slug) ?? { slug, feature, count: 0, places: [] }
      this.uses.set(slug, use)
      use.count++
      if (use.places.length < maxPlaces) use.places.push({ offset, snippet: placeText(snippet()) })
    }
  }

  addElement(name: string, attributes: TagAttributes, start: number): void {
    this.add(elementFeatures(name, attributes), start, () => writtenTag(name, attributes))
    for (const url of imagesOf(name, attributes)) this.#addImage(url, start)
    const { style } = attributes
    if (style === undefined) return
    const uses = this.#inline.get(style) ?? cssUses(style, 'attribute')
    this.#inline.set(style, uses)
    this.addCss(uses, () => start)
  }

  /** @param offsetOf  Where in the HTML an offset of the CSS is. */
  addCss(uses: readonly CssUse[], offsetOf: (start: number) => number): void {
    for (const { slugs, start, snippet, urls } of uses) {
      this.add(slugs, offsetOf(start), snippet)
      for (const url of urls) this.#addImage(url, offsetOf(start))
    }
  }

  #addImage(url: string, offset: number): void {
    this.add(imageFeatures(url, this.#parts), offset, () => url)
  }
}

/** The features that one rule, selector list or declaration of CSS uses. */
interface CssUse {
  slugs: Iterable<string>
  /** Offset into the CSS. */
  start: number
  snippet(this: void): string
  urls: readonly string[]
}

function cssUses(css: string, context: 'sheet' | 'attribute'): CssUse[] {
  const found: CssUse[] = []
  const add = (slugs: Iterable<string>, start: number, snippet: () => string, urls: string[] = []): void =>
    void found.push({ slugs, start, snippet, urls })
  scanCss(css, context, {
    onAtRule: ({ name, prelude, start }) =>
      add(atRuleFeatures(name, prelude), start, () => atRuleText(name, prelude)),
    onSelectors: (tokens, { isNested }) =>
      add(selectorFeatures(tokens, isNested), tokens[0]?.start ?? 0, () => cssText(tokens)),
    onDeclaration: (property, value, start) =>
      add(declarationFeatures(property, value), start, () => declarationText(property, value), urlsOf(value)),
    onComment: (start) => add(['css-comments'], start, () => '/* */'),
  })
  return found
}

/** A tag with the attributes that features read, but without its style. */
function writtenTag(name: string, attributes: TagAttributes): string {
  const written = Object.entries(attributes)
    .filter(([attribute]) => attribute !== 'style')
    .map(([attribute, value]) => ` ${attribute}="${value}"`)
  return `<${name}${written.join('')}>`
}
