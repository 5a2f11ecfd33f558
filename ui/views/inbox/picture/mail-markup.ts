import {
  attributeOf,
  attributesOf,
  boxOf,
  firstChildOf,
  kindOfNode,
  nameOf,
  namespaceOf,
  neighbourOf,
  textOf,
} from './frame-parts.ts'
import type { Quirks } from './quirks.ts'
import { sheetText } from './sheet-text.ts'

/**
 * The document of a frame as XHTML that looks the same within an SVG image, where nothing runs and nothing is loaded.
 *
 * @param images  `data:` URLs in place of remote addresses.
 * @param styles  Further declarations for single elements.
 * @throws Error with a sentence for the reader, if it is too large to be drawn.
 */
export function markupOf(
  content: Document,
  {
    view,
    images,
    quirks,
    styles,
  }: {
    view: Window
    images: ReadonlyMap<string, string>
    quirks: Quirks
    styles: ReadonlyMap<Element, string>
  },
): string {
  const root = Document.prototype.querySelector.call(content, ':root')
  if (!root) return ''
  const written: string[] = []
  let length = 0
  const put = (text: string): void => {
    length += text.length
    if (length > mostCharacters) throw new Error(tooLarge)
    written.push(text)
  }

  function putNode(node: Node, around: string | null, level: number): void {
    const kind = kindOfNode(node)
    if (kind === 3 || kind === 4) return put(escapedText(textOf(node)))
    if (kind === 1 && level < deepest) putElement(node as Element, around, level)
  }

  function putElement(element: Element, around: string | null, level: number): void {
    const [name, namespace] = [nameOf(element), namespaceOf(element)]
    if (left.has(name)) return
    // A name like `o:p` has no namespace that its prefix could mean.
    const tag = name.replaceAll(/[^\w-]/g, '-').replace(/^(?![a-z_])/i, 'x')
    put(`<${tag}`)
    if (namespace !== around) put(` xmlns="${escapedValue(namespace ?? '')}"`)
    const style = styleOf(element)
    if (style !== null) put(` style="${escapedValue(style)}"`)
    put(quirks.marksOf(element))
    for (const attribute of attributesOf(element)) putAttribute(element, attribute)
    put('>')
    if (name === 'style') put(escapedText(withImages(styleSheetOf(element), images)))
    else if (!empty.has(name)) {
      for (let child = firstChildOf(element); child; child = neighbourOf(child, 'nextSibling'))
        putNode(child, namespace, level + 1)
    }
    put(`</${tag}>`)
  }

  function putAttribute(element: Element, { name, value, namespaceURI }: Attr): void {
    // Of those with a prefix only links within SVG have a meaning here.
    const known = namespaceURI === xlink ? name.replace(/^.*:/, '') : name
    if (!attributeForm.test(known) || dropped.test(known)) return
    if (nameOf(element) === 'img' && known === 'src')
      return put(` src="${escapedValue(sourceOf(element, value))}"`)
    const isAddress = known === 'background' || known === 'href' || known === 'src'
    put(` ${known}="${escapedValue(isAddress ? (images.get(value.trim()) ?? value) : value)}"`)
  }

  /** What an image shows; where that cannot be had, a grey place of its size. */
  function sourceOf(element: Element, written: string): string {
    const image = element as HTMLImageElement
    const address = image.currentSrc || written
    if (!/^\s*(?:https?:)?\/\//i.test(address) || image.naturalWidth === 0) return address
    const { width, height } = boxOf(element)
    return images.get(address) ?? greyBox(width, height)
  }

  /** The style attribute, in full; null without one. */
  function styleOf(element: Element): string | null {
    const own = attributeOf(element, 'style')
    const parts: string[] = []
    if (own !== null) {
      const { style } = element as HTMLElement
      const isParsed = quirks.areLenient && typeof style === 'object' && 'cssText' in style
      parts.push(withImages(isParsed ? style.cssText : own, images))
    }
    parts.push(styles.get(element) ?? '', ...quirks.stylesOf(element))
    const style = parts.filter(Boolean).join(';')
    return style === '' && own === null ? null : style
  }

  function styleSheetOf(element: Element): string {
    return sheetText((element as HTMLStyleElement).sheet, textOf(element), view)
  }

  putNode(root, null, 0)
  return written.join('')
}

const mostCharacters = 24_000_000
const tooLarge = 'This mail is too large for a picture. Save it as HTML, or print it as PDF.'
// Parsers end earlier.
const deepest = 1000
const xlink = 'http://www.w3.org/1999/xlink'
const attributeForm = /^[a-z_][\w.-]*$/i
const dropped =
  /^(?:on.*|srcset|sizes|loading|style|xmlns|autofocus|autoplay|crossorigin|ping|target|media)$/i
/** What shows nothing, or nothing without scripts and requests. */
const left: ReadonlySet<string> = new Set(
  'script link meta base template source track iframe frame object embed portal title'.split(' '),
)
const empty: ReadonlySet<string> = new Set('area br col hr img input wbr param'.split(' '))

function withImages(css: string, images: ReadonlyMap<string, string>): string {
  let replaced = css
  for (const [address, data] of images) replaced = replaced.replaceAll(address, data)
  return replaced
}

function greyBox(width: number, height: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#ccc"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** Without what XML has no way to write. */
const inXml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what XML forbids
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '')
const escapedText = (text: string): string =>
  inXml(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
const escapedValue = (text: string): string =>
  escapedText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
