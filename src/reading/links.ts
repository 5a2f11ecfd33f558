import type { Link } from './types.ts'
import { absoluteAddress } from '../mime/html/urls.ts'
import { attributeOf, type HtmlNode, walkHtml } from '../mime/html/html-tree.ts'
import { parseHtml } from '../mime/html/parse-html.ts'

/**
 * The links of a mail: those of the HTML in their order, with their text; then those that only the text part has. Links
 * with the scheme of an app (`myapp://verify`) are included; scripts, and addresses of content, are not.
 *
 * @param html  Hostile HTML is fine: it is parsed as browsers do, so that a link which the page shows is here, too; at most
 *   1,000,000 characters are read.
 */
export function extractLinks(html: string, text: string): Link[] {
  const links = htmlLinks(html)
  const hrefs = new Set(links.map(({ href }) => href))
  for (const href of textLinks(text.slice(0, maxCharsForLinks))) {
    if (!hrefs.has(href)) links.push({ href, text: href })
    hrefs.add(href)
  }
  return links
}

/** How much of each body is looked at, in characters. */
export const maxCharsForLinks: number = 1_000_000
// A URL is cut at a length that no reader would follow, which also limits the work on each match. In angle brackets it may
// contain white space, which is not part of it (RFC 3986 appendix C).
// The punctuation of Chinese and Japanese is never part of a URL; their sentences have no space after a URL.
const textUrl =
  /<[a-z][a-z\d+.-]{1,30}:\/\/(?:(?!:\/\/)[^<>"|]){1,2000}>|(?:https?|(?<![^\s([{"'*_])[a-z][a-z\d+.-]{1,30}(?<![.-]https?)):\/\/[^\s<>"'`\u0000-\u0020\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]{1,2000}/gi

function* textLinks(text: string): Generator<string> {
  for (const { 0: found, index } of text.matchAll(textUrl)) {
    const isDelimited = found.startsWith('<')
    const href = isDelimited ? found.slice(1, -1).replace(/\s/g, '') : trimPunctuation(found, text[index - 1])
    if (isLink(href)) yield href
  }
}

/** Whether a reader can follow an address: it has a scheme, and opens neither a script nor a part of the mail. */
function isLink(href: string): boolean {
  const [, scheme] = /^([a-z][a-z\d+.-]{0,30}):/i.exec(href) ?? []
  return scheme !== undefined && !schemesNotFollowed.has(scheme.toLowerCase())
}

const schemesNotFollowed: ReadonlySet<string> = new Set(
  'about blob cid data file filesystem javascript mid vbscript view-source'.split(' '),
)

function htmlLinks(html: string): Link[] {
  const links: Link[] = []
  let open: { element: HtmlNode; link: Link } | null = null
  // To parse HTML without links would cost as much.
  if (!/<a/i.test(html)) return links
  const { root } = parseHtml(html.slice(0, maxCharsForLinks))
  walkHtml(root, {
    open(element) {
      const { name } = element
      const alt = attributeOf(element, 'alt')
      if (name === 'img' && open && alt) open.link.text += alt
      if (name !== 'a' && name !== 'area') return !hiddenElements.has(name)
      const href = attributeOf(element, 'href') ?? attributeOf(element, 'xlink:href')
      // Browsers remove tabs and line ends from an address (https://url.spec.whatwg.org/#concept-basic-url-parser).
      const target = absoluteAddress((href ?? '').replace(/[\t\n\r]/g, '')).trim()
      if (isLink(target)) {
        open = { element, link: { href: target, text: alt ?? '' } }
        links.push(open.link)
      }
      return true
    },
    text({ text }) {
      if (open) open.link.text += text
    },
    close(element) {
      if (open?.element === element) open = null
    },
  })
  for (const link of links) link.text = link.text.replace(/\s+/g, ' ').trim()
  return links
}

/** Elements whose content is no part of what is shown. */
const hiddenElements: ReadonlySet<string> = new Set(
  'script style template iframe noembed noframes'.split(' '),
)

/**
 * Removes the punctuation of the sentence after a URL. A closing bracket belongs to the URL if it contains the opening
 * one; a mark of emphasis, which may also end a token, does unless the same mark is before the URL.
 */
function trimPunctuation(url: string, before: string | undefined): string {
  // Counted once, because a URL may consist of brackets.
  const surplus = { ')': 0, ']': 0 }
  for (const char of url) {
    if (char === '(') surplus[')']--
    else if (char === '[') surplus[']']--
    else if (char === ')' || char === ']') surplus[char]++
  }
  const closing = before === '{' ? '}' : before
  let end = url.length
  for (; end > 0; end--) {
    const last = url[end - 1] ?? ''
    if (last === ')' || last === ']') {
      if (surplus[last] <= 0) break
      surplus[last]--
    } else if (!/[.,;:!?'"]/.test(last) && !(/[*_}]/.test(last) && last === closing)) break
  }
  return url.slice(0, end)
}
