import { isQuick, type TemplateTexts } from '../templates/engines.ts'
import type { TemplateContent } from '../templates/template.ts'

/** How many characters a check works on at most: those of the request, and those that its placeholders may add. */
export function requestSize(input: unknown, template: TemplateContent | null): number {
  const size = textLength(input, 3)
  if (typeof input !== 'object' || input === null) return size
  const variables: unknown = Reflect.get(input, 'variables')
  if (typeof variables !== 'object' || variables === null) return size
  let longest = 0
  for (const value of Object.values(variables)) longest = Math.max(longest, textLength(value, 1))
  let placeholders = 0
  for (const name of ['subject', 'html', 'text'] as const) {
    for (const text of [Reflect.get(input, name), template?.[name]])
      if (typeof text === 'string') placeholders += bracesIn(text)
  }
  return size + placeholders * longest
}

/** Whether the texts of a request are in a language that takes long to read. */
export function hasQuickTexts(input: unknown, template: TemplateContent | null): boolean {
  if (typeof input !== 'object' || input === null) return true
  const isOwn = !template && typeof Reflect.get(input, 'rendering') !== 'object'
  if (isOwn || template?.engine === 'placeholders') return true
  return isQuick({ ...template, ...pickTexts(input) })
}

function pickTexts(input: object): TemplateTexts {
  const texts = ['subject', 'html', 'text'].map((name) => [name, Reflect.get(input, name)])
  return Object.fromEntries(texts.filter(([, value]) => typeof value === 'string'))
}

/** Whether a request has a whole message. */
export const isRaw = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && typeof Reflect.get(input, 'raw') === 'string'

function bracesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at + 2)) count++
  return count
}

function textLength(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length
  if (levels === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + textLength(member, levels - 1), 0)
}
