import * as token from 'css-tree/tokenizer'
import { slugsByName } from './features.ts'
import names from './names.json' with { type: 'json' }
import { cssText, type CssToken } from './scan-css.ts'

/** The features that one declaration uses, by slug; each once. */
export function declarationFeatures(property: string, value: readonly CssToken[]): Set<string> {
  if (property.startsWith('--')) return new Set(['css-variables', ...valueFeatures(value)])
  const name = withoutPrefix(property)
  const found = new Set([...(byProperty.get(name) ?? []), ...valueFeatures(value)])
  const words = value.filter(({ type }) => type === token.Ident).map(({ text }) => text.toLowerCase())
  for (const [slug, { properties, keywords }] of byKeyword)
    if (properties.includes(name) && words.some((word) => keywords.includes(word))) found.add(slug)
  return found
}

/** The features of an at-rule and of its conditions, by slug. */
export function atRuleFeatures(name: string, prelude: string): Set<string> {
  const rule = withoutPrefix(name)
  const found = new Set([`css-at-${rule}`])
  if (rule !== 'media') return found
  for (const [slug, condition] of mediaConditions) if (condition.test(prelude)) found.add(slug)
  return found
}

/** A name without the prefix of a browser. */
const withoutPrefix = (name: string): string => name.replace(/^-(?:webkit|moz|ms|o)-/, '')

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

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/s, '$2')

/** Features that are conditions of `@media`. */
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
const byProperty = slugsByName(names.properties)
const byFunction = slugsByName(names.functions)
/** Features that are keywords of a value. */
const byKeyword = Object.entries(names.keywords)
