import { withCuts, type Cut } from '../core/cuts.ts'
import { escapedValue } from '../mime/html/escaped-value.ts'
import {
  scanHtml,
  type AttributeRanges,
  type HtmlListener,
  type TagAttributes,
} from '../mime/html/scan-html.ts'
import {
  attributesOf,
  elementFeatures,
  featureAttributes,
  imageFeatures,
  imagesOf,
  isOfElement,
  type ImagePart,
} from './html-features.ts'
import type { PreviewedClient } from './preview-clients.ts'
import type { CssFilter, Ignored } from './preview-css.ts'
import { createInlineFilter, filterSheets, type StyleSheet } from './preview-styles.ts'

/** Removes the elements, attributes and styles that a client ignores. It takes linear time. */
export function filterHtml(
  html: string,
  client: PreviewedClient,
  images: readonly ImagePart[],
): { html: string; ignored: Ignored[] } {
  const removal = new HtmlRemoval(html, client, images)
  scanHtml(html, featureAttributes, removal)
  return removal.result()
}

class HtmlRemoval implements HtmlListener {
  readonly #html: string
  readonly #client: PreviewedClient
  readonly #images: readonly ImagePart[]
  readonly #cssFilter: CssFilter
  readonly #filterInline: ReturnType<typeof createInlineFilter>
  readonly #cuts: Cut[] = []
  readonly #ignored: Ignored[] = []
  readonly #sheets: StyleSheet[] = []
  /** The element that is removed with its content, while the scan is in it; `depth` counts those of its name. */
  #removed: { name: string; start: number; depth: number } | null = null
  /** The style element that the scan is in. */
  #sheet: Omit<StyleSheet, 'end' | 'closedAt'> | null = null
  /** Whether there was an element or a text that is shown. */
  #isInBody = false
  /** Whether the last tag opened a title, whose text is not shown. */
  #isInTitle = false
  /**
   * Of the elements of a name that are not closed, the last one last: whether their tags are removed. Void elements are
   * never closed, so only `maxKept` are kept of each name.
   */
  readonly #tagsRemoved = new Map<string, boolean[]>()

