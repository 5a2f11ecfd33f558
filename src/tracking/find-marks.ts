import { loadTokenizer } from '../mime/html/markup.ts'

/** The value of one `href`, and its position in the HTML. */
export interface LinkMark {
  /** Offsets of the value as written, without quotes. */
  start: number
  end: number
  isQuoted: boolean
  /** The link: entities decoded, without white space around it. */
  href: string
}

/** Where tracking may change HTML. */
export interface Marks {
  /** In the order of the HTML. */
  links: LinkMark[]
  /** Where the content ends: at the last `</body>`, otherwise after everything well-formed. */
  end: number
}

/**
 * Finds the links that may be tracked and the end of the content, as a browser would read the HTML.
 *
 * Costs linear time; only the first million characters are searched, for at most 1,000 links.
 */
export function findMarks(html: string): Marks {
  const links: LinkMark[] = []
  let body = -1
  let unfinished = html.length
  /** The open tag that is being read: where it begins, and what matters of its attributes. */
  let tag: OpenTag | null = null
  let attribute: { name: string; end: number } | null = null
  /** The open element whose content is text, even if it looks like tags. */
  let raw: { name: string; start: number } | null = null

  const openTagEnds = (isSelfClosing: boolean): void => {
    if (tag && !raw) {
      const { name, start, href, isExempt } = tag
      if (ownRawNames.has(name) || (!isSelfClosing && rawNames.has(name))) raw = { name, start }
      const canAdd = href && !isExempt && links.length < maxLinks
      if (canAdd && isTrackable(href.href)) links.push(href)
    }
    tag = null
  }
  const unfinishedAt = (opening: string, start: number, end: number): void => {
    // A comment without an end includes everything after it.
    if (end >= html.length) unfinished = Math.max(0, html.lastIndexOf(opening, start))
  }

  const { QuoteType, Tokenizer } = loadTokenizer()
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        const name = nameAt(html, start, end)
        tag = { name, start: start - 1, hasHref: false, href: null, isExempt: false, value: '' }
      },
      onattribname(start, end) {
        attribute = { name: nameAt(html, start, end), end }
        if (!tag) return
        tag.value = ''
        if (attribute.name === 'data-no-track') tag.isExempt = true
      },
      onattribdata(start, end) {
        if (tag && isHrefOf(tag, attribute)) tag.value += html.slice(start, end)
      },
      onattribentity(codepoint) {
        if (tag && isHrefOf(tag, attribute)) tag.value += String.fromCodePoint(codepoint)
      },
      onattribend(quote, end) {
        if (!tag || !attribute || !isHrefOf(tag, attribute)) return
        // Of repeated attributes, the first counts.
        tag.hasHref = true
        if (quote === QuoteType.NoValue) return
        const isQuoted = quote !== QuoteType.Unquoted
        const start = valueStart(html, attribute.end) + (isQuoted ? 1 : 0)
        // Like a browser, ignores white space around an address and line breaks within it.
        const href = tag.value.replace(/[\t\n\r]/g, '').trim()
        tag.href = { start, end: isQuoted ? end - 1 : end, isQuoted, href }
      },
      onopentagend: () => openTagEnds(false),
      onselfclosingtag: () => openTagEnds(true),
      onclosetag(start, end) {
        const name = nameAt(html, start, end)
        if (raw?.name === name) raw = null
        else if (!raw && name === 'body') body = html.lastIndexOf('<', start)
      },
      oncomment: (start, end) => unfinishedAt('<', start - 1, end),
      oncdata: (start, end) => unfinishedAt('<', start - 1, end),
      ondeclaration() {},
      onprocessinginstruction() {},
      ontext() {},
      ontextentity() {},
      onend() {},
    },
  )
  tokenizer.write(html.length > lookAt ? html.slice(0, lookAt) : html)
  if (html.length > lookAt) return { links, end: html.length }
  tokenizer.end()
  if (body >= 0) return { links, end: body }
  const open = [raw, tag].map((element: { start: number } | null) => element?.start ?? html.length)
  return { links, end: Math.min(unfinished, ...open) }
}

interface OpenTag {
  name: string
  start: number
  hasHref: boolean
  href: LinkMark | null
  isExempt: boolean
  value: string
}

const lookAt = 1_000_000
const maxLinks = 1000
/** Elements whose content the tokenizer reads as text. */
const rawNames = new Set(['script', 'style', 'title', 'textarea', 'xmp'])
/** Further elements whose content is text; `<iframe/>` opens one, too. */
const ownRawNames = new Set(['iframe', 'noembed', 'noframes', 'plaintext'])

function isHrefOf({ name, hasHref }: OpenTag, attribute: { name: string } | null): boolean {
  return !hasHref && attribute?.name === 'href' && (name === 'a' || name === 'area')
}

function isTrackable(href: string): boolean {
  return /^https?:/i.test(href) && !href.includes('{{') && URL.canParse(href)
}

// All relevant names are shorter. A name of a megabyte is not copied.
function nameAt(html: string, start: number, end: number): string {
  return end - start > 16 ? '' : html.slice(start, end).toLowerCase()
}

// Between the name and the value are white space and one `=`; the tokenizer has seen both.
function valueStart(html: string, nameEnd: number): number {
  let at = skipSpace(html, nameEnd)
  if (html[at] === '=') at = skipSpace(html, at + 1)
  return at
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (' \t\n\r\f'.includes(html[at] ?? '-')) at++
  return at
}
