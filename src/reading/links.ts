import type { Link } from './types.ts'
import { scanHtml } from '../mime/html/scan-html.ts'

/**
 * The links of a mail: those of the HTML in their order, with their text; then those that only the text part has. Only
 * http, https and mailto links are included, because readers can follow no others.
 *
 * @param html  Hostile HTML is fine: it is tokenized, not rendered, and at most 1,000,000 characters are scanned.
 */
export function extractLinks(html: string, text: string): Link[] {
  const links = htmlLinks(html)
  const known = new Set(links.map(({ href }) => href))
  for (const [found] of text.slice(0, searchedForLinks).matchAll(textUrl)) {
    const href = trimPunctuation(found)
    if (!known.has(href)) links.push({ href, text: href })
    known.add(href)
  }
  return links
}

/** How much of each body is looked at, in characters. */
export const searchedForLinks: number = 1_000_000
// A URL is cut at a length that no reader would follow, which also limits the work on each match.
// The punctuation of Chinese and Japanese is never part of a URL; their sentences have no space after a URL.
const textUrl =
  /https?:\/\/[^\s<>"'`\u0000-\u0020\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]{1,2000}/gi

function htmlLinks(html: string): Link[] {
  const links: Link[] = []
  let open: Link | null = null
  scanHtml(html, ['href', 'alt'], {
    onOpenTag(name, { href, alt }) {
      if (name === 'img' && open && alt) open.text += alt
      if ((name !== 'a' && name !== 'area') || href === undefined) return
      const target = href.trim()
      open = /^(?:https?|mailto):/i.test(target) ? { href: target, text: alt ?? '' } : null
      if (open) links.push(open)
    },
    onText(piece) {
      if (open) open.text += piece
    },
    onCloseTag(name) {
      if (name === 'a') open = null
    },
  })
  for (const link of links) link.text = link.text.replace(/\s+/g, ' ').trim()
  return links
}

// The punctuation of the sentence after a URL is not part of it. A closing bracket is, if the URL contains the opening one.
function trimPunctuation(url: string): string {
  // Counted once, because a URL may consist of brackets.
  const surplus = { ')': 0, ']': 0 }
  for (const char of url) {
    if (char === '(') surplus[')']--
    else if (char === '[') surplus[']']--
    else if (char === ')' || char === ']') surplus[char]++
  }
  let end = url.length
  for (; end > 0; end--) {
    const last = url[end - 1] ?? ''
    if (last === ')' || last === ']') {
      if (surplus[last] <= 0) break
      surplus[last]--
    } else if (!/[.,;:!?*_'"}]/.test(last)) break
  }
  return url.slice(0, end)
}
