import type { Cut } from '../core/cuts.ts'
import type { ClientRules, RuleId } from './preview-clients.ts'
import { filterCss, type CssFilter, type FilteredCss, type Ignored } from './preview-css.ts'

/** A `style` element. Positions are offsets into the HTML. */
export interface StyleSheet {
  /** Of the CSS. */
  start: number
  end: number
  /** Of the element. */
  openedAt: number
  closedAt: number
  isInBody: boolean
}

/** Filters the inline style of an element. Mails repeat the same ones, so results are kept. */
export function createInlineFilter(
  cssFilter: CssFilter,
  rules: ClientRules,
): (name: string, style: string) => FilteredCss {
  const inWordBox: CssFilter = {
    ...cssFilter,
    ignoredProperty: (property) => (boxSizes.test(property) ? 'word-box' : null),
  }
  const results = new Map<string, FilteredCss>()
  return (name, style) => {
    const isBox = rules.isWord === true && wordBoxes.has(name)
    const key = `${isBox ? 'box' : ''} ${style}`
    const filtered = results.get(key) ?? filterCss(style, 'attribute', isBox ? inWordBox : cssFilter)
    results.set(key, filtered)
    return filtered
  }
}

/** What a client removes of the style sheets of a mail. */
export function filterSheets(
  html: string,
  sheets: readonly StyleSheet[],
  cssFilter: CssFilter,
  rules: ClientRules,
): { cuts: Cut[]; ignored: Ignored[] } {
  const cuts: Cut[] = []
  const ignored: Ignored[] = []
  let styleChars = 0
  for (const { start, end, openedAt, closedAt, isInBody } of sheets) {
    const css = html.slice(start, end)
    styleChars += css.length
    const filtered = filterCss(css, 'sheet', cssFilter)
    const fault = sheetFault(rules, { isInBody, styleChars, hasNestedAtRule: filtered.hasNestedAtRule })
    if (fault !== null) {
      ignored.push({ feature: fault, start: openedAt, snippet: `<style> of ${css.length} characters` })
      cuts.push({ start: openedAt, end: closedAt, text: '' })
    } else if (filtered.ignored.length > 0 || filtered.css.length < css.length) {
      // It is also shorter if its end was not read (`scannedCssLength`).
      for (const one of filtered.ignored) ignored.push({ ...one, start: start + one.start })
      // Without the removed part, the text around it could form an end tag.
      cuts.push({ start, end, text: filtered.css.replaceAll('</', '<\\/') })
    }
  }
  return { cuts, ignored }
}

/** Why a client removes a whole style sheet; null if it does not. */
function sheetFault(
  { dropsStylesIn, dropsNestedAtRules, maxStyleChars = Number.POSITIVE_INFINITY }: ClientRules,
  sheet: { isInBody: boolean; styleChars: number; hasNestedAtRule: boolean },
): RuleId | null {
  if (dropsStylesIn === (sheet.isInBody ? 'body' : 'head'))
    return sheet.isInBody ? 'style-in-body' : 'style-in-head'
  if (sheet.styleChars > maxStyleChars) return 'style-limit'
  return dropsNestedAtRules && sheet.hasNestedAtRule ? 'nested-at-rule' : null
}

/** In the Word engine these are no boxes: sizes and paddings apply to table cells and images. */
const wordBoxes: ReadonlySet<string> = new Set(['div', 'p', 'span', 'a'])
const boxSizes = /^(?:width|height|padding(?:-(?:top|right|bottom|left))?)$/
