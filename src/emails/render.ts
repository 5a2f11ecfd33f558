import { maxMessageBytes } from '../attachments/attachments.ts'
import { firstOf, LocalpostError, quote, validationError } from '../core/errors.ts'
import { textPieces } from '../core/text-pieces.ts'
import { moreWarnings } from '../core/validate.ts'
import { fillIn, placeholdersOf, spend, type ByteLimit, type SizedText } from './fill-in.ts'
import type { VariableValue } from './types.ts'

/** The texts of an email after their placeholders are filled in. */
export interface Rendered {
  subject: string
  html: string
  text: string
  /** The warnings for the request log: names without a variable, unused variables, raw HTML characters. */
  warnings: string[]
}

const fields = ['subject', 'html', 'text'] as const
type Parts = Readonly<Record<(typeof fields)[number], string>>

/** Largest subject, in UTF-8 bytes: four lines of the maximum length of RFC 5322 section 2.1.1. */
export const maxSubjectBytes: number = 4 * 998

/**
 * Fills the placeholders of an email: `{{ name }}` in `subject`, `html` and `text`, each in one pass, so that braces inside
 * a value stay as they are. It stops before the results take more than {@link maxSubjectBytes} and
 * {@link maxMessageBytes}: a short text with long values may expand to gigabytes.
 *
 * @param parts  Any texts; a placeholder without a variable stays as written, with a warning.
 * @param variables  A string, or `{ value, default }` where a null or absent `value` means `default`.
 * @param escapeHtml  Whether values that go into `html` have `& < > "` escaped; default: raw, with a warning.
 * @throws missing_variable for variables with neither value nor default, naming all of them; validation_error for a
 *   subject that is too long and for too many placeholders; message_too_large for bodies that are too large.
 */
export function render(
  parts: Parts,
  variables: Readonly<Record<string, VariableValue>>,
  escapeHtml = false,
): Rendered {
  const values = resolveVariables(variables)
  const placeholders = placeholdersOf(parts, fields)
  const { subject, bodies } = limits()
  const unanswered = new Set<string>()
  const used = (name: string): Value | undefined => {
    const value = values.get(name)
    if (value) value.isUsed = true
    else unanswered.add(name)
    return value
  }
  const asIs = (value: Value | undefined): SizedText | undefined =>
    value && (value.plain ??= sized(value.text))
  const inHtml = (value: Value | undefined): SizedText | undefined => {
    if (value && escapeHtml) return (value.escaped ??= escapeUpTo(bodies, value.text))
    if (value) value.isSpecial ??= /[<>&"]/.test(value.text)
    return asIs(value)
  }
  const rendered: Rendered = {
    subject: fillIn(parts.subject, placeholders.subject, subject, (name) => asIs(used(name))),
    html: fillIn(parts.html, placeholders.html, bodies, (name) => inHtml(used(name))),
    text: fillIn(parts.text, placeholders.text, bodies, (name) => asIs(used(name))),
    warnings: [],
  }
  const { warnings } = rendered
  for (const name of unanswered) warnings.push(unansweredWarning(name))
  for (const [name, { isUsed }] of values) if (!isUsed) warnings.push(`variable ${quote(name)} is not used`)
  for (const [name, { isSpecial }] of values)
    if (isSpecial) warnings.push(`variable ${quote(name)} puts characters of < > & " into html unescaped`)
  return rendered
}

/** The value of a variable, with what is known about its use. */
interface Value {
  readonly text: string
  isUsed: boolean
  /** Whether it adds any of the characters < > & " to html; null if html does not use it. */
  isSpecial: boolean | null
  plain: SizedText | null
  escaped: SizedText | null
}

/** The warning about a placeholder that no variable answers. */
export function unansweredWarning(name: string): string {
  return `{{${name}}} has no variable and stays as written`
}

/**
 * Makes a function that checks, without rendering, whether texts can be rendered with given variables. A broadcast
 * must check its last contact before it accepts its first email.
 *
 * @returns A function that throws the errors of {@link render} for results that are too large.
 */
export function sizeCheck(
  parts: Parts,
  escapeHtml: boolean,
): (variables: Readonly<Record<string, string>>) => void {
  const placeholders = placeholdersOf(parts, fields)
  const texts = fields.map((field) => {
    const counts = new Map<string, { times: number; characters: number }>()
    for (const { name, start, end } of placeholders[field]) {
      const { times, characters } = counts.get(name) ?? { times: 0, characters: 0 }
      counts.set(name, { times: times + 1, characters: characters + end - start })
    }
    return { field, bytes: Buffer.byteLength(parts[field]), counts }
  })
  return (variables) => {
    const { subject, bodies } = limits()
    for (const { field, bytes, counts } of texts) {
      let size = bytes
      for (const [name, { times, characters }] of counts) {
        if (!Object.hasOwn(variables, name)) continue
        const value = variables[name] ?? ''
        size += Buffer.byteLength(field === 'html' && escapeHtml ? escape(value) : value) * times - characters
      }
      spend(field === 'subject' ? subject : bodies, size)
    }
  }
}

function limits(): { subject: ByteLimit; bodies: ByteLimit } {
  return {
    subject: { left: maxSubjectBytes, exceeded: subjectTooLong },
    bodies: { left: maxMessageBytes, exceeded: bodiesTooLarge },
  }
}

function subjectTooLong(): LocalpostError {
  const message = `takes more than ${maxSubjectBytes} bytes with its variables filled in; at most ${maxSubjectBytes} are taken`
  return validationError([{ field: 'subject', message }])
}

function bodiesTooLarge(): LocalpostError {
  const message = `The bodies take more than ${maxMessageBytes} bytes with their variables filled in; at most ${maxMessageBytes} are taken.`
  return new LocalpostError('message_too_large', message)
}

function sized(text: string): SizedText {
  return { text, bytes: Buffer.byteLength(text) }
}

/** Escapes a value in pieces. @throws the error of the limit, as soon as the result alone exceeds it. */
function escapeUpTo(limit: ByteLimit, value: string): SizedText {
  let text = ''
  let bytes = 0
  for (const piece of textPieces(value, 64 * 1024)) {
    const escaped = escape(piece)
    text += escaped
    bytes += Buffer.byteLength(escaped)
    if (bytes > limit.left) throw limit.exceeded()
  }
  return { text, bytes }
}

// A Map, so that no name (`__proto__`, `constructor`) reaches anything but the caller's own variables.
function resolveVariables(variables: Readonly<Record<string, VariableValue>>): Map<string, Value> {
  const values = new Map<string, Value>()
  const missing: string[] = []
  for (const [name, given] of Object.entries(variables)) {
    const text = typeof given === 'string' ? given : (given.value ?? given.default)
    if (text === undefined) missing.push(name)
    else values.set(name, { text, isUsed: false, isSpecial: null, plain: null, escaped: null })
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
