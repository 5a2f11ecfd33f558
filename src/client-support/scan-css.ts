import * as token from 'css-tree/tokenizer'

/** A token of CSS: its type as in css-tree, and its text as written. */
export interface CssToken {
  type: number
  text: string
  start: number
}

/** An at-rule such as `@media`. Positions are offsets into the CSS. */
export interface AtRule {
  /** In lower case and without `@`. */
  name: string
  prelude: string
  start: number
  /** Where it ends if no block follows. */
  end: number
  hasBlock: boolean
}

/** What a style rule is in. */
export interface Surroundings {
  /** Another style rule. */
  isNested: boolean
  /** An at-rule such as `@media`. */
  isConditional: boolean
}

/** Callbacks of a scan, called in document order. Positions are offsets into the CSS. */
export interface CssListener {
  onAtRule(rule: AtRule): void
  /** The selectors of a rule, and what the rule is in. */
  onSelectors(tokens: readonly CssToken[], within: Surroundings): void
  /** `property` in lower case. The tokens of the value have neither white space nor comments. */
  onDeclaration(property: string, value: readonly CssToken[], start: number): void
  onComment(start: number, end: number): void
  /** A block begins: that of the last rule, or one that is ignored. */
  onOpen?(): void
  /** The innermost block ends; blocks that the end of the CSS closes are not reported. */
  onClose?(end: number): void
}

/**
 * Reports the rules and declarations of CSS, parsed as in CSS Syntax Module Level 3: invalid parts are skipped. It takes
 * linear time. Only the beginning of long CSS is read.
 *
 * @param context  `sheet`: a style sheet. `attribute`: the value of a `style` attribute.
 */
export function scanCss(css: string, context: 'sheet' | 'attribute', listener: CssListener): void {
  const source = css.slice(0, scannedCssLength)
  const scan = new CssScan(context, listener)
  token.tokenize(source, (type, start, end) => {
    if (type === token.Comment) listener.onComment(start, end)
    else if (type !== token.CDO && type !== token.CDC)
      scan.take({ type, text: source.slice(start, end), start })
  })
  scan.endStatement(token.Semicolon)
}

class CssScan {
  readonly #listener: CssListener
  /** The open blocks, outermost first. */
  readonly #blocks: Block[]
  /** How many of them cannot be closed: that of a `style` attribute. */
  readonly #outside: number
  #statement: CssToken[] = []
  #brackets = 0

  constructor(context: 'sheet' | 'attribute', listener: CssListener) {
    this.#listener = listener
    this.#blocks = context === 'attribute' ? ['style'] : []
    this.#outside = this.#blocks.length
  }

  take(one: CssToken): void {
    const { type } = one
    if (type === token.RightCurlyBracket) {
      this.endStatement(type)
      if (this.#blocks.length <= this.#outside) return
      this.#blocks.pop()
      this.#listener.onClose?.(one.start + 1)
    } else if (this.#brackets === 0 && (type === token.LeftCurlyBracket || type === token.Semicolon))
      this.endStatement(type)
    else {
      if (openers.has(type)) this.#brackets++
      else if (closers.has(type) && this.#brackets > 0) this.#brackets--
      // White space before a statement has no meaning.
      if (type === token.WhiteSpace && this.#statement.length === 0) return
      if (this.#statement.length < maxTokens) this.#statement.push(one)
    }
  }

  /** @param closedBy  The type of the token after the statement: a semicolon or a curly bracket. */
  endStatement(closedBy: number): void {
    const tokens = this.#statement
    this.#statement = []
    this.#brackets = 0
    const hasBlock = closedBy === token.LeftCurlyBracket
    const [first] = tokens
    const within = this.#blocks.at(-1)
    if (first?.type === token.AtKeyword) {
      const name = first.text.slice(1).toLowerCase()
      const prelude = cssText(tokens.slice(1))
      this.#listener.onAtRule({ name, prelude, start: first.start, end: tokensEnd(tokens), hasBlock })
      if (hasBlock) this.#open(blockOf(name, within))
    } else if (!hasBlock) {
      if (within === 'style') this.#declare(tokens)
    } else if (!first || within === 'other') this.#open('other')
    else {
      if (within !== 'keyframes')
        this.#listener.onSelectors(tokens, {
          isNested: this.#blocks.includes('style'),
          isConditional: this.#blocks.includes('rules'),
        })
      this.#open('style')
    }
  }

  #open(block: Block): void {
    if (this.#blocks.length >= maxBlocks) return
    this.#blocks.push(block)
    this.#listener.onOpen?.()
  }

  #declare(tokens: readonly CssToken[]): void {
    const [name, colon, ...value] = tokens.filter(({ type }) => type !== token.WhiteSpace)
    if (name?.type !== token.Ident || colon?.type !== token.Colon || value.length === 0) return
    this.#listener.onDeclaration(name.text.toLowerCase(), value, name.start)
  }
}

/** The content of a block: rules, declarations, the steps of an animation, or content that is ignored. */
type Block = 'rules' | 'style' | 'keyframes' | 'other'

/** The block of an at-rule. A condition in a style rule may contain declarations, so it has the kind of the block around it. */
function blockOf(atRule: string, around: Block = 'rules'): Block {
  if (atRule.endsWith('keyframes')) return 'keyframes'
  return conditions.has(atRule) ? around : 'other'
}

/** An at-rule without its block, as places show it. */
export const atRuleText = (name: string, prelude: string): string => `@${name} ${prelude}`.trim()

/** A declaration, as places show it. */
export const declarationText = (property: string, value: readonly CssToken[]): string =>
  `${property}: ${value.map(({ text }) => text).join(' ')}`

/** The tokens as they were written. */
export function cssText(tokens: readonly CssToken[]): string {
  return tokens
    .map(({ text }) => text)
    .join('')
    .trim()
}

/** Where the last token ends. */
export function tokensEnd(tokens: readonly CssToken[]): number {
  const last = tokens.at(-1)
  return last ? last.start + last.text.length : 0
}

/** Only the beginning of a longer style sheet is read, as mail clients do. */
export const scannedCssLength = 250_000
/** The tokens that begin what may contain commas and semicolons, and those that end it. */
export const openers: ReadonlySet<number> = new Set([
  token.Function,
  token.LeftParenthesis,
  token.LeftSquareBracket,
])
export const closers: ReadonlySet<number> = new Set([token.RightParenthesis, token.RightSquareBracket])

/** The rest of a longer statement is ignored. */
const maxTokens = 2000
/** Deeper blocks are read as parts of the block around them. */
const maxBlocks = 100
const conditions = new Set(['media', 'supports', 'layer', 'container', 'scope', 'starting-style', 'document'])
