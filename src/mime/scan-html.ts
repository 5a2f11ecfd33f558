import { createRequire } from 'node:module'

/** The attributes that anybody asks for; absent where the tag does not have it. */
export type HtmlAttributes = { [name in (typeof told)[number]]?: string }

/** Callbacks of a scan, in document order; element names in lower case. */
export interface HtmlListener {
  /** An open tag is complete. Only the attributes in `HtmlAttributes` are passed, entities decoded. */
  onOpenTag(name: string, attributes: HtmlAttributes): void
  onText(piece: string): void
  onCloseTag(name: string): void
}

/**
 * Reports the tags and texts of HTML as written: no tag is implied.
 *
 * A parser keeps the open elements and looks through them at every tag: a megabyte of hostile HTML held the process
 * for a minute. This costs linear time, and looks at no more than 1 MB. It runs in steps, so that the event loop may
 * turn between them; a text may come in several pieces.
 */
export function* scanHtml(html: string, listener: HtmlListener): Generator<undefined, void> {
  const source = html.slice(0, lookAt)
  let name = ''
  let attributes: HtmlAttributes = {}
  let attribute: keyof HtmlAttributes | null = null
  let value = ''
  const openTagEnds = (): void => listener.onOpenTag(name, attributes)
  const { Tokenizer } = loadTokenizer()
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = nameAt(source, start, end)
        attributes = {}
      },
      onattribname(start, end) {
        const written = nameAt(source, start, end)
        // Of an attribute that is there twice, the first counts.
        const name = told.find((known) => known === written)
        attribute = name !== undefined && attributes[name] === undefined ? name : null
        value = ''
      },
      onattribdata(start, end) {
        if (attribute) value += source.slice(start, end)
      },
      onattribentity(codepoint) {
        if (attribute) value += String.fromCodePoint(codepoint)
      },
      onattribend() {
        if (attribute) attributes[attribute] = value
      },
      onopentagend: openTagEnds,
      onselfclosingtag: openTagEnds,
      onclosetag: (start, end) => listener.onCloseTag(nameAt(source, start, end)),
      ontext: (start, end) => listener.onText(source.slice(start, end)),
      ontextentity: (codepoint) => listener.onText(String.fromCodePoint(codepoint)),
      oncomment() {},
      oncdata() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  for (let at = 0; at < source.length; at += stepLength) {
    tokenizer.write(source.slice(at, at + stepLength))
    yield
  }
  tokenizer.end()
}

const lookAt = 1_000_000
const stepLength = 4096
const told = ['href', 'alt', 'src', 'width', 'height'] as const

// No name that matters is longer; one of a megabyte is not worth the copy.
function nameAt(html: string, start: number, end: number): string {
  return end - start > 16 ? '' : html.slice(start, end).toLowerCase()
}

/** The part of htmlparser2 that reads HTML as a browser does, and bounds what hostile HTML costs. */
export type HtmlTokenizing = Pick<typeof import('htmlparser2'), 'Tokenizer' | 'QuoteType'>

let loaded: HtmlTokenizing | undefined

/** Loads it at the first call, which takes 20 ms: it is not needed before there is HTML. */
export function loadTokenizer(): HtmlTokenizing {
  loaded ??= createRequire(import.meta.url)('htmlparser2') as HtmlTokenizing
  return loaded
}
