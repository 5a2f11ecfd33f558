import { findMarks, type LinkMark } from './find-marks.ts'

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
  const { links, end } = findMarks(html)
  return ({ pixelUrl, linkUrl }) => {
    const pieces: string[] = []
    let from = 0
    const splice = (start: number, until: number, text: string): void => {
      pieces.push(html.slice(from, start), text)
      from = until
    }
    const putPixel = (): void => {
      if (pixelUrl !== null) splice(end, end, pixel(pixelUrl))
    }
    let isPixelPut = false
    for (const link of links) {
      if (!isPixelPut && link.start >= end) {
        putPixel()
        isPixelPut = true
      }
      const url = linkUrl(link.href)
      if (url !== null) splice(link.start, link.end, quotedAttribute(link, url))
    }
    if (!isPixelPut) putPixel()
    pieces.push(html.slice(from))
    return pieces.join('')
  }
}

// An unquoted value gets quotes, because the new one may have characters that would end it.
function quotedAttribute({ isQuoted }: LinkMark, url: string): string {
  return isQuoted ? escapedAttribute(url) : `"${escapedAttribute(url)}"`
}

function pixel(url: string): string {
  const style = 'display:none;width:1px;height:1px;border:0'
  return `<img src="${escapedAttribute(url)}" width="1" height="1" alt="" style="${style}">`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
}

function escapedAttribute(url: string): string {
  return url.replace(/[&"'<>]/g, (char) => entities[char] ?? char)
}
