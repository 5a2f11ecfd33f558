import { nextTurn } from '../../core/machine.ts'
import {
  addressAttributes,
  hasRelativeSource,
  isRelative,
  nowhere,
  withoutRelativeUrls,
} from './relative-addresses.ts'
import { escapedValue, isTrackingPixel, keptStylesheetOf, type RemoteContent } from './remote-content.ts'
import { loadTokenizer } from './scan-html.ts'

/**
 * Removes from HTML everything that makes a browser connect, look up names or navigate without an action of the reader,
 * and that no Content-Security-Policy blocks: `<link>` of any kind (preconnect, dns-prefetch, …), `<meta http-equiv>`,
 * `<base>`, scripts (speculation rules, web bundles), frames and plug-ins, and the attributes `ping` and `attributionsrc`.
 * Relative URLs, which would lead to Localpost itself, are replaced by one that leads nowhere.
 *
 * A tag that the tokenizer finds is removed. If the text of such a tag occurs elsewhere (in a comment, an attribute, a
 * text field), its `<` becomes `&lt;`, so that a browser that parses the HTML differently does not find a tag either.
 *
 * @param html  Any HTML. It is processed in pieces, so that a large one does not block the event loop.
 * @param remote  What the reader asked to load: `all` keeps links to style sheets over http(s), and both `all` and
 * `images` remove tracking pixels. Default: `none`.
 */
export async function withoutConnections(
  html: string,
  { remote = 'none' }: { remote?: RemoteContent } = {},
): Promise<string> {
  const { Tokenizer } = loadTokenizer()
  const writer = createWriter(html, remote)
  const tokenizer = new Tokenizer({ decodeEntities: true }, writer.listener)
  for (let at = 0; at < html.length; at += pieceLength) {
    tokenizer.write(html.slice(at, at + pieceLength))
    writer.flush(Math.min(at + pieceLength, html.length))
    if (at + pieceLength < html.length) await nextTurn()
  }
  tokenizer.end()
  return writer.end()
}

const pieceLength = 64 * 1024

/** Elements that are removed. The content of `withContent` is removed too, because it is not HTML. */
const gone =
  'link|meta|base|script|iframe|frame|frameset|object|embed|applet|portal|fencedframe|webview|controlledframe'
const withContent: ReadonlySet<string> = new Set(['script', 'iframe'])
const goneName = new RegExp(`^(?:${gone})$`, 'i')
const goneBeginning = new RegExp(`<(?=(?:${gone})(?![^\\s/>]))`, 'gi')
const goneAttribute = /^(?:ping|attributionsrc|shadowroot(?:mode)?)$/i

/** The names of meta elements that affect how a mail looks. All other meta elements are removed. */
const keptMeta = /^(?:(?:supported-)?color-schemes?|viewport)$/i

/** Replaces a removed tag, so that the text before and after it cannot form a tag. */
const gap = '<!---->'

/** Replaces a removed `<base>`: the sandbox blocks navigation of the top frame, so relative links lead nowhere. */
const ownBase = '<base target="_top">'

type Listener = ConstructorParameters<ReturnType<typeof loadTokenizer>['Tokenizer']>[1]

interface Writer {
  listener: Listener
  /** Writes the part of the source before an index that can no longer change. */
  flush(before: number): void
  end(): string
}

