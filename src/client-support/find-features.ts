import { scanHtml } from '../mime/html/scan-html.ts'
import { atRuleFeatures, declarationFeatures, urlsOf } from './css-features.ts'
import { features, maxPlaces, placeText, type Feature } from './features.ts'
import {
  featureAttributes,
  elementFeatures,
  imageFeatures,
  imagesOf,
  type FeatureAttributes,
  type ImagePart,
} from './html-features.ts'
import { scanCss, cssText } from './scan-css.ts'
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
 * Finds the features of HTML and CSS that a mail uses, in the order of their first use. Only the first 1 MB of the HTML and the first 250 KB of a style sheet are checked.
 */
export function findFeatures({ html, headers, attachments }: MailContent): FeatureUse[] {
  const uses = new Map<string, FeatureUse>()
  const use = (slugs: Iterable<string>, offset: number, snippet: () => string): void => {
    for (const slug of slugs) {
      const feature = features.get(slug)
      if (!feature) continue
      const found = uses.get(slug) ?? { slug, feature, count: 0, places: [] }
      uses.set(slug, found)
      found.count++
      if (found.places.length < maxPlaces) found.places.push({ offset, snippet: placeText(snippet()) })
    }
  }
  const shows = (url: string, offset: number): void => use(imageFeatures(url, attachments), offset, () => url)
  const useCss = (found: readonly CssUse[], offsetOf: (start: number) => number): void => {
    for (const { slugs, start, snippet, urls } of found) {
      use(slugs, offsetOf(start), snippet)
      for (const url of urls) shows(url, offsetOf(start))
    }
  }
  // Mails repeat the same inline styles.
  const inline = new Map<string, readonly CssUse[]>()
  const inlineUses = (style: string): readonly CssUse[] => {
    const found = inline.get(style) ?? cssUses(style, 'attribute')
    inline.set(style, found)
    return found
  }
  let sheet: { text: string; start: number } | null = null
  const finished: { text: string; start: number }[] = []
  scanHtml(html, featureAttributes, {
    onOpenTag(name, attributes, start) {
      const { style } = attributes
      use(elementFeatures(name, attributes), start, () => tagOf(name, attributes))
      for (const url of imagesOf(name, attributes)) shows(url, start)
      if (style !== undefined) useCss(inlineUses(style), () => start)
      if (name === 'style') sheet = { text: '', start: -1 }
    },
    onText(piece, start) {
      if (!sheet) return
      if (sheet.start === -1) sheet.start = start
      sheet.text += piece
    },
    onCloseTag(name) {
      if (name !== 'style' || !sheet) return
      finished.push(sheet)
      sheet = null
    },
    onComment: (start) => use(['html-comments'], start, () => '<!-- -->'),
    onDeclaration(text, start) {
      if (/^!?doctype\s+html\s*$/i.test(text))
        use(['html-doctype'], start, () => `<!${text.replace(/^!/, '')}>`)
    },
  })
  if (sheet) finished.push(sheet)
  for (const { text, start } of finished) useCss(cssUses(text, 'sheet'), (offset) => start + offset)
  if (headers.some(([name]) => /^bimi-(?:selector|location|indicator)$/i.test(name)))
    use(['bimi'], 0, () => 'BIMI')
  if (attachments.some(({ content_type }) => content_type === 'text/x-amp-html'))
    use(['amp'], 0, () => 'text/x-amp-html')
  return [...uses.values()]
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
      add(atRuleFeatures(name, prelude), start, () => `@${name} ${prelude}`.trim()),
    onSelectors: (tokens, { isNested }) =>
      add(selectorFeatures(tokens, isNested), tokens[0]?.start ?? 0, () => cssText(tokens)),
    onDeclaration: (property, value, start) =>
      add(
        declarationFeatures(property, value),
        start,
        () => `${property}: ${value.map(({ text }) => text).join(' ')}`,
        urlsOf(value),
      ),
    onComment: (start) => add(['css-comments'], start, () => '/* */'),
  })
  return found
}

function tagOf(name: string, attributes: FeatureAttributes): string {
  const written = Object.entries(attributes)
    .filter(([attribute]) => attribute !== 'style')
    .map(([attribute, value]) => ` ${attribute}="${value}"`)
  return `<${name}${written.join('')}>`
}
