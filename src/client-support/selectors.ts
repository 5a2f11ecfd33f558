import * as token from 'css-tree/tokenizer'
import { closers, openers, type CssToken } from './scan-css.ts'

/** The features that the selectors of a rule use, by slug; each once. */
export function selectorFeatures(tokens: readonly CssToken[], isNested: boolean): Set<string> {
  const found = new Set<string>()
  if (isNested) found.add('css-nesting')
  /** How many classes and ids the current compound selector has. */
  let chained = 0
  /** Whether a compound selector has begun, and whether white space followed it. */
  let isBegun = false
  let isSpaced = false
  let brackets = 0
  const simple = (slug: string): void => {
    found.add(slug)
    if (isBegun && isSpaced) {
      found.add('css-selector-descendant')
      chained = 0
    }
    isBegun = true
    isSpaced = false
    if (slug === 'css-selector-class' || slug === 'css-selector-id') chained++
    if (chained > 1) found.add('css-selector-chaining')
  }
  const separated = (slug: string): void => {
    found.add(slug)
    isBegun = isSpaced = false
    chained = 0
  }
  tokens.forEach(({ type, text }, at) => {
    // Everything in brackets or parentheses is part of one simple selector.
    if (closers.has(type)) {
      brackets = Math.max(0, brackets - 1)
      return
    }
    const isOutside = brackets === 0
    if (openers.has(type)) brackets++
    if (!isOutside) return
    const before = tokens[at - 1]
    const isPseudo = before?.type === token.Colon
    if (type === token.WhiteSpace) isSpaced = isBegun
    else if (type === token.Comma) separated('css-selector-grouping')
    else if (type === token.LeftSquareBracket) simple('css-selector-attribute')
    else if (type === token.Hash) simple('css-selector-id')
    else if (type === token.Delim) {
      const combinator = combinators[text]
      if (combinator) separated(combinator)
      else if (text === '*') simple('css-selector-universal')
      else if (text === '&') simple('css-nesting')
    } else if (type === token.Colon && !isPseudo) {
      if (isBegun && isSpaced) simple('css-selector-descendant')
      isBegun = true
    } else if ((type === token.Ident || type === token.Function) && isPseudo) {
      const name = text.toLowerCase().replace(/\($/, '')
      found.add(
        legacyElements.has(name) || tokens[at - 2]?.type === token.Colon ? element(name) : pseudo(name),
      )
    } else if (type === token.Ident) {
      simple(before?.type === token.Delim && before.text === '.' ? 'css-selector-class' : 'css-selector-type')
    }
  })
  return found
}

const pseudo = (name: string): string => `css-pseudo-class-${name}`
const element = (name: string): string => `css-pseudo-element-${name.replace(/^-[a-z]+-(?:input-)?/, '')}`

const combinators: Readonly<Record<string, string>> = {
  '>': 'css-selector-child',
  '+': 'css-selector-adjacent-sibling',
  '~': 'css-selector-general-sibling',
}

/** Pseudo-elements that may be written with one colon. */
const legacyElements = new Set(['before', 'after', 'first-letter', 'first-line'])