function createWriter(html: string, remote: RemoteContent): Writer {
  const written: string[] = []
  let at = 0
  let name = ''
  let tagStart = 0
  let isInTag = false
  let attribute = { name: '', start: 0 }
  /** The attributes of the current tag that decide whether it stays. */
  let attributes = new Map<string, string>()
  /** Replaced attributes of the current tag, written when it ends: it may be removed as a whole. */
  let changed: { start: number; end: number; text: string }[] = []
  let value = ''
  /** The element whose content is being skipped, and where the element began. */
  let leaving: { name: string; start: number } | null = null
  /** The start of the current style sheet; null outside of one. */
  let styleStart: number | null = null

  function writeTo(end: number): void {
    if (end > at) written.push(html.slice(at, end).replace(goneBeginning, '&lt;'))
    at = Math.max(at, end)
  }

  function cut(start: number, end: number, text: string): void {
    writeTo(start)
    written.push(text)
    at = Math.max(at, end)
  }

  // All relevant names are shorter. A name of a megabyte is not copied.
  const nameAt = (start: number, end: number): string =>
    end - start > 16 ? '' : html.slice(start, end).toLowerCase()

  function openTagEnds(end: number, isSelfClosing: boolean): void {
    isInTag = false
    if (name === 'style' && !leaving) styleStart ??= end + 1
    const isGone = goneName.test(name) || (remote !== 'none' && name === 'img' && isTrackingPixel(attributes))
    if (leaving || !isGone) return writeChanged()
    changed = []
    if (withContent.has(name) && !isSelfClosing) leaving = { name, start: tagStart }
    else cut(tagStart, end + 1, replacementOf(name))
  }

  function writeChanged(): void {
    for (const { start, end, text } of changed) cut(start, end, text)
    changed = []
  }

  /** The replacement of a tag that is removed. */
  function replacementOf(element: string): string {
    if (element === 'meta') return keptMetaOf(attributes)
    if (element === 'base') return ownBase
    return element === 'link' && remote === 'all' ? keptStylesheetOf(attributes) || gap : gap
  }

  function styleEnds(end: number): void {
    if (styleStart === null) return
    const css = html.slice(styleStart, end)
    const safe = withoutRelativeUrls(css)
    if (safe !== css) cut(styleStart, end, safe.replace(goneBeginning, '&lt;'))
    styleStart = null
  }

  /** The replacement of the current attribute; null if it stays unchanged. */
  function replacement(): string | null {
    const { name: attributeName } = attribute
    if (goneAttribute.test(attributeName)) return ' '
    if (attributeName === 'style') {
      const safe = withoutRelativeUrls(value)
      return safe === value ? null : `style="${escapedValue(safe)}"`
    }
    const leadsHere =
      attributeName === 'srcset'
        ? hasRelativeSource(value)
        : addressAttributes.has(attributeName) && isRelative(value)
    return leadsHere ? `${attributeName}="${nowhere}"` : null
  }

  const listener: Listener = {
    onopentagname(start, end) {
      tagStart = start - 1
      isInTag = true
      name = nameAt(start, end)
      attributes = new Map()
      changed = []
    },
    onattribname(start, end) {
      attribute = { name: nameAt(start, end), start }
      value = ''
    },
    onattribdata(start, end) {
      const most = longestOf(name, attribute.name)
      if (value.length < most) value += html.slice(start, Math.min(end, start + most))
    },
    onattribentity(codepoint) {
      if (value.length < longestOf(name, attribute.name)) value += String.fromCodePoint(codepoint)
    },
    onattribend(_quote, end) {
      if (decided.test(name) && !attributes.has(attribute.name)) attributes.set(attribute.name, value)
      const text = leaving || goneName.test(name) ? null : replacement()
      if (text !== null) changed.push({ start: attribute.start, end, text })
    },
    onopentagend: (end) => openTagEnds(end, false),
    onselfclosingtag: (end) => openTagEnds(end, true),
    onclosetag(start, end) {
      const closed = nameAt(start, end)
      if (closed === 'style') styleEnds(start - 2)
      if (leaving ? leaving.name !== closed : !goneName.test(closed)) return
      const close = html.indexOf('>', end)
      cut(leaving?.start ?? start - 2, close < 0 ? html.length : close + 1, gap)
      leaving = null
    },
    ontext() {},
    ontextentity() {},
    oncomment() {},
    oncdata() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  }
  return {
    listener,
    flush(before) {
      // An incomplete tag may still have to be removed.
      const border = html.lastIndexOf('<', before - 1)
      writeTo(leaving?.start ?? styleStart ?? (isInTag ? tagStart : border < at ? before : border))
    },
    end() {
      writeChanged()
      styleEnds(html.length)
      // An element that is skipped and never closed extends to the end of the HTML.
      if (!leaving) writeTo(html.length)
      return written.join('')
    },
  }
}

/** The elements whose attributes decide whether they stay. */
const decided = /^(?:meta|link|img)$/
const longestMeta = 200
/** Of the attributes that say how an image or a style sheet is used. */
const longestWord = 100
const longestAddress = 4096

/** How many characters of an attribute's value are read. */
function longestOf(name: string, attribute: string): number {
  if (name === 'meta') return longestMeta
  if (/^(?:rel|media|width|height)$/.test(attribute)) return longestWord
  if (attribute === 'style' || attribute === 'srcset') return Number.POSITIVE_INFINITY
  return addressAttributes.has(attribute) ? longestAddress : 0
}

function keptMetaOf(attributes: ReadonlyMap<string, string>): string {
  const name = attributes.get('name') ?? ''
  if (attributes.has('http-equiv') || !keptMeta.test(name)) return gap
  return `<meta name="${name}" content="${escapedValue(attributes.get('content') ?? '')}">`
}
