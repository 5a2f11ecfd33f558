import { scanCss, cssText, type CssToken } from '../client-support/scan-css.ts'
import { isStyleProperty, type StyleDeclaration } from './text-style.ts'

/** An element as style sheets see it. */
export interface StyledElement {
  name: string
  classes: readonly string[]
  id: string
}

/** The style sheets of a mail, as far as they change colours and sizes of text. */
export class StyleRules {
  /** By the key of their last compound, as {@link Selector} has it. */
  readonly #rules = new Map<string, StyleRule[]>()
  #count = 0
  /** The rules for an element, because mails repeat the same elements. */
  readonly #candidates = new Map<string, StyleRule[]>()

  /** Adds the rules of a style sheet, except those within conditions, such as for dark mode or small screens. */
  add(css: string): void {
    this.#candidates.clear()
    let open: StyleRule[] = []
    scanCss(css, 'sheet', {
      onAtRule() {},
      onSelectors: (tokens, { isNested, isConditional }) => {
        open = isNested || isConditional || this.#count >= maxRules ? [] : this.#addRules(tokens)
      },
      onDeclaration(property, value) {
        if (open.length === 0 || !isStyleProperty(property)) return
        const written = value.map(({ text }) => text)
        const isImportant = written.at(-1)?.toLowerCase() === 'important' && written.at(-2) === '!'
        const text = (isImportant ? written.slice(0, -2) : written).join(' ').toLowerCase()
        for (const { declarations, isUncertain } of open)
          declarations.push({ property, value: text, isImportant, isUncertain })
      },
      onComment() {},
    })
  }

  /** The declarations that apply, the strongest last. @param ancestors  The outermost first. */
  matching(element: StyledElement, ancestors: readonly StyledElement[]): readonly StyleDeclaration[] {
    if (this.#count === 0) return []
    return this.#candidatesFor(element)
      .filter((rule) => applies(rule, ancestors))
      .flatMap(({ declarations }) => declarations)
  }

  #addRules(selectors: readonly CssToken[]): StyleRule[] {
    return selectorsOf(selectors).map((selector) => {
      const rule: StyleRule = { ...selector, order: this.#count++, declarations: [] }
      const sameKey = this.#rules.get(rule.key)
      if (sameKey) sameKey.push(rule)
      else this.#rules.set(rule.key, [rule])
      return rule
    })
  }

  /** The rules whose last compound matches the element, the strongest last. */
  #candidatesFor(element: StyledElement): StyleRule[] {
    const { name, classes, id } = element
    const cacheKey = `${name} ${id} ${classes.join(' ')}`
    const kept = this.#candidates.get(cacheKey)
    if (kept) return kept
    const found = [name, '*', `#${id}`, ...new Set(classes.map((one) => `.${one}`))]
      .flatMap((one) => this.#rules.get(one) ?? [])
      .filter(({ compounds: [last] }) => last !== undefined && matchesCompound(element, last))
      .toSorted((a, b) => a.weight - b.weight || a.order - b.order)
      .slice(-maxCandidates)
    if (this.#candidates.size < maxKeys) this.#candidates.set(cacheKey, found)
    return found
  }
}

/** A compound selector: `td.note`. */
type Compound = { name: string; classes: string[]; id: string }

interface Selector {
  /** The compounds, the last one first. */
  compounds: Compound[]
  /** The key of the last compound: its id, a class, or its name. */
  key: string
  weight: number
  isUncertain: boolean
}

interface StyleRule extends Selector {
  order: number
  declarations: StyleDeclaration[]
}

function selectorsOf(tokens: readonly CssToken[]): Selector[] {
  return cssText(tokens)
    .slice(0, maxSelectorChars)
    .split(',', 50)
    .flatMap((text) => parseSelector(text.trim()) ?? [])
}

/** Null for states and parts of elements, such as `a:hover`, which do not apply to a static mail. */
function parseSelector(text: string): Selector | null {
  const withoutAttributes = text.replace(/\[[^\]]*(?:\]|$)/g, '')
  if (text === '' || /::?(?!link\b|root\b)/.test(withoutAttributes)) return null
  // Selectors with these are not evaluated.
  const isUncertain = /[>+~[]/.test(text)
  const plain = withoutAttributes.replace(/:[a-z]+/g, '').replace(/[>+~]/g, ' ')
  const read = plain.trim().split(/\s+/, 20).map(parseCompound).toReversed()
  const compounds = read.filter((one) => one !== null)
  const [last] = compounds
  if (!last || compounds.length < read.length) return null
  const weight = compounds.reduce(
    (sum, { name, classes, id }) =>
      sum + (id === '' ? 0 : 10_000) + classes.length * 100 + (name === '*' ? 0 : 1),
    0,
  )
  return { compounds, key: keyOf(last), weight, isUncertain }
}

function keyOf({ name, classes: [first], id }: Compound): string {
  if (id !== '') return `#${id}`
  return first === undefined ? name : `.${first}`
}

function parseCompound(text: string): Compound | null {
  const [, name = '', rest = ''] = /^([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)$/i.exec(text) ?? []
  if (name === '' && rest === '') return null
  const parts = rest.match(/[.#][\w-]+/g) ?? []
  return {
    name: name === '' ? '*' : name.toLowerCase(),
    classes: parts.filter((part) => part.startsWith('.')).map((part) => part.slice(1)),
    id: parts.find((part) => part.startsWith('#'))?.slice(1) ?? '',
  }
}

/** Whether the ancestors match a selector. */
function applies({ compounds }: StyleRule, ancestors: readonly StyledElement[]): boolean {
  let at = ancestors.length - 1
  for (const compound of compounds.slice(1)) {
    while (at >= 0 && !matchesCompound(ancestors[at], compound)) at--
    if (at-- < 0) return false
  }
  return true
}

function matchesCompound(element: StyledElement | undefined, { name, classes, id }: Compound): boolean {
  if (!element) return false
  if (name !== '*' && name !== element.name) return false
  return (id === '' || id === element.id) && classes.every((one) => element.classes.includes(one))
}

const maxRules = 2000
/** Rules of one element that count; hostile style sheets have more. */
const maxCandidates = 100
const maxKeys = 1000
const maxSelectorChars = 2000
