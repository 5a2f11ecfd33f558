import { createRequire } from 'node:module'

/** Callbacks of {@link readMarkup}, in the order of the markup: names and texts as written, and where they are in it. */
export interface MarkupListener {
  /** An opening tag begins. Its attributes follow, then its end. */
  onTagName(name: string, start: number): void
  /** @param value  Entities are decoded; null for an attribute without a value, or an empty one. */
  onAttribute?(name: string, value: string | null, start: number, end: number): void
  /** @param end  The offset of its `>`. */
  onTagEnd(end: number, isSelfClosing: boolean): void
  onCloseTag(name: string, start: number, end: number): void
  /** A text or a part of one; entities are decoded. */
  onText(text: string, start: number): void
  /** @param end  At most two characters after the text: within the mark that ends the comment, if one does. */
  onComment?(text: string, start: number, end: number): void
  /** A declaration, such as `!DOCTYPE html`. */
  onDeclaration?(text: string, start: number): void
  onProcessingInstruction?(text: string): void
  /** Whether the rest is not to be read. It is asked after every few kilobytes. Default: all is read. */
  isFull?(): boolean
}

/**
 * Reports the tags and texts of HTML, or of XML, as they are written: no tag is implied, and no entity of a document type is
 * expanded. Takes linear time, whatever the markup is.
 *
 * @param options.isXml  Default: false.
 */
export function readMarkup(
  source: string,
  listener: MarkupListener,
  { isXml = false }: { isXml?: boolean } = {},
): void {
  let attribute = ''
  let attributeStart = 0
  let value: string | null = null
  const textAt = (start: number, end: number): string => source.slice(start, end)
  const { Tokenizer } = loadTokenizer()
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: isXml },
    {
      onopentagname: (start, end) => listener.onTagName(textAt(start, end), start),
      onattribname(start, end) {
        attribute = textAt(start, end)
        attributeStart = start
        value = null
      },
      onattribdata(start, end) {
        // Most scans are for texts, and need no attributes.
        if (listener.onAttribute) value = (value ?? '') + textAt(start, end)
      },
      onattribentity: (codepoint) => void (value = (value ?? '') + String.fromCodePoint(codepoint)),
      onattribend: (_quote, end) => listener.onAttribute?.(attribute, value, attributeStart, end),
      onopentagend: (end) => listener.onTagEnd(end, false),
      onselfclosingtag: (end) => listener.onTagEnd(end, true),
      onclosetag: (start, end) => listener.onCloseTag(textAt(start, end), start, end),
      ontext: (start, end) => listener.onText(textAt(start, end), start),
      ontextentity: (codepoint, end) => listener.onText(String.fromCodePoint(codepoint), end),
      oncomment: (start, end, offset) => listener.onComment?.(textAt(start, end - offset), start, end),
      oncdata: (start, end) => isXml && listener.onText(textAt(start, end), start),
      ondeclaration: (start, end) => listener.onDeclaration?.(textAt(start, end), start),
      onprocessinginstruction: (start, end) => listener.onProcessingInstruction?.(textAt(start, end)),
      onend() {},
    },
  )
  const step = listener.isFull ? 4096 : Math.max(1, source.length)
  for (let at = 0; at < source.length && !listener.isFull?.(); at += step)
    tokenizer.write(source.slice(at, at + step))
  tokenizer.end()
}

let loaded: Pick<typeof import('htmlparser2'), 'Tokenizer'> | undefined

/** Loads the tokenizer at the first call, because that takes 20 ms and is only needed for HTML. */
function loadTokenizer(): NonNullable<typeof loaded> {
  loaded ??= createRequire(import.meta.url)('htmlparser2') as NonNullable<typeof loaded>
  return loaded
}
