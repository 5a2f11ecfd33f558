import { escapedValue } from '../mime/html/remote-content.ts'
import { scanHtml } from '../mime/html/scan-html.ts'
import {
  attributesOf,
  featureAttributes,
  elementFeatures,
  imageFeatures,
  imagesOf,
  isOfElement,
  type FeatureAttributes,
  type ImagePart,
} from './html-features.ts'
import type { ClientRules, PreviewedClient, RuleId } from './preview-clients.ts'
import { filterCss, type CssFilter, type FilteredCss, type Ignored } from './preview-css.ts'
import { withCuts, type Cut } from '../core/cuts.ts'

/** Removes the elements, attributes and styles that a client ignores. It takes linear time. */
export function filterHtml(
  html: string,
  { ignores, rules }: PreviewedClient,
  images: readonly ImagePart[],
): { html: string; ignored: Ignored[] } {
  const cuts: Cut[] = []
  const ignored: Ignored[] = []
  const sheets: Sheet[] = []
  /** The element that is removed with its content, and how many of its name are open. */
  let leaving: { name: string; start: number; open: number } | null = null
  let sheet: Omit<Sheet, 'end' | 'closedAt'> | null = null
  let isInBody = false
  let isInTitle = false
  /** Of the open elements of a name, whether their tags are removed. */
  const opened = new Map<string, boolean[]>()

  const drop = (feature: string, snippet: string, start: number, end: number): void => {
    ignored.push({ feature, start, snippet })
    cuts.push({ start, end, text: '' })
  }
  const cssFilter: CssFilter = {
    ignores: (slug) => ignores.has(slug),
    imageFeatures: (url) => imageFeatures(url, images),
  }
  const inlineStyle = createInlineFilter(cssFilter, rules)

  scanHtml(html, featureAttributes, {
    onOpenTag(name, attributes, nameStart, end, ranges) {
      const start = nameStart - 1
      if (leaving) {
        if (leaving.name === name && !(isOfficeData(name) && html[end - 2] === '/')) leaving.open++
        return
      }
      if (rules.isWord === true && isOfficeData(name)) {
        if (html[end - 2] !== '/') leaving = { name, start, open: 1 }
        return
      }
      if (!headElements.has(name)) isInBody = true
      const tag = `<${html.slice(nameStart, Math.min(end - 1, nameStart + 200))}>`
      const features = [...elementFeatures(name, attributes)].filter((slug) => ignores.has(slug))
      const ofElement = features.find((slug) => isOfElement(name, slug))
      isInTitle = name === 'title'
      opened.set(name, [...(opened.get(name) ?? []).slice(-maxOpen), ofElement !== undefined])
      if (ofElement !== undefined) {
        if (!goneWithContent.has(name)) return drop(ofElement, tag, start, end)
        ignored.push({ feature: ofElement, start, snippet: tag })
        leaving = { name, start, open: 1 }
        return
      }
      if (name === 'style') sheet = { start: end, openedAt: start, isInBody }
      const dropAttribute = (attribute: keyof FeatureAttributes, feature: string): void => {
        const [from, to] = ranges.get(attribute) ?? [0, 0]
        if (to > from) drop(feature, tag, from, to)
      }
      for (const slug of features) {
        for (const attribute of attributesOf(slug)) dropAttribute(attribute, slug)
      }
      for (const attribute of imageAttributes) {
        const value = attributes[attribute]
        if (value === undefined) continue
        const slug = imagesOf(name, { [attribute]: value })
          .flatMap((url) => imageFeatures(url, images))
          .find((feature) => ignores.has(feature))
        if (slug !== undefined) dropAttribute(attribute, slug)
      }
      const { style } = attributes
      const [from, to] = ranges.get('style') ?? [0, 0]
      if (style === undefined || style === '') return
      const filtered = inlineStyle(name, style)
      if (filtered.ignored.length === 0) return
      for (const { feature, snippet } of filtered.ignored) ignored.push({ feature, start: from, snippet })
      cuts.push({ start: from, end: to, text: `style="${escapedValue(filtered.css)}"` })
    },
    onText(text) {
      if (!sheet && !leaving && !isInTitle && /\S/.test(text)) isInBody = true
    },
    onCloseTag(name, nameStart, nameEnd) {
      const start = nameStart - 2
      const close = html.indexOf('>', nameEnd)
      const end = close < 0 ? html.length : close + 1
      isInTitle = false
      if (name === 'style' && sheet) {
        sheets.push({ ...sheet, end: start, closedAt: end })
        sheet = null
      }
      if (!leaving) {
        if (opened.get(name)?.pop()) cuts.push({ start, end, text: '' })
        return
      }
      if (leaving.name !== name || --leaving.open > 0) return
      cuts.push({ start: leaving.start, end, text: '' })
      leaving = null
    },
    onComment(textStart, textEnd) {
      if (leaving || sheet || !ignores.has('html-comments')) return
      const start = html.lastIndexOf('<', textStart)
      drop('html-comments', '<!-- -->', start, Math.min(html.length, textEnd + 1))
    },
  })
  // An element that is not closed extends to the end.
  const open = leaving as { name: string; start: number } | null
  if (open && !isOfficeData(open.name)) cuts.push({ start: open.start, end: html.length, text: '' })
  const last = sheet as Omit<Sheet, 'end' | 'closedAt'> | null
  if (last) sheets.push({ ...last, end: html.length, closedAt: html.length })
  const ofSheets = filterSheets(html, sheets, cssFilter, rules)
  return {
    html: withCuts(html, [...cuts, ...ofSheets.cuts]),
    ignored: [...ignored, ...ofSheets.ignored],
  }
}

