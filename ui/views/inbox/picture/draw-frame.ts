import { measure, rootOf, bodyOf } from '../frame-size.ts'
import { countWords } from '../../../composables/words.ts'
import { allIn, attributeOf } from './frame-parts.ts'
import { markupOf } from './mail-markup.ts'
import { quirksFor } from './quirks.ts'
import { rasterize } from './rasterize.ts'
import { readRemoteImages, type RemoteImages } from './remote-images.ts'

/** A picture of a mail. */
export interface MailPicture {
  png: Blob
  /** What the picture lacks, in sentences for the reader. */
  lacks: string[]
}

/**
 * Draws the mail in a frame as the frame shows it: as wide, and in the same appearance. It becomes the content of an SVG
 * image, in which browsers run nothing and load nothing, and that is drawn into a canvas.
 *
 * Old layouts (without a doctype) are only approximated, as such images have the new one.
 *
 * @param inverted  Whether the page inverts the colours of the frame.
 * @param isRemote  Whether the reader agreed to remote content: its images are asked for again then.
 * @throws Error with a sentence for the reader, where the browser cannot do it or the mail is too large.
 */
export async function drawFrame(
  frame: HTMLIFrameElement,
  { inverted, isRemote, signal }: { inverted: boolean; isRemote: boolean; signal: AbortSignal },
): Promise<MailPicture> {
  const { contentDocument: content, contentWindow: view } = frame
  const root = content && rootOf(content)
  if (!content || !view || !root) throw new Error('The mail is not shown any more.')
  const width = Math.min(Math.ceil(frame.getBoundingClientRect().width), mostSide)
  const whole = Math.max(measure(frame).height, 1)
  const height = Math.min(whole, mostSide, Math.floor(mostPixels / width))
  const remote = isRemote ? await readRemoteImages(content, signal) : none
  const body = bodyOf(content)
  const quirks = quirksFor(content, { view, color: body ? view.getComputedStyle(body).color : 'inherit' })
  const styles = backgroundStyles(root, body, view, height)
  const markup = markupOf(content, { view, images: remote.found, quirks, styles })
  const svg = svgOf({
    markup,
    rules: linkRule(body) + quirks.rules + ended,
    width,
    height,
    root: view.getComputedStyle(root),
    background: backgroundOf(frame, root),
    inverted,
  })
  const sharpest = Math.sqrt(mostPixels / (width * height))
  const scale = Math.max(1, Math.min(2, devicePixelRatio, mostSide / height, sharpest))
  const png = await rasterize(svg, { width, height, scale }, signal)
  return { png, lacks: lacksOf(content, { missing: remote.missing, whole, height }) }
}

// Browsers refuse larger canvases, each at another size, and hand out an empty picture.
const mostSide = 16_000
const mostPixels = 40_000_000
const none: RemoteImages = { found: new Map(), missing: 0 }
const reset = 'all:unset!important'
// Of the outermost element, which keeps what the unit `rem` and rules for `:root` are about.
const plain = [
  'display:block',
  'margin:0',
  'padding:0',
  'border:0',
  'background:none',
  'opacity:1',
  'transform:none',
  'filter:none',
]
  .map((one) => `${one}!important`)
  .join(';')
// What moves is as it is in the end: an image shows its first moment alone.
const ended =
  '*,*::before,*::after{animation-delay:-1000000s!important;animation-play-state:paused!important}'

interface Drawing {
  markup: string
  rules: string
  width: number
  height: number
  root: CSSStyleDeclaration
  background: string
  inverted: boolean
}

/** The mail's own rules hold for the whole image: what is around the mail is guarded against them. */
function svgOf({ markup, rules, width, height, root, background, inverted }: Drawing): string {
  const size = `width:${width}px!important;height:${height}px!important`
  const filter = inverted ? ';filter:invert(1) hue-rotate(180deg)!important' : ''
  // The usual size is not given in pixels: fonts of fixed width have another one then.
  const fontSize = root.fontSize === '16px' ? 'medium' : root.fontSize
  const outer = `${plain};${size};font-size:${fontSize}!important;color-scheme:${root.colorScheme}!important`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" style="${outer}">` +
    `<style>${rules}</style><g style="${reset}${filter}">` +
    `<rect style="${reset};width:100%!important;height:100%!important;fill:${background}!important"/>` +
    `<foreignObject style="${reset};${size}">${markup}</foreignObject></g></svg>`
  )
}

/** Links are none in an image. */
function linkRule(body: Element | null): string {
  const asked = (body && attributeOf(body, 'link')?.trim()) ?? ''
  const color =
    [asked, `#${asked}`].find((one) => /^#?\w+$/.test(one) && CSS.supports('color', one)) ?? 'LinkText'
  return `:where(a[href],area[href]){color:${color};text-decoration:underline}`
}

/** Where a mail does not know the dark, its frame is white, whatever is behind it. */
function backgroundOf(frame: HTMLIFrameElement, root: Element): string {
  const isDark = /\bdark\b/.test(getComputedStyle(root).colorScheme)
  return isDark ? getComputedStyle(frame).backgroundColor : '#fff'
}

/** The background of a document fills all of it, and where it has none, that of its body does. */
function backgroundStyles(
  root: Element,
  body: Element | null,
  view: Window,
  height: number,
): Map<Element, string> {
  const own = view.getComputedStyle(root)
  const isEmpty =
    own.backgroundImage === 'none' && /^(?:transparent|rgba\(.*, 0\))$/.test(own.backgroundColor)
  const source = isEmpty && body ? view.getComputedStyle(body) : own
  const styles = new Map([
    [root, `display:flow-root;min-height:${height}px;box-sizing:border-box;background:${source.background}`],
  ])
  if (isEmpty && body) styles.set(body, 'background:none!important')
  return styles
}

/** Sentences about what the frame shows and the picture does not. */
function lacksOf(
  content: Document,
  { missing, whole, height }: { missing: number; whole: number; height: number },
): string[] {
  const lacks: string[] = []
  if (height < whole)
    lacks.push(
      `The mail is ${whole} pixels tall. The picture shows the first ${height}: browsers draw no more.`,
    )
  if (missing > 0)
    lacks.push(
      `${countWords(missing, 'remote image')} could not be put into the picture, since only servers that allow it (CORS) let a page read their images.`,
    )
  // From the prototype: an element of the mail with the name `fonts` hides that of the document.
  const fonts = Reflect.get(Document.prototype, 'fonts', content)
  const hasFonts = [...fonts].some(({ status }) => status === 'loaded')
  if (hasFonts || allIn(content, 'link[rel=stylesheet i]').length > 0)
    lacks.push('Fonts and style sheets of other servers are not in the picture.')
  return lacks
}
