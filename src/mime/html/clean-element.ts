import {
  absoluteAddress,
  absoluteSources,
  addressAttributes,
  blockedAddress,
  sourceAttributes,
} from './urls.ts'
import { withAbsoluteUrls } from './css-addresses.ts'
import { attributeOf, htmlNamespace, type HtmlNode } from './html-tree.ts'
import { isRemoteStylesheet, type RemoteContent } from './remote-content.ts'
import { escapedValue } from './escaped-value.ts'
import { isOpeningImage, isTiny, isTrackingPixel } from './tracking-pixel.ts'

/** Whether an element is kept, is removed with its content, or is replaced by its content. */
export type Fate = 'kept' | 'gone' | 'unwrapped'

/** Decides which parts of a mail's HTML are shown; see `withoutConnections`. */
export interface HtmlCleaner {
  fateOf(element: HtmlNode): Fate
  /** The opening tag of an element that stays. */
  tagOf(element: HtmlNode): string
  /** The content of a `<style>`. */
  css(css: string): string
}

/** Creates a cleaner for one document. It remembers the styles in it, which mails repeat. */
export function createHtmlCleaner(remote: RemoteContent): HtmlCleaner {
  const withoutPixels = remote !== 'none'
  const styles = new Map<string, string>()

  function cleanStyle(style: string, element: HtmlNode): string {
    const isPixel = withoutPixels && isTiny(element)
    const key = `${isPixel}${style}`
    const cached = styles.get(key)
    if (cached !== undefined) return cached
    const cleaned = withAbsoluteUrls(style, { withoutPixels, isTiny: isPixel })
    if (styles.size < maxStyles) styles.set(key, cleaned)
    return cleaned
  }

  function cleanAddress(address: string, element: HtmlNode): string {
    const isLoaded = element.name !== 'a' && element.name !== 'area'
    return withoutPixels && isLoaded && isOpeningImage(address) ? blockedAddress : absoluteAddress(address)
  }

  /** The value of an attribute that is shown; null if the attribute goes. */
  function valueOf(name: string, value: string, element: HtmlNode): string | null {
    if (name === 'style') return cleanStyle(value, element)
    if (sourceAttributes.has(name))
      return absoluteSources(value, (address) => cleanAddress(address, element)) || null
    if (addressAttributes.has(name)) {
      if (withoutPixels && pixelAttributes.has(name) && isTiny(element)) return null
      return cleanAddress(value, element)
    }
    if (element.namespace === htmlNamespace) return value
    // An animation of SVG may change an address.
    if (animatedValues.has(name) && /href\s*$/i.test(attributeOf(element, 'attributeName')?.slice(-20) ?? ''))
      return value.split(';', maxAnimated).map(absoluteAddress).join(';')
    // Presentation attributes, such as `fill`.
    return value.includes('(') ? withAbsoluteUrls(value, { withoutPixels }) : value
  }

  return {
    fateOf(element) {
      const { name, namespace } = element
      if (goneElements.has(name)) return 'gone'
      if (unwrappedElements.has(name) || !elementForm.test(name)) return 'unwrapped'
      if (name === 'meta') return isKeptMeta(element) ? 'kept' : 'gone'
      if (name === 'link') return remote === 'all' && isRemoteStylesheet(element) ? 'kept' : 'gone'
      const isImage = name === 'img' || (name === 'input' && /^\s*image\s*$/i.test(typeOf(element)))
      const isVector = name === 'image' && namespace !== htmlNamespace
      return withoutPixels && (isImage || isVector) && isTrackingPixel(element) ? 'gone' : 'kept'
    },
    tagOf(element) {
      let tag = `<${shownName(element)}`
      for (const { name: local, prefix, value } of element.attributes) {
        const name = prefix ? `${prefix}:${local}` : local
        if (!attributeForm.test(name) || goneAttribute.test(name)) continue
        if (element.name === 'link' && !linkAttributes.has(name)) continue
        const kept = valueOf(name, value, element)
        if (kept !== null) tag += kept === '' ? ` ${name}` : ` ${name}="${escapedValue(kept)}"`
      }
      return `${tag}>`
    },
    css: (css) => withAbsoluteUrls(css, { withoutPixels }),
  }
}

/** The name by which an element is written: elements whose content a parser reads as text become `<pre>`. */
export function shownName({ name }: HtmlNode): string {
  return name === 'xmp' || name === 'plaintext' ? 'pre' : name
}

const maxStyles = 1000
const maxAnimated = 1000
/** Elements that connect or run scripts, or whose content is not part of the mail's HTML. */
const goneElements: ReadonlySet<string> = new Set(
  'script iframe frame frameset embed template base bgsound noembed noframes param'.split(' '),
)
/** Elements that connect, or depend on whether scripts run, and whose content may be shown. */
const unwrappedElements: ReadonlySet<string> = new Set(
  'object applet portal fencedframe webview controlledframe noscript'.split(' '),
)
// Other names are valid HTML, but parsers read them differently.
const elementForm = /^[a-z][\w:.-]{0,63}$/i
const attributeForm = /^[a-z_:@][\w:.@-]{0,99}$/i
/** Attributes that connect, run scripts, or change what other attributes mean. */
const goneAttribute =
  /^(?:on.*|ping|attributionsrc|shadowroot.*|srcdoc|referrerpolicy|nonce|is|manifest|xml:base|browsingtopics|adauctionheaders|sharedstoragewritable)$/i
/** The attributes by which an element that is no image shows one. */
const pixelAttributes: ReadonlySet<string> = new Set(['poster', 'background'])
const animatedValues: ReadonlySet<string> = new Set(['from', 'to', 'by', 'values'])
const linkAttributes: ReadonlySet<string> = new Set(['rel', 'href', 'media'])

const typeOf = (element: HtmlNode): string => attributeOf(element, 'type')?.slice(0, 20) ?? ''

/** The names of meta elements that affect how a mail looks. */
function isKeptMeta(element: HtmlNode): boolean {
  const name = attributeOf(element, 'name') ?? ''
  return (
    /^(?:(?:supported-)?color-schemes?|viewport)$/i.test(name) &&
    attributeOf(element, 'http-equiv') === undefined
  )
}
