import { readMarkup } from './markup.ts'

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
  let name = ''
  let nameStart = 0
  let attributes: Record<string, string> = {}
  const ranges = new Map<string, readonly [start: number, end: number]>()
  function onAttribute(written: string, value: string | null, start: number, end: number): void {
    const attribute = knownName(written)
    // Of repeated attributes, the first counts.
    if (!asked.includes(attribute) || attributes[attribute] !== undefined) return
    attributes[attribute] = value ?? ''
    ranges.set(attribute, [start, end])
  }

  readMarkup(html.slice(0, scannedLength), {
    onTagName(written, start) {
      name = knownName(written)
      nameStart = start
      attributes = {}
      if (ranges.size > 0) ranges.clear()
    },
    onAttribute: asked.length === 0 ? undefined : onAttribute,
    onTagEnd: (end) => listener.onOpenTag(name, attributes, nameStart, end + 1, ranges),
    onCloseTag: (written, start, end) => listener.onCloseTag(knownName(written), start, end),
    onText: (text, start) => listener.onText(text, start),
    onComment: (_text, start, end) => listener.onComment?.(start, end),
    onDeclaration: (text, start) => listener.onDeclaration?.(text, start),
  })
}

/** Only the beginning of longer HTML is read. */
export const scannedLength = 1_000_000

/** A name in lower case; `""` for a longer one than all relevant names, because one of a megabyte is not copied. */
function knownName(name: string): string {
  return name.length > 32 ? '' : name.toLowerCase()
}
