import * as token from 'css-tree/tokenizer'
import { withCuts, type Cut } from '../../core/cuts.ts'
import { absoluteAddress, isRemote, nowhere } from './addresses.ts'
import { isOpeningImage } from './remote-content.ts'

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
  return withCuts(named, cutsOf(named, options)).replace(tagOrEscape, (found) =>
    found.endsWith('<') ? '\\3c ' : found,
  )
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

function cutsOf(css: string, { withoutPixels, isTiny = false }: CssOptions): Cut[] {
  const cuts: Cut[] = []
  /** The functions and brackets that are open, and how many of them take addresses. */
  const open: string[] = []
  let takers = 0
  const pixels = createPixelBlocks(isTiny)
  let isImport = false
  /** Of the declaration that is being read: its property, and whether its value begins. */
  let property: string | null = ''
  let isValue = false

  const takesAddresses = (): boolean => isImport || takers > 0
  const cut = (start: number, end: number, text: string): void => void cuts.push({ start, end, text })

  function address(start: number, end: number, written: string, syntax: 'url' | 'string'): void {
    const made = isOpeningImage(written) && withoutPixels ? nowhere : absoluteAddress(written)
    const replace = (by: string): string => (syntax === 'url' ? `url(${quoted(by)})` : quoted(by))
    if (made !== written) cut(start, end, replace(made))
    else if (withoutPixels && isRemote(made)) pixels.addRemote({ start, end, text: replace(nowhere) })
  }

  function statementEnds(): void {
    isImport = false
    property = ''
    isValue = false
    open.length = 0
    takers = 0
  }

  function opens(name: string): void {
    open.push(name)
    if (addressFunctions.has(name)) takers++
  }

  function measure(value: string): void {
    if (!isValue || property === null) return
    isValue = false
    pixels.addSize(property, value)
  }

  token.tokenize(css, (type, start, end) => {
    switch (type) {
      case token.WhiteSpace:
      case token.Comment:
        return
      case token.CDO:
      case token.CDC:
        return cut(start, end, ' ')
      case token.AtKeyword:
        property = null
        if (unescaped(css.slice(start + 1, end)).toLowerCase() === 'import') isImport = true
        return
      case token.LeftCurlyBracket:
        statementEnds()
        return pixels.open()
      case token.RightCurlyBracket:
        statementEnds()
        return pixels.close()
      case token.Semicolon:
        return open.length === 0 || isImport ? statementEnds() : undefined
      case token.Colon:
        isValue = property !== null && property !== ''
        return
      case token.Ident:
        if (property === '') property = css.slice(start, end).toLowerCase()
        else measure(css.slice(start, end))
        return
      case token.Number:
      case token.Dimension:
        return measure(css.slice(start, end))
      case token.Function: {
        const name = css.slice(start, end - 1).toLowerCase()
        // What replaces `var()` is not known here, and may be an address. A name with an escape was in a string before the names
        // became plain: `\75 rl(a'b)` begins an address, which ends before that string does.
        if (name.includes('\\') || (takesAddresses() && !plainFunctions.has(name)))
          cut(start, end - 1, 'none')
        return opens(name)
      }
      case token.LeftParenthesis:
      case token.LeftSquareBracket:
        return opens('')
      case token.RightParenthesis:
      case token.RightSquareBracket:
        if (addressFunctions.has(open.pop() ?? '')) takers--
        return
      case token.Url: {
        const written = css.slice(start + 'url('.length, css[end - 1] === ')' ? end - 1 : end)
        return address(start, end, unescaped(written.trim()), 'url')
      }
      case token.BadUrl:
        return cut(start, end, `url(${quoted(nowhere)})`)
      case token.BadString:
        return takesAddresses() ? cut(start, end, quoted(nowhere)) : undefined
      case token.String: {
        if (!takesAddresses() || /^(?:type|format|tech)$/.test(open.at(-1) ?? '')) return
        const closed = css[end - 1] === css[start] && end - start > 1
        return address(start, end, unescaped(css.slice(start + 1, closed ? end - 1 : end)), 'string')
      }
      default:
        if (property === '') property = null
    }
  })
  return [...cuts, ...pixels.cuts()]
}

/** Follows the blocks of declarations, to find those whose element has at most one pixel. */
interface PixelBlocks {
  open(): void
  close(): void
  /** A declaration of the innermost block. */
  addSize(property: string, value: string): void
  /** How a remote address of the innermost block is replaced if its element is a pixel. */
  addRemote(cut: Cut): void
  /** The replacements in the blocks of pixels, after the end of the CSS. */
  cuts(): Cut[]
}

/** @param isTiny  Whether the element of the declarations outside of all blocks has at most one pixel. */
function createPixelBlocks(isTiny: boolean): PixelBlocks {
  const blocks = [{ isNarrow: isTiny, isLow: isTiny, remote: [] as Cut[] }]
  const closed: Cut[] = []
  const remoteOf = ({ isNarrow, isLow, remote }: (typeof blocks)[number]): Cut[] =>
    isNarrow && isLow ? remote : []
  return {
    open() {
      if (blocks.length < mostBlocks) blocks.push({ isNarrow: false, isLow: false, remote: [] })
    },
    close() {
      const block = blocks.length > 1 ? blocks.pop() : undefined
      if (block) for (const cut of remoteOf(block)) closed.push(cut)
    },
    addSize(property, value) {
      const block = blocks.at(-1)
      if (!block || (property !== 'width' && property !== 'height')) return
      const isSmall = /^[+]?[01](?:\.0{0,9})?(?:px)?$/i.test(value)
      if (property === 'width') block.isNarrow = isSmall
      else block.isLow = isSmall
    },
    addRemote(cut) {
      blocks.at(-1)?.remote.push(cut)
    },
    cuts: () => [...closed, ...blocks.flatMap(remoteOf)],
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
const mostBlocks = 1000

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

function quoted(text: string): string {
  const escaped = text.replace(/["\\<\n\f\r]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)
  return `"${escaped}"`
}
