import * as token from 'css-tree/tokenizer'
import { withCuts, type Cut } from '../core/cuts.ts'
import { atRuleFeatures, declarationFeatures, urlsOf } from './css-features.ts'
import type { RuleId } from './preview-clients.ts'
import {
  closers,
  atRuleText,
  cssText,
  declarationText,
  openers,
  scanCss,
  scannedCssLength,
  tokensEnd,
  type AtRule,
  type CssListener,
  type CssToken,
} from './scan-css.ts'
import { selectorFeatures } from './selectors.ts'

/** Something that a client ignores: the feature or rule, and where it is. */
export interface Ignored {
  feature: string
  start: number
  snippet: string
}

/** Style as a client reads it. */
export interface FilteredCss {
  css: string
  ignored: Ignored[]
  /** Whether an at-rule is in an at-rule. */
  hasNestedAtRule: boolean
}

/** The questions of a filter of CSS. */
export interface CssFilter {
  /** Whether the client ignores a feature. */
  ignores(slug: string): boolean
  /** The features of an image's format. */
  imageFeatures(url: string): readonly string[]
  /** Whether a property is ignored at this place, and by what rule. Default: none. */
  ignoredProperty?(property: string): RuleId | null
}

/** Removes the rules, selectors and declarations that a client ignores. It takes linear time. */
export function filterCss(css: string, context: 'sheet' | 'attribute', filter: CssFilter): FilteredCss {
  const read = css.slice(0, scannedCssLength)
  const removal = new CssRemoval(read, filter)
  scanCss(read, context, removal)
  return removal.result()
}

/** A block that is open while the CSS is scanned. */
interface OpenBlock {
  start: number
  /** The feature for which the whole block is ignored; null if it is not. */
  ignoredFor: string | null
  snippet: string
  /** How much was ignored before it. */
  ignoredBefore: number
  isAtRule: boolean
}

class CssRemoval implements CssListener {
  readonly #css: string
  readonly #filter: CssFilter
  readonly #cuts: Cut[] = []
  readonly #ignored: Ignored[] = []
  #hasNestedAtRule = false
  readonly #blocks: OpenBlock[] = []
  /** The block that the last rule begins. */
  #next: OpenBlock | null = null

  constructor(css: string, filter: CssFilter) {
    this.#css = css
    this.#filter = filter
  }

  onAtRule({ name, prelude, start, end, hasBlock }: AtRule): void {
    const ignoredFor = this.#firstIgnored(atRuleFeatures(name, prelude))
    const snippet = atRuleText(name, prelude)
    if (this.#blocks.some(({ isAtRule }) => isAtRule)) this.#hasNestedAtRule = true
    if (hasBlock) this.#next = this.#block(start, ignoredFor, snippet, { isAtRule: true })
    else {
      // A semicolon that is left would become a part of the next rule.
      const semicolon = this.#css.indexOf(';', end)
      this.#drop(ignoredFor, start, semicolon < 0 ? this.#css.length : semicolon + 1, () => snippet)
    }
  }

  onSelectors(tokens: readonly CssToken[], { isNested }: { isNested: boolean }): void {
    const start = tokens[0]?.start ?? 0
    const selectors = splitSelectors(tokens).map((one) => ({
      tokens: one,
      feature: this.#firstIgnored(selectorFeatures(one, isNested)),
    }))
    const kept = selectors.filter(({ feature }) => feature === null)
    const isGroupIgnored = selectors.length > 1 && this.#filter.ignores(grouping)
    if (isGroupIgnored || kept.length === 0) {
      const feature = isGroupIgnored ? grouping : (selectors[0]?.feature ?? null)
      this.#next = this.#block(start, feature, cssText(tokens))
      return
    }
    this.#next = this.#block(start, null)
    if (kept.length === selectors.length) return
    for (const { tokens: one, feature } of selectors) {
      if (feature !== null)
        this.#ignored.push({ feature, start: one[0]?.start ?? start, snippet: cssText(one) })
    }
    const text = kept.map((one) => cssText(one.tokens)).join(',')
    this.#cuts.push({ start, end: tokensEnd(tokens), text: `${text} ` })
  }

  onDeclaration(property: string, value: readonly CssToken[], start: number): void {
    const images = urlsOf(value).flatMap((url) => this.#filter.imageFeatures(url))
    const ignoredFor =
      this.#filter.ignoredProperty?.(property) ??
      this.#firstIgnored([...declarationFeatures(property, value), ...images])
    this.#drop(ignoredFor, start, tokensEnd(value), () => declarationText(property, value))
  }

  onComment(start: number, end: number): void {
    this.#drop(this.#firstIgnored(['css-comments']), start, end, () => '/* */')
  }

  onOpen(): void {
    // A block without a rule, as in keyframes, is not ignored.
    this.#blocks.push(this.#next ?? this.#block(0, null))
    this.#next = null
  }

  onClose(end: number): void {
    const block = this.#blocks.pop()
    if (!block || block.ignoredFor === null) return
    const { start, ignoredFor: feature, snippet, ignoredBefore } = block
    // What is in a removed block is not removed a second time.
    this.#ignored.length = ignoredBefore
    this.#ignored.push({ feature, start, snippet })
    while ((this.#cuts.at(-1)?.start ?? -1) >= start) this.#cuts.pop()
    this.#cuts.push({ start, end, text: '' })
  }

  result(): FilteredCss {
    while (this.#blocks.length > 0) this.onClose(this.#css.length)
    return {
      css: withCuts(this.#css, this.#cuts),
      ignored: this.#ignored,
      hasNestedAtRule: this.#hasNestedAtRule,
    }
  }

  #block(start: number, ignoredFor: string | null, snippet = '', { isAtRule = false } = {}): OpenBlock {
    return { start, ignoredFor, snippet, ignoredBefore: this.#ignored.length, isAtRule }
  }

  #firstIgnored(features: Iterable<string>): string | null {
    for (const feature of features) if (this.#filter.ignores(feature)) return feature
    return null
  }

  /** Removes a text for a feature that the client ignores; nothing for null. */
  #drop(feature: string | null, start: number, end: number, snippet: () => string): void {
    if (feature === null) return
    this.#ignored.push({ feature, start, snippet: snippet() })
    this.#cuts.push({ start, end, text: ' ' })
  }
}

/** The selectors between commas. */
function splitSelectors(tokens: readonly CssToken[]): CssToken[][] {
  const selectors: CssToken[][] = [[]]
  let brackets = 0
  for (const one of tokens) {
    if (openers.has(one.type)) brackets++
    else if (closers.has(one.type)) brackets = Math.max(0, brackets - 1)
    if (one.type === token.Comma && brackets === 0) selectors.push([])
    else if (one.type !== token.WhiteSpace || selectors.at(-1)?.length) selectors.at(-1)?.push(one)
  }
  return selectors
}

const grouping = 'css-selector-grouping'
