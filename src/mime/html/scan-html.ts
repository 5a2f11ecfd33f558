import { createRequire } from 'node:module'

/** The attributes of a tag that a scan asks for, by name; entities are decoded. */
export type TagAttributes = Readonly<Record<string, string | undefined>>

/** Where the attributes of a tag are, by name: offsets into the HTML. */
export type AttributeRanges = ReadonlyMap<string, readonly [start: number, end: number]>

/** Callbacks of a scan, called in document order. Element names are in lower case, positions are offsets into the HTML. */
export interface HtmlListener {
  /** An opening tag. `start` is the offset of its name, `end` the one after its `>`. */
  onOpenTag(
    name: string,
    attributes: TagAttributes,
    start: number,
    end: number,
    ranges: AttributeRanges,
  ): void
  /** A text or a part of a text. */
  onText(piece: string, start: number): void
  /** `start` is the offset of the name. */
  onCloseTag(name: string, start: number, end: number): void
  /** `start` is the offset of the text in the comment, `end` the one after that text. */
  onComment?(start: number, end: number): void
  /** A declaration, such as `!DOCTYPE html`. */
  onDeclaration?(text: string, start: number): void
}

/**
 * Reports the tags and texts of HTML as written: no tag is implied.
 *
 * A parser searches the open elements at every tag, so a megabyte of hostile HTML blocked the process for a minute.
 * This takes linear time, and reads at most 1 MB. A text may come in several pieces.
 *
 * @param asked  The names of the attributes that the listener reads, in lower case, of at most 32 characters.
 */
export function scanHtml(html: string, asked: readonly string[], listener: HtmlListener): void {
  const source = html.slice(0, scannedLength)
  let name = ''
  let nameStart = 0
  let attributes: Record<string, string> = {}
  /** The attribute that is being read, if it is asked for. */
  let attribute: string | null = null
  let attributeStart = 0
  let value = ''
  const ranges = new Map<string, readonly [start: number, end: number]>()
  const openTagEnds = (end: number): void => listener.onOpenTag(name, attributes, nameStart, end + 1, ranges)
  const { Tokenizer } = loadTokenizer()
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = nameAt(source, start, end)
        nameStart = start
        attributes = {}
        if (ranges.size > 0) ranges.clear()
      },
      onattribname(start, end) {
        const written = nameAt(source, start, end)
        // Of repeated attributes, the first counts.
        attribute = asked.includes(written) && attributes[written] === undefined ? written : null
        attributeStart = start
        value = ''
      },
      onattribdata(start, end) {
        if (attribute) value += source.slice(start, end)
      },
      onattribentity(codepoint) {
        if (attribute) value += String.fromCodePoint(codepoint)
      },
      onattribend(_quote, end) {
        if (!attribute) return
        attributes[attribute] = value
        ranges.set(attribute, [attributeStart, end])
      },
      onopentagend: openTagEnds,
      onselfclosingtag: openTagEnds,
      onclosetag: (start, end) => listener.onCloseTag(nameAt(source, start, end), start, end),
      ontext: (start, end) => listener.onText(source.slice(start, end), start),
      ontextentity: (codepoint, end) => listener.onText(String.fromCodePoint(codepoint), end),
      oncomment: (start, end) => listener.onComment?.(start, end),
      oncdata() {},
      ondeclaration: (start, end) => listener.onDeclaration?.(source.slice(start, end), start),
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(source)
  tokenizer.end()
}

/** Only the beginning of longer HTML is read. */
export const scannedLength = 1_000_000

// All relevant names are shorter. A name of a megabyte is not copied.
function nameAt(html: string, start: number, end: number): string {
  return end - start > 32 ? '' : html.slice(start, end).toLowerCase()
}

/** The part of htmlparser2 that reads HTML as a browser does, and bounds what hostile HTML costs. */
export type HtmlTokenizing = Pick<typeof import('htmlparser2'), 'Tokenizer' | 'QuoteType'>

let loaded: HtmlTokenizing | undefined

/** Loads it at the first call, because that takes 20 ms and is only needed for HTML. */
export function loadTokenizer(): HtmlTokenizing {
  loaded ??= createRequire(import.meta.url)('htmlparser2') as HtmlTokenizing
  return loaded
}
