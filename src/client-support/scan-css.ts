import * as token from 'css-tree/tokenizer'

/** A token of CSS: its type as in css-tree, and its text as written. */
export interface CssToken {
  type: number
  text: string
  start: number
}

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
  /** The open blocks, outermost first. */
  const blocks: Block[] = context === 'attribute' ? ['style'] : []
  let statement: CssToken[] = []
  let parentheses = 0
  const source = css.slice(0, scannedCssLength)
  const open = (block: Block): void => {
    if (blocks.length >= maxBlocks) return
    blocks.push(block)
    listener.onOpen?.()
  }
  const ends = (closedBy: number): void => {
    const tokens = statement
    statement = []
    parentheses = 0
    const [first] = tokens
    if (!first) {
      if (closedBy === token.LeftCurlyBracket) open('other')
      return
    }
    if (first.type === token.AtKeyword) {
      const name = first.text.slice(1).toLowerCase()
      const hasBlock = closedBy === token.LeftCurlyBracket
      const prelude = cssText(tokens.slice(1))
      listener.onAtRule({ name, prelude, start: first.start, end: tokensEnd(tokens), hasBlock })
      if (hasBlock) open(blockOf(name, blocks))
      return
    }
    const within = blocks.at(-1)
    if (closedBy === token.LeftCurlyBracket) {
      if (within === 'keyframes') return open('style')
      if (within === 'other') return open('other')
      listener.onSelectors(tokens, {
        isNested: blocks.includes('style'),
        isConditional: blocks.includes('rules'),
      })
      return open('style')
    }
    if (within === 'style') declaration(tokens, listener)
  }
  token.tokenize(source, (type, start, end) => {
    if (type === token.Comment) return listener.onComment(start, end)
    if (type === token.CDO || type === token.CDC) return
    if (type === token.LeftCurlyBracket && parentheses === 0) return ends(type)
    if (type === token.RightCurlyBracket) {
      ends(type)
      if (blocks.length <= (context === 'attribute' ? 1 : 0)) return
      blocks.pop()
      listener.onClose?.(end)
      return
    }
    if (type === token.Semicolon && parentheses === 0) return ends(type)
    if (openers.has(type)) parentheses++
    else if (closers.has(type) && parentheses > 0) parentheses--
    // White space before a statement has no meaning.
    if (type === token.WhiteSpace && statement.length === 0) return
    if (statement.length < maxTokens) statement.push({ type, text: source.slice(start, end), start })
  })
  ends(token.Semicolon)
}

/** The content of a block: rules, declarations, the steps of an animation, or content that is ignored. */
type Block = 'rules' | 'style' | 'keyframes' | 'other'

/** A condition in a style rule may contain declarations, so it has the kind of the block around it. */
function blockOf(atRule: string, blocks: readonly Block[]): Block {
  if (atRule.endsWith('keyframes')) return 'keyframes'
  return conditions.has(atRule) ? (blocks.at(-1) ?? 'rules') : 'other'
}

function declaration(tokens: readonly CssToken[], listener: CssListener): void {
  const [name, ...others] = tokens.filter(({ type }) => type !== token.WhiteSpace)
  if (name?.type !== token.Ident || others[0]?.type !== token.Colon || others.length < 2) return
  listener.onDeclaration(name.text.toLowerCase(), others.slice(1), name.start)
}

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
const maxTokens = 2000
const maxBlocks = 100
const conditions = new Set(['media', 'supports', 'layer', 'container', 'scope', 'starting-style', 'document'])
/** The tokens that begin what may contain commas and semicolons, and those that end it. */
export const openers: ReadonlySet<number> = new Set([
  token.Function,
  token.LeftParenthesis,
  token.LeftSquareBracket,
])
export const closers: ReadonlySet<number> = new Set([token.RightParenthesis, token.RightSquareBracket])
