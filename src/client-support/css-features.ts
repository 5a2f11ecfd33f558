import * as token from 'css-tree/tokenizer'
import { features } from './features.ts'
import { cssText, type CssToken } from './scan-css.ts'

/** The features that one declaration uses, by slug; each once. */
export function declarationFeatures(property: string, value: readonly CssToken[]): Set<string> {
  if (property.startsWith('--')) return new Set(['css-variables', ...valueFeatures(value)])
  const name = property.replace(/^-(?:webkit|moz|ms|o)-/, '')
  const found = new Set([...(byProperty.get(name) ?? []), ...valueFeatures(value)])
  const words = value.filter(({ type }) => type === token.Ident).map(({ text }) => text.toLowerCase())
  for (const [slug, properties, wanted] of byWord) {
    if (properties.includes(name) && words.some((word) => wanted.includes(word))) found.add(slug)
  }
  if (/^(?:font|font-family)$/.test(name) && words.some((word) => systemFonts.has(word)))
    found.add('css-sytem-ui')
  return found
}

/** The features of an at-rule and of its conditions, by slug. */
export function atRuleFeatures(name: string, prelude: string): Set<string> {
  const rule = name.replace(/^-(?:webkit|moz|ms|o)-/, '')
  const found = new Set([`css-at-${rule}`])
  if (rule !== 'media') return found
  for (const [slug, condition] of mediaConditions) if (condition.test(prelude)) found.add(slug)
  return found
}

