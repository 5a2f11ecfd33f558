import * as token from 'css-tree/tokenizer'
import { withCuts, type Cut } from '../core/cuts.ts'
import { atRuleFeatures, declarationFeatures, urlsOf } from './css-features.ts'
import type { RuleId } from './preview-clients.ts'
import { closers, tokensEnd, openers, scanCss, scannedCssLength, cssText, type CssToken } from './scan-css.ts'
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
  const cuts: Cut[] = []
  let ignored: Ignored[] = []
  let hasNestedAtRule = false
  const blocks: OpenBlock[] = []
  let next: OpenBlock | null = null

  /** Removes all of a text for the first feature that the client ignores. @returns Whether there is one. */
  function drop(features: Iterable<string>, start: number, end: number, snippet: () => string): boolean {
    const feature = firstIgnored(features)
    if (feature === undefined) return false
    ignored.push({ feature, start, snippet: snippet() })
    cuts.push({ start, end, text: ' ' })
    return true
  }

  const firstIgnored = (features: Iterable<string>): string | undefined =>
    [...features].find((feature) => filter.ignores(feature))

  function closes({ start, feature, snippet, found }: OpenBlock, end: number): void {
    if (feature === null) return
    // What is in a removed block is not removed a second time.
    ignored = ignored.slice(0, found)
    ignored.push({ feature, start, snippet })
    while ((cuts.at(-1)?.start ?? -1) >= start) cuts.pop()
    cuts.push({ start, end, text: '' })
  }

  scanCss(css, context, {
    onAtRule({ name, prelude, start, end, hasBlock }) {
      const features = atRuleFeatures(name, prelude)
      const snippet = (): string => `@${name} ${prelude}`.trim()
      if (blocks.some(({ isAtRule }) => isAtRule)) hasNestedAtRule = true
      // A semicolon that is left would become a part of the next rule.
      const semicolon = css.indexOf(';', end)
      if (!hasBlock) return void drop(features, start, semicolon < 0 ? css.length : semicolon + 1, snippet)
      const feature = firstIgnored(features) ?? null
      next = { start, feature, snippet: snippet(), found: ignored.length, isAtRule: true }
    },
    onSelectors(tokens, { isNested }) {
      const start = tokens[0]?.start ?? 0
      const block = (feature: string | null): OpenBlock => {
        const snippet = feature === null ? '' : cssText(tokens)
        return { start, feature, snippet, found: ignored.length, isAtRule: false }
      }
      const selectors = splitSelectors(tokens)
      const faults = selectors.map((one) => firstIgnored(selectorFeatures(one, isNested)))
      if (selectors.length > 1 && filter.ignores(grouping)) next = block(grouping)
      else if (faults.every((fault) => fault !== undefined)) next = block(faults[0] ?? null)
      else {
        next = block(null)
        if (faults.every((fault) => fault === undefined)) return
        selectors.forEach((one, at) => {
          const feature = faults[at]
          if (feature !== undefined)
            ignored.push({ feature, start: one[0]?.start ?? start, snippet: cssText(one) })
        })
        const kept = selectors.filter((_, at) => faults[at] === undefined)
        cuts.push({ start, end: tokensEnd(tokens), text: `${kept.map(cssText).join(',')} ` })
      }
    },
    onDeclaration(property, value, start) {
      const snippet = (): string => `${property}: ${value.map(({ text }) => text).join(' ')}`
      const rule = filter.ignoredProperty?.(property) ?? null
      if (rule !== null) {
        ignored.push({ feature: rule, start, snippet: snippet() })
        return void cuts.push({ start, end: tokensEnd(value), text: '' })
      }
      const images = urlsOf(value).flatMap((url) => [...filter.imageFeatures(url)])
      drop([...declarationFeatures(property, value), ...images], start, tokensEnd(value), snippet)
    },
    onComment: (start, end) => void drop(['css-comments'], start, end, () => '/* */'),
    onOpen() {
      blocks.push(next ?? { start: 0, feature: null, snippet: '', found: 0, isAtRule: false })
      next = null
    },
    onClose(end) {
      const block = blocks.pop()
      if (block) closes(block, end)
    },
  })
  const read = Math.min(css.length, scannedCssLength)
  for (const block of blocks.reverse()) closes(block, read)
  return { css: withCuts(css.slice(0, read), cuts), ignored, hasNestedAtRule }
}

interface OpenBlock {
  start: number
  /** Why the whole block is ignored; null if it is not. */
  feature: string | null
  snippet: string
  /** How much was ignored before it. */
  found: number
  isAtRule: boolean
}

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
