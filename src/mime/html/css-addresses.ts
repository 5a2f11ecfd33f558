import * as token from 'css-tree/tokenizer'
import { withCuts, type Cut } from '../../core/cuts.ts'
import { absoluteAddress, blockedAddress, isRemote } from './urls.ts'
import { PixelBlocks } from './pixel-blocks.ts'
import { isOpeningImage } from './tracking-pixel.ts'

/** How to clean CSS. */
export interface CssOptions {
  /** Whether the images of an element of at most one pixel are left out: they only tell that the mail was read. */
  withoutPixels: boolean
  /** Whether the element of a `style` attribute has at most one pixel. Default: false. */
  isTiny?: boolean
}

/**
 * Makes the addresses in CSS absolute: those of `url()`, `src()`, `image()`, `image-set()` and `@import`. A relative one leads
 * nowhere. The result has no `<` before a letter, so no parser finds a tag in it. Takes linear time.
 *
 * @param css  A style sheet or the value of a `style` attribute; anything is fine.
 * @see https://www.w3.org/TR/css-syntax-3/#tokenization
 */
export function withAbsoluteUrls(css: string, options: CssOptions): string {
  if (!suspicious.test(css)) return css
  const named = css.includes('\\') ? withPlainNames(css) : css
  const addresses = new AddressCuts(named, options)
  token.tokenize(named, (type, start, end) => addresses.take(type, start, end))
  const cleaned = withCuts(named, addresses.cuts())
  return cleaned.replace(tagOrEscape, (found) => (found.endsWith('<') ? '\\3c ' : found))
}

/** Without any of these there is no address in it. */
const suspicious = /[\\<]|url|image|src|import/i

/** A `<` before a letter with the backslash that escapes it, or any other escape, whose second backslash escapes nothing. */
const tagOrEscape = /\\?<(?=[a-z/!?])|\\[^]/gi

/** CSS in which functions such as `\75 rl()` have their plain name, by which a tokenizer must read what is in them. */
function withPlainNames(css: string): string {
  const cuts: Cut[] = []
  token.tokenize(css, (type, start, end) => {
    if (type !== token.Function) return
    const written = css.slice(start, end - 1)
    if (!written.includes('\\')) return
    const name = unescaped(written).toLowerCase()
    cuts.push({ start, end: end - 1, text: /^[a-z-]+$/.test(name) ? name : 'none' })
  })
  return withCuts(css, cuts)
}

/** Finds the addresses in CSS from its tokens, and how they are replaced. */
class AddressCuts {
  readonly #css: string
  readonly #withoutPixels: boolean
  readonly #pixels: PixelBlocks
  readonly #cuts: Cut[] = []
  /** The functions and brackets that are open, and how many of them take addresses. */
  readonly #open: string[] = []
  #addressFunctions = 0
  #isImport = false

  constructor(css: string, { withoutPixels, isTiny = false }: CssOptions) {
    this.#css = css
    this.#withoutPixels = withoutPixels
    this.#pixels = new PixelBlocks(isTiny)
  }

  take(type: number, start: number, end: number): void {
    const text = this.#css.slice(start, end)
    switch (type) {
      case token.WhiteSpace:
      case token.Comment:
        return
      case token.CDO:
      case token.CDC:
        return this.#cut(start, end, ' ')
      case token.LeftCurlyBracket:
        this.#endStatement()
        return this.#pixels.openBlock()
      case token.RightCurlyBracket:
        this.#endStatement()
        return this.#pixels.closeBlock()
      case token.Semicolon:
        if (this.#open.length === 0 || this.#isImport) this.#endStatement()
        return
    }
    this.#pixels.take(type, text)
    switch (type) {
      case token.AtKeyword:
        if (unescaped(text.slice(1)).toLowerCase() === 'import') this.#isImport = true
        return
      case token.Function:
        return this.#takeFunction(start, end)
      case token.LeftParenthesis:
      case token.LeftSquareBracket:
        this.#open.push('')
        return
      case token.RightParenthesis:
      case token.RightSquareBracket:
        if (addressFunctions.has(this.#open.pop() ?? '')) this.#addressFunctions--
        return
      case token.Url: {
        const address = text.slice('url('.length, text.endsWith(')') ? -1 : undefined)
        return this.#takeAddress(start, end, unescaped(address.trim()), asUrl)
      }
      case token.BadUrl:
        return this.#cut(start, end, asUrl(blockedAddress))
      case token.BadString:
        if (this.#takesAddresses()) this.#cut(start, end, quoted(blockedAddress))
        return
      case token.String: {
        if (!this.#takesAddresses() || /^(?:type|format|tech)$/.test(this.#open.at(-1) ?? '')) return
        const isClosed = text.length > 1 && text.at(-1) === text[0]
        return this.#takeAddress(start, end, unescaped(text.slice(1, isClosed ? -1 : undefined)), quoted)
      }
    }
  }

  /** The replacements, after the end of the CSS. */
  cuts(): Cut[] {
    return [...this.#cuts, ...this.#pixels.cuts()]
  }

  #takesAddresses(): boolean {
    return this.#isImport || this.#addressFunctions > 0
  }

  #takeFunction(start: number, end: number): void {
    const name = this.#css.slice(start, end - 1).toLowerCase()
    // What replaces `var()` is not known here, and may be an address. A name with an escape was in a string before the names
    // became plain: `\75 rl(a'b)` begins an address, which ends before that string does.
    if (name.includes('\\') || (this.#takesAddresses() && !plainFunctions.has(name)))
      this.#cut(start, end - 1, 'none')
    this.#open.push(name)
    if (addressFunctions.has(name)) this.#addressFunctions++
  }

  /** @param write  Writes an address as it stands in the CSS. */
  #takeAddress(start: number, end: number, address: string, write: (address: string) => string): void {
    const isOpening = this.#withoutPixels && isOpeningImage(address)
    const absolute = isOpening ? blockedAddress : absoluteAddress(address)
    if (absolute !== address) this.#cut(start, end, write(absolute))
    else if (this.#withoutPixels && isRemote(address))
      this.#pixels.addRemote({ start, end, text: write(blockedAddress) })
  }

  #endStatement(): void {
    this.#isImport = false
    this.#open.length = 0
    this.#addressFunctions = 0
    this.#pixels.endStatement()
  }

  #cut(start: number, end: number, text: string): void {
    this.#cuts.push({ start, end, text })
  }
}

/** Functions in which a text is an address. */
const addressFunctions: ReadonlySet<string> = new Set(
  'url src image image-set -webkit-image-set cross-fade -webkit-cross-fade'.split(' '),
)
/** Functions in them whose value is what is written. */
const plainFunctions: ReadonlySet<string> = new Set([
  ...addressFunctions,
  ...(
    'type format tech calc layer supports linear-gradient radial-gradient conic-gradient repeating-linear-gradient ' +
    'repeating-radial-gradient repeating-conic-gradient rgb rgba hsl hsla hwb lab lch oklab oklch color'
  ).split(' '),
])

/** @see https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([\da-f]{1,6})(?:\r\n|[ \t\n\f\r])?|(\r\n|[^]|$))/gi, (_, hex, char: string) => {
    if (hex === undefined) return /^[\n\f\r]/.test(char) ? '' : char
    const code = Number.parseInt(String(hex), 16)
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}

function asUrl(address: string): string {
  return `url(${quoted(address)})`
}

function quoted(text: string): string {
  const escaped = text.replace(/["\\<\n\f\r]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)
  return `"${escaped}"`
}