/** Filters the inline style of an element. Mails repeat the same ones, so results are kept. */
function createInlineFilter(
  cssFilter: CssFilter,
  rules: ClientRules,
): (name: string, style: string) => FilteredCss {
  const inWordBox: CssFilter = {
    ...cssFilter,
    ignoredProperty: (property) => (boxSizes.test(property) ? 'word-box' : null),
  }
  const known = new Map<string, FilteredCss>()
  return (name, style) => {
    const isBox = rules.isWord === true && wordBoxes.has(name)
    const key = `${isBox ? 'box' : ''} ${style}`
    const filtered = known.get(key) ?? filterCss(style, 'attribute', isBox ? inWordBox : cssFilter)
    known.set(key, filtered)
    return filtered
  }
}

/** What a client removes of the style sheets of a mail. */
function filterSheets(
  html: string,
  sheets: readonly Sheet[],
  cssFilter: CssFilter,
  rules: ClientRules,
): { cuts: Cut[]; ignored: Ignored[] } {
  const cuts: Cut[] = []
  const ignored: Ignored[] = []
  let styleChars = 0
  for (const { start, end, openedAt, closedAt, isInBody } of sheets) {
    const css = html.slice(start, end)
    styleChars += css.length
    const filtered = filterCss(css, 'sheet', cssFilter)
    const fault = sheetFault(rules, { isInBody, styleChars, hasNestedAtRule: filtered.hasNestedAtRule })
    if (fault !== null) {
      ignored.push({ feature: fault, start: openedAt, snippet: `<style> of ${css.length} characters` })
      cuts.push({ start: openedAt, end: closedAt, text: '' })
    } else if (filtered.ignored.length > 0 || filtered.css.length < css.length) {
      for (const one of filtered.ignored) ignored.push({ ...one, start: start + one.start })
      // What stands on both sides of a removed part must not form an end tag.
      cuts.push({ start, end, text: filtered.css.replaceAll('</', '<\\/') })
    }
  }
  return { cuts, ignored }
}

/** Why a client removes a whole style sheet; null if it does not. */
function sheetFault(
  { dropsStylesIn, dropsNestedAtRules, maxStyleChars = Number.POSITIVE_INFINITY }: ClientRules,
  sheet: { isInBody: boolean; styleChars: number; hasNestedAtRule: boolean },
): RuleId | null {
  if (dropsStylesIn === (sheet.isInBody ? 'body' : 'head'))
    return sheet.isInBody ? 'style-in-body' : 'style-in-head'
  if (sheet.styleChars > maxStyleChars) return 'style-limit'
  return dropsNestedAtRules && sheet.hasNestedAtRule ? 'nested-at-rule' : null
}

interface Sheet {
  /** Of the CSS. */
  start: number
  end: number
  /** Of the element. */
  openedAt: number
  closedAt: number
  isInBody: boolean
}

const headElements: ReadonlySet<string> = new Set(
  'html head title meta link base style script noscript'.split(' '),
)
/** Elements without which their content means nothing. The content of others is shown. */
const goneWithContent: ReadonlySet<string> = new Set('style svg textarea select meter progress'.split(' '))

/** What the Word engine reads as settings of a document, and never shows. The text of `o:p` is a paragraph. */
function isOfficeData(name: string): boolean {
  return name === 'xml' || ((name.startsWith('o:') || name.startsWith('w:')) && name !== 'o:p')
}
const imageAttributes = ['src', 'srcset', 'background'] as const
/** In the Word engine these are no boxes: sizes and paddings apply to table cells and images. */
const wordBoxes: ReadonlySet<string> = new Set(['div', 'p', 'span', 'a'])
const boxSizes = /^(?:width|height|padding(?:-(?:top|right|bottom|left))?)$/
const maxOpen = 100
