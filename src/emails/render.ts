import { firstOf, LocalpostError, quote } from '../core/errors.ts'
import { moreWarnings } from '../core/validate.ts'
import type { VariableValue } from './email.ts'

/** The parts of an email in which placeholders stand. */
export interface Rendered {
  subject: string
  html: string
  text: string
  /** What the request log says of it: names without variable, unused variables, raw HTML characters. */
  warnings: string[]
}

/**
 * Fills the placeholders of an email: `{{ name }}` in `subject`, `html` and `text`, each in one pass, so that braces
 * inside a value stay as they are.
 *
 * @param parts  Any texts; a placeholder that no variable answers stays as written and is warned of.
 * @param variables  A string, or `{ value, default }` where a null or absent `value` means `default`.
 * @param escapeHtml  Whether values that go into `html` have `& < > "` escaped; default: raw, with a warning.
 * @throws missing_variable for variables with neither value nor default, naming all of them.
 */
export function render(
  parts: { subject: string; html: string; text: string },
  variables: Readonly<Record<string, VariableValue>>,
  escapeHtml = false,
): Rendered {
  const values = resolveVariables(variables)
  const used = new Set<string>()
  const unanswered = new Set<string>()
  const unescaped = new Set<string>()
  const valueOf = (name: string, isHtml: boolean): string | undefined => {
    const value = values.get(name)
    if (value === undefined) {
      unanswered.add(name)
      return undefined
    }
    used.add(name)
    if (!isHtml || !htmlSpecial.test(value)) return value
    if (escapeHtml) return escape(value)
    unescaped.add(name)
    return value
  }
  const fill = (source: string, isHtml: boolean): string => fillIn(source, (name) => valueOf(name, isHtml))
  const rendered = {
    subject: fill(parts.subject, false),
    html: fill(parts.html, true),
    text: fill(parts.text, false),
  }
  const unused = [...values.keys()].filter((name) => !used.has(name))
  return {
    ...rendered,
    warnings: [
      ...[...unanswered].map((name) => `{{${name}}} has no variable and stays as written`),
      ...unused.map((name) => `variable ${quote(name)} is not used`),
      ...[...unescaped].map(
        (name) => `variable ${quote(name)} puts characters of < > & " into html unescaped`,
      ),
    ],
  }
}

/**
 * Puts values in the place of a text's placeholders. Braces are few, and looking for them is several times quicker than
 * an expression over all of the text.
 *
 * @param valueOf  undefined leaves the placeholder as written.
 */
function fillIn(source: string, valueOf: (name: string) => string | undefined): string {
  let filled = ''
  let done = 0
  for (let at = source.indexOf('{{'); at !== -1;) {
    placeholder.lastIndex = at
    const name = placeholder.exec(source)?.[1]
    const end = name === undefined ? at + 1 : placeholder.lastIndex
    const value = name === undefined ? undefined : valueOf(name)
    if (value !== undefined) {
      filled += source.slice(done, at) + value
      done = end
    }
    at = source.indexOf('{{', end)
  }
  return done === 0 ? source : filled + source.slice(done)
}

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/y
const htmlSpecial = /[<>&"]/

// A Map, so that no name (`__proto__`, `constructor`) reaches anything but the caller's own variables.
function resolveVariables(variables: Readonly<Record<string, VariableValue>>): Map<string, string> {
  const values = new Map<string, string>()
  const missing: string[] = []
  for (const [name, given] of Object.entries(variables)) {
    const value = typeof given === 'string' ? given : (given.value ?? given.default)
    if (value === undefined) missing.push(name)
    else values.set(name, value)
  }
  if (missing.length > 0) {
    const names = firstOf(missing, quote, moreWarnings).join(', ')
    throw new LocalpostError('missing_variable', `No value and no default for ${names}: give one of them.`, {
      errors: missing.map((name) => ({
        field: `variables.${name}`,
        message: 'has neither value nor default',
      })),
    })
  }
  return values
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(value: string): string {
  return value.replace(/[<>&"]/g, (char) => entities[char] ?? char)
}
