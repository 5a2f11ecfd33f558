import * as token from 'css-tree/tokenizer'
import { closers, openers, type CssToken } from './scan-css.ts'

/** The features that the selectors of a rule use, by slug; each once. */
export function selectorFeatures(tokens: readonly CssToken[], isNested: boolean): Set<string> {
  const reading = new SelectorReading()
  if (isNested) reading.found.add('css-nesting')
  let brackets = 0
  tokens.forEach((one, at) => {
    // Everything in brackets or parentheses is part of one simple selector.
    if (closers.has(one.type)) brackets = Math.max(0, brackets - 1)
    else {
      if (brackets === 0) reading.take(one, tokens[at - 1], tokens[at - 2])
      if (openers.has(one.type)) brackets++
    }
  })
  return reading.found
}

class SelectorReading {
  readonly found = new Set<string>()
  /** How many classes and ids the current compound selector has. */
  #chained = 0
  /** Whether a compound selector has begun, and whether white space followed it. */
  #isBegun = false
  #isSpaced = false

  /** Takes a token with the two before it. */
  take({ type, text }: CssToken, before: CssToken | undefined, second: CssToken | undefined): void {
    const isPseudo = before?.type === token.Colon
    switch (type) {
      case token.WhiteSpace:
        this.#isSpaced = this.#isBegun
        return
      case token.Comma:
        return this.#separate('css-selector-grouping')
      case token.LeftSquareBracket:
        return this.#addSimple('css-selector-attribute')
      case token.Hash:
        return this.#addSimple('css-selector-id')
      case token.Delim:
        return this.#takeMark(text)
      case token.Colon:
        if (isPseudo) return
        return this.#beginSimple()
      case token.Ident:
      case token.Function:
        if (isPseudo) this.found.add(pseudoSlug(text, second?.type === token.Colon))
        else if (type === token.Ident) {
          const isClass = before?.type === token.Delim && before.text === '.'
          this.#addSimple(isClass ? 'css-selector-class' : 'css-selector-type')
        }
    }
  }

  #takeMark(text: string): void {
    const combinator = combinators[text]
    if (combinator) this.#separate(combinator)
    else if (text === '*') this.#addSimple('css-selector-universal')
    else if (text === '&') this.#addSimple('css-nesting')
  }

  #addSimple(slug: string): void {
    this.found.add(slug)
    this.#beginSimple()
    if (slug === 'css-selector-class' || slug === 'css-selector-id') this.#chained++
    if (this.#chained > 1) this.found.add('css-selector-chaining')
  }

  /** A simple selector begins: of the same compound selector or, after white space, of a descendant. */
  #beginSimple(): void {
    if (this.#isBegun && this.#isSpaced) {
      this.found.add('css-selector-descendant')
      this.#chained = 0
    }
    this.#isBegun = true
    this.#isSpaced = false
  }

  /** The next token begins another compound selector. */
  #separate(slug: string): void {
    this.found.add(slug)
    this.#isBegun = false
    this.#isSpaced = false
    this.#chained = 0
  }
}

/** The feature of a pseudo-class or, after two colons or by its old name, of a pseudo-element. */
function pseudoSlug(text: string, hasTwoColons: boolean): string {
  const name = text.toLowerCase().replace(/\($/, '')
  if (!hasTwoColons && !legacyElements.has(name)) return `css-pseudo-class-${name}`
  return `css-pseudo-element-${name.replace(/^-[a-z]+-(?:input-)?/, '')}`
}

const combinators: Readonly<Record<string, string>> = {
  '>': 'css-selector-child',
  '+': 'css-selector-adjacent-sibling',
  '~': 'css-selector-general-sibling',
}

/** Pseudo-elements that may be written with one colon. */
const legacyElements = new Set(['before', 'after', 'first-letter', 'first-line'])