  constructor(html: string, client: PreviewedClient, images: readonly ImagePart[]) {
    this.#html = html
    this.#client = client
    this.#images = images
    this.#cssFilter = {
      ignores: (slug) => client.ignores.has(slug),
      imageFeatures: (url) => imageFeatures(url, images),
    }
    this.#filterInline = createInlineFilter(this.#cssFilter, client.rules)
  }

  onOpenTag(
    name: string,
    attributes: TagAttributes,
    nameStart: number,
    end: number,
    ranges: AttributeRanges,
  ): void {
    const start = nameStart - 1
    if (this.#passOver(name, start, end)) return
    if (!headElements.has(name)) this.#isInBody = true
    this.#isInTitle = name === 'title'
    // Called only for what is removed: most tags stay.
    const tag = (): string => `<${this.#html.slice(nameStart, Math.min(end - 1, nameStart + 200))}>`
    const features = [...elementFeatures(name, attributes)].filter((slug) => this.#client.ignores.has(slug))
    const ofElement = features.find((slug) => isOfElement(name, slug))
    this.#tagsRemoved.set(name, [
      ...(this.#tagsRemoved.get(name) ?? []).slice(-maxKept),
      ofElement !== undefined,
    ])
    if (ofElement === undefined) {
      if (name === 'style') this.#sheet = { start: end, openedAt: start, isInBody: this.#isInBody }
      this.#dropAttributes(features, ranges, tag)
      this.#dropImages(name, attributes, ranges, tag)
      this.#filterStyle(name, attributes, ranges)
    } else if (goneWithContent.has(name)) {
      this.#ignored.push({ feature: ofElement, start, snippet: tag() })
      this.#removed = { name, start, depth: 1 }
    } else this.#drop(ofElement, tag(), start, end)
  }

  /**
   * Passes over a tag in an element that is removed with its content, and begins such an element at data of Office.
   *
   * @returns Whether it did; otherwise the tag is to be filtered.
   */
  #passOver(name: string, start: number, end: number): boolean {
    const isEmptyData = isOfficeData(name) && this.#html[end - 2] === '/'
    if (this.#removed) {
      if (this.#removed.name === name && !isEmptyData) this.#removed.depth++
      return true
    }
    if (this.#client.rules.isWord !== true || !isOfficeData(name)) return false
    if (!isEmptyData) this.#removed = { name, start, depth: 1 }
    return true
  }

  onText(text: string): void {
    if (!this.#sheet && !this.#removed && !this.#isInTitle && /\S/.test(text)) this.#isInBody = true
  }

  onCloseTag(name: string, nameStart: number, nameEnd: number): void {
    const start = nameStart - '</'.length
    const close = this.#html.indexOf('>', nameEnd)
    const end = close < 0 ? this.#html.length : close + 1
    this.#isInTitle = false
    if (name === 'style') this.#endSheet(start, end)
    if (!this.#removed) {
      const isTagRemoved = this.#tagsRemoved.get(name)?.pop() ?? false
      if (isTagRemoved) this.#cuts.push({ start, end, text: '' })
      return
    }
    if (this.#removed.name !== name) return
    this.#removed.depth--
    if (this.#removed.depth > 0) return
    this.#cuts.push({ start: this.#removed.start, end, text: '' })
    this.#removed = null
  }

  onComment(textStart: number, textEnd: number): void {
    if (this.#removed || this.#sheet || !this.#client.ignores.has('html-comments')) return
    const start = this.#html.lastIndexOf('<', textStart)
    this.#drop('html-comments', '<!-- -->', start, Math.min(this.#html.length, textEnd + 1))
  }

  result(): { html: string; ignored: Ignored[] } {
    const end = this.#html.length
    // An element that is not closed extends to the end.
    if (this.#removed && !isOfficeData(this.#removed.name))
      this.#cuts.push({ start: this.#removed.start, end, text: '' })
    this.#endSheet(end, end)
    const ofSheets = filterSheets(this.#html, this.#sheets, this.#cssFilter, this.#client.rules)
    return {
      html: withCuts(this.#html, [...this.#cuts, ...ofSheets.cuts]),
      ignored: [...this.#ignored, ...ofSheets.ignored],
    }
  }

  #endSheet(end: number, closedAt: number): void {
    if (this.#sheet) this.#sheets.push({ ...this.#sheet, end, closedAt })
    this.#sheet = null
  }

  #drop(feature: string, snippet: string, start: number, end: number): void {
    this.#ignored.push({ feature, start, snippet })
    this.#cuts.push({ start, end, text: '' })
  }

  #dropAttributes(features: readonly string[], ranges: AttributeRanges, tag: () => string): void {
    for (const slug of features) {
      for (const attribute of attributesOf(slug)) {
        const range = ranges.get(attribute)
        if (range) this.#drop(slug, tag(), ...range)
      }
    }
  }

  /** Removes the attributes whose images have a format that the client does not show. */
  #dropImages(name: string, attributes: TagAttributes, ranges: AttributeRanges, tag: () => string): void {
    for (const attribute of imageAttributes) {
      const range = ranges.get(attribute)
      if (!range) continue
      const slug = imagesOf(name, { [attribute]: attributes[attribute] })
        .flatMap((url) => imageFeatures(url, this.#images))
        .find((feature) => this.#client.ignores.has(feature))
      if (slug !== undefined) this.#drop(slug, tag(), ...range)
    }
  }

  #filterStyle(name: string, { style }: TagAttributes, ranges: AttributeRanges): void {
    const range = ranges.get('style')
    if (!style || !range) return
    const [start, end] = range
    const { css, ignored } = this.#filterInline(name, style)
    if (ignored.length === 0) return
    for (const { feature, snippet } of ignored) this.#ignored.push({ feature, start, snippet })
    this.#cuts.push({ start, end, text: `style="${escapedValue(css)}"` })
  }
}

const headElements: ReadonlySet<string> = new Set(
  'html head title meta link base style script noscript'.split(' '),
)
/** Elements without which their content means nothing. The content of others is shown. */
const goneWithContent: ReadonlySet<string> = new Set('style svg textarea select meter progress'.split(' '))
const imageAttributes = ['src', 'srcset', 'background']
/** How many elements of one name are kept while they are not closed. */
const maxKept = 100

/** What the Word engine reads as settings of a document, and never shows. The text of `o:p` is a paragraph. */
const isOfficeData = (name: string): boolean =>
  name === 'xml' || ((name.startsWith('o:') || name.startsWith('w:')) && name !== 'o:p')