/** The URLs that a value loads. */
export function urlsOf(value: readonly CssToken[]): string[] {
  return value.flatMap(({ type, text }, at) => {
    if (type === token.Url) return [unquoted(text.replace(/^url\(/i, '').replace(/\)$/, ''))]
    const isArgument = type === token.String && /^url\($/i.test(value[at - 1]?.text ?? '')
    return isArgument ? [unquoted(text)] : []
  })
}

function* valueFeatures(value: readonly CssToken[]): Generator<string> {
  for (const { type, text } of value) {
    const lower = text.toLowerCase()
    if (type === token.Function) yield* byFunction.get(lower.slice(0, -1)) ?? []
    else if (type === token.Percentage) yield 'css-unit-percent'
    else if (type === token.Dimension) {
      const unit = /[a-z]{1,20}$/.exec(lower)?.[0] ?? ''
      if (units.has(unit)) yield `css-unit-${unit}`
    } else if (type === token.Ident) {
      if (lower === 'initial') yield 'css-unit-initial'
      if (intrinsic.has(lower)) yield 'css-intrinsic-size'
    }
  }
  if (/!\s*important\s*$/i.test(cssText(value.slice(-2)))) yield 'css-important'
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2')
}

const sides = ['top', 'right', 'bottom', 'left']
const lengths = ['width', 'style', 'color']
const flows = ['inline', 'block']
const flowSides = flows.flatMap((flow) => [`${flow}-start`, `${flow}-end`])
const withSuffixes = (names: readonly string[], suffixes: readonly string[]): string[] =>
  names.flatMap((name) => suffixes.map((suffix) => `${name}-${suffix}`))

/** The properties of the features that are not named like their property. */
const properties: Readonly<Record<string, readonly string[]>> = {
  'css-animation': [
    'animation',
    ...withSuffixes(
      ['animation'],
      'name duration delay direction fill-mode iteration-count play-state timing-function'.split(' '),
    ),
  ],
  'css-block-inline-size': ['block-size', 'inline-size'],
  'css-border': [
    'border',
    ...withSuffixes(['border'], [...sides, ...lengths]),
    ...withSuffixes(withSuffixes(['border'], sides), lengths),
  ],
  'css-border-image': [
    'border-image',
    ...withSuffixes(['border-image'], ['source', 'slice', 'width', 'outset', 'repeat']),
  ],
  'css-border-inline-block': withSuffixes(['border'], flows),
  'css-border-inline-block-individual': withSuffixes(['border'], flowSides),
  'css-border-inline-block-longhand': withSuffixes(
    withSuffixes(['border'], [...flows, ...flowSides]),
    lengths,
  ),
  'css-border-radius': [
    'border-radius',
    ...withSuffixes(['border'], ['top-left', 'top-right', 'bottom-right', 'bottom-left']).map(
      (name) => `${name}-radius`,
    ),
  ],
  'css-border-radius-logical': withSuffixes(
    ['border'],
    ['start-start', 'start-end', 'end-start', 'end-end'],
  ).map((name) => `${name}-radius`),
  'css-column-layout-properties': [
    'columns',
    ...withSuffixes(
      ['column'],
      ['count', 'fill', 'rule', 'rule-color', 'rule-style', 'rule-width', 'span', 'width'],
    ),
  ],
  'css-gap': ['gap', 'column-gap', 'row-gap', 'grid-gap', 'grid-column-gap', 'grid-row-gap'],
  'css-grid-template': ['grid-template', ...withSuffixes(['grid-template'], ['areas', 'columns', 'rows'])],
  'css-inset': ['inset', ...withSuffixes(['inset'], [...flows, ...flowSides])],
  'css-left-right-top-bottom': sides,
  'css-margin': ['margin', ...withSuffixes(['margin'], sides)],
  'css-margin-block-start-end': ['margin-block-start', 'margin-block-end'],
  'css-margin-inline-start-end': ['margin-inline-start', 'margin-inline-end'],
  'css-margin-inline-block': ['margin-inline', 'margin-block'],
  'css-outline': ['outline', ...withSuffixes(['outline'], lengths)],
  'css-overflow': ['overflow', 'overflow-x', 'overflow-y'],
  'css-padding': ['padding', ...withSuffixes(['padding'], sides)],
  'css-padding-block-start-end': ['padding-block-start', 'padding-block-end'],
  'css-padding-inline-start-end': ['padding-inline-start', 'padding-inline-end'],
  'css-padding-inline-block': ['padding-inline', 'padding-block'],
  'css-scroll-snap': withSuffixes(['scroll-snap'], ['type', 'align', 'stop']),
  'css-text-emphasis': ['text-emphasis', 'text-emphasis-style', 'text-emphasis-color'],
  'css-text-wrap': ['text-wrap', 'text-wrap-mode', 'text-wrap-style'],
  'css-transition': [
    'transition',
    ...withSuffixes(['transition'], ['property', 'duration', 'delay', 'timing-function', 'behavior']),
  ],
}

/** Features that are keywords of a value: slug, properties, keywords. */
const byWord: readonly (readonly [slug: string, properties: readonly string[], words: readonly string[]])[] =
  [
    ['css-display-flex', ['display'], ['flex', 'inline-flex']],
    ['css-display-grid', ['display'], ['grid', 'inline-grid']],
    ['css-display-none', ['display'], ['none']],
    ['css-flex-direction', ['flex-direction', 'flex-flow'], ['column', 'column-reverse']],
    ['css-flex-wrap', ['flex-wrap', 'flex-flow'], ['wrap', 'wrap-reverse']],
  ]

/** Features that are functions of a value. */
const functions: Readonly<Record<string, readonly string[]>> = {
  'css-conic-gradient': ['conic-gradient', 'repeating-conic-gradient'],
  'css-function-clamp': ['clamp'],
  'css-function-light-dark': ['light-dark'],
  'css-function-max': ['max'],
  'css-function-min': ['min'],
  'css-intrinsic-size': ['fit-content'],
  'css-linear-gradient': ['linear-gradient', 'repeating-linear-gradient', '-webkit-linear-gradient'],
  'css-modern-color': ['lch', 'oklch', 'lab', 'oklab'],
  'css-radial-gradient': ['radial-gradient', 'repeating-radial-gradient', '-webkit-radial-gradient'],
  'css-rgb': ['rgb'],
  'css-rgba': ['rgba'],
  'css-unit-calc': ['calc'],
  'css-variables': ['var'],
}

const mediaConditions: readonly (readonly [slug: string, condition: RegExp])[] = [
  ['css-at-media-device-pixel-ratio', /device-pixel-ratio/i],
  ['css-at-media-hover', /\(\s*(?:any-)?hover\b/i],
  ['css-at-media-orientation', /\(\s*orientation\b/i],
  ['css-at-media-prefers-color-scheme', /\(\s*prefers-color-scheme\b/i],
  ['css-at-media-prefers-reduced-motion', /\(\s*prefers-reduced-motion\b/i],
]

const units = new Set('ch cm em ex in mm pc pt px rem vh vmax vmin vw'.split(' '))
const intrinsic = new Set(
  'fit-content min-content max-content -moz-fit-content -webkit-fit-content'.split(' '),
)
const systemFonts = new Set(['system-ui', 'ui-serif', 'ui-sans-serif', 'ui-rounded', 'ui-monospace'])

const byFunction = inverse(Object.entries(functions))

/** Slugs that look like the name of a property, but are not. */
const otherwiseFound = new Set([
  ...Object.keys(properties),
  ...Object.keys(functions),
  ...byWord.map(([slug]) => slug),
  ...mediaConditions.map(([slug]) => slug),
  'css-comments',
  'css-important',
  'css-inert-attribute',
  'css-nesting',
  'css-sytem-ui',
])

/** Every other feature of CSS is the property of the same name. */
const byProperty = inverse([
  ...Object.entries(properties),
  ...[...features.keys()].flatMap((slug): [string, string[]][] =>
    !slug.startsWith('css-') || otherwiseFound.has(slug) || /^css-(?:at|pseudo|selector|unit)-/.test(slug)
      ? []
      : [[slug, [slug.slice('css-'.length)]]],
  ),
])

function inverse(
  entries: readonly (readonly [string, readonly string[]])[],
): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>()
  for (const [slug, names] of entries) {
    for (const name of names) map.set(name, [...(map.get(name) ?? []), slug])
  }
  return map
}
