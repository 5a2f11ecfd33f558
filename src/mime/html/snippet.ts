import { cutText } from '../../core/cut-text.ts'
import { foldSpace } from '../fold-space.ts'

/** How many characters a snippet has at most. */
const snippetLength = 140
/** How much of a body is read: enough for a snippet after a long style sheet, and still cheap. */
const lookAt = 64 * 1024

/**
 * The beginning of what a reader sees, for lists: at most 140 characters, white space folded.
 *
 * @param text  The plain text body; used unless it is blank.
 * @param html  The HTML body. Read by a scanner that is linear in a bounded prefix, so hostile HTML costs nothing.
 * @returns Plain text, never HTML: escape it like any other text.
 */
export function snippetOf(text: string, html: string): string {
  const plain = fold(text.slice(0, lookAt))
  return plain === '' ? fold(visibleText(html.slice(0, lookAt))) : plain
}

function fold(text: string): string {
  // Mail makers pad the preheader with invisible characters; they would fill the snippet.
  const folded = foldSpace(text.replace(/\u034f|[\u00ad\u200b-\u200f\u2060\ufeff]/g, ''))
  return cutText(folded, snippetLength)
}

/** Elements whose content is not displayed. */
const hidden = ['style', 'script', 'title', 'template', 'noscript']

function visibleText(html: string): string {
  // Converted to lower case once, because a case-insensitive search for each end tag would copy the rest each time.
  const lower = html.toLowerCase()
  let shown = ''
  let at = 0
  // Entities and white space only shrink: some times the snippet's length is enough.
  while (at < html.length && shown.length < snippetLength * 40) {
    const open = html.indexOf('<', at)
    shown += html.slice(at, open === -1 ? html.length : open)
    if (open === -1) break
    if (!/[a-z/!?]/.test(lower[open + 1] ?? '')) {
      // A bare "<", as in "a < b".
      shown += '<'
      at = open + 1
      continue
    }
    const end = html.startsWith('<!--', open) ? html.indexOf('-->', open + 4) + 2 : html.indexOf('>', open)
    if (end <= open) break
    at = end + 1
    const name = /^\/?([a-z0-9]*)/.exec(lower.slice(open + 1, open + 12))?.[1] ?? ''
    if (hidden.includes(name) && lower[open + 1] !== '/') {
      const endTag = lower.indexOf(`</${name}`, at)
      if (endTag === -1) break
      at = endTag
    } else if (name !== '' && !inline.has(name)) {
      shown += ' '
    }
  }
  return decodeEntities(shown)
}

/** Elements that do not separate words. */
const inline: ReadonlySet<string> = new Set([
  'a',
  'b',
  'i',
  'u',
  's',
  'em',
  'strong',
  'span',
  'font',
  'small',
  'big',
  'code',
  'sup',
  'sub',
  'wbr',
])

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  zwnj: '',
  shy: '',
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/gi,
    (whole, hex, decimal, name) => {
      if (name) return entities[String(name).toLowerCase()] ?? whole
      const code = hex ? Number.parseInt(String(hex), 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : ' '
    },
  )
}
