import { scanHtml, scannedLength } from '../mime/html/scan-html.ts'
import { escapedHtml } from '../core/text.ts'

/** The tracking of a copy of the HTML. */
export interface TrackingTargets {
  /** The address of the image that records an open; null for none. */
  pixelUrl: string | null
  /** The address that replaces a link, given decoded and trimmed; null leaves the link as it is. */
  linkUrl(href: string): string | null
}

/**
 * Adds tracking to HTML: replaces the http and https links of `<a>` and `<area>`, and adds an invisible image before
 * `</body>` or at the end. All other characters stay as they are.
 *
 * Left alone: links with `data-no-track`, with `{{placeholders}}`, of other schemes, and text that only looks like a
 * link (in comments, scripts, styles, attributes). Only the first 1,000 links within the first million
 * characters are rewritten.
 *
 * @returns A function that makes one copy; the HTML is scanned once for all copies.
 */
export function prepareRewrite(html: string): (targets: TrackingTargets) => string {
  const { links, contentEnd } = scanForTracking(html)
  return ({ pixelUrl, linkUrl }) => {
    const edits = links.flatMap(({ href, start, end, isQuoted }) => {
      const url = linkUrl(href)
      if (url === null) return []
      const value = escapedAttribute(url)
      // An unquoted value gets quotes, because the new one may have characters that would end it.
      return [{ start, end, text: isQuoted ? value : `"${value}"` }]
    })
    if (pixelUrl !== null) edits.push({ start: contentEnd, end: contentEnd, text: pixel(pixelUrl) })
    let copy = ''
    let copiedTo = 0
    for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
      copy += html.slice(copiedTo, start) + text
      copiedTo = end
    }
    return copy + html.slice(copiedTo)
  }
}

/** A link that may be tracked. */
interface Link {
  /** Entities decoded, without white space around it. */
  href: string
  /** Offsets of the value of `href` as written, without quotes. */
  start: number
  end: number
  isQuoted: boolean
}

/**
 * Finds the links that may be tracked, in the order of the HTML, and where its content ends: at the last `</body>`, else
 * before markup that never ends, such as an open comment or `<script>`, else at the end.
 */
function scanForTracking(html: string): { links: Link[]; contentEnd: number } {
  const links: Link[] = []
  let bodyEnd = -1
  /** Where the last whole tag, text or comment ends: the scan does not report a tag without an end. */
  let wholeEnd = 0
  /** The open element whose content is text, even if it looks like tags, and where its `<` is. */
  let raw = null as { name: string; start: number } | null
  scanHtml(html, ['href', 'data-no-track'], {
    onOpenTag(name, attributes, start, end, ranges) {
      wholeEnd = end
      if (raw) return
      const isSelfClosing = html[end - 2] === '/'
      if (textEvenIfClosed.has(name) || (!isSelfClosing && textElements.has(name)))
        raw = { name, start: start - 1 }
      const range = ranges.get('href')
      const isExempt = (name !== 'a' && name !== 'area') || attributes['data-no-track'] !== undefined
      if (!range || isExempt || links.length === maxLinks) return
      // As a browser does, ignores white space around an address and line breaks within it.
      const href = (attributes.href ?? '').replace(/[\t\n\r]/g, '').trim()
      if (isTrackable(href)) links.push({ href, ...valueRange(html, ...range) })
    },
    onText(piece, start) {
      wholeEnd = start + piece.length
    },
    onCloseTag(name, start, end) {
      wholeEnd = Math.max(wholeEnd, html.indexOf('>', end) + 1)
      if (raw?.name === name) raw = null
      else if (!raw && name === 'body') bodyEnd = html.lastIndexOf('<', start)
    },
    onComment(_, end) {
      wholeEnd = Math.max(wholeEnd, html.indexOf('>', end) + 1)
    },
    onDeclaration(text, start) {
      wholeEnd = start + text.length + 1
    },
  })
  if (html.length > scannedLength) return { links, contentEnd: html.length }
  const rawStart = raw?.start ?? html.length
  return { links, contentEnd: bodyEnd >= 0 ? bodyEnd : Math.min(wholeEnd, rawStart, html.length) }
}

const maxLinks = 1000
/** Elements whose content is text; the scan does not report tags in them. */
const textElements: ReadonlySet<string> = new Set(['script', 'style', 'title', 'textarea', 'xmp'])
/** The same, but the scan reports tags in them, and `<iframe/>` opens one too. */
const textEvenIfClosed: ReadonlySet<string> = new Set(['iframe', 'noembed', 'noframes', 'plaintext'])

function isTrackable(href: string): boolean {
  return /^https?:/i.test(href) && !href.includes('{{') && URL.canParse(href)
}

/** Where the value of an attribute with this range is. */
function valueRange(html: string, start: number, end: number): Pick<Link, 'start' | 'end' | 'isQuoted'> {
  const [beforeValue = '', quote = ''] = /^href\s*=\s*(["']?)/i.exec(html.slice(start, end)) ?? []
  const isQuoted = quote !== ''
  return { start: start + beforeValue.length, end: isQuoted ? end - 1 : end, isQuoted }
}

function pixel(url: string): string {
  const style = 'display:none;width:1px;height:1px;border:0'
  return `<img src="${escapedAttribute(url)}" width="1" height="1" alt="" style="${style}">`
}

function escapedAttribute(url: string): string {
  return escapedHtml(url, /[&"'<>]/g)
}
