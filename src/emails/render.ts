import { maxMessageBytes } from '../mime/message-size.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { listFirst, quote } from '../core/quote.ts'
import { escapedHtml } from '../core/text.ts'
import type { VariableValue } from './send-types.ts'

/** The texts of an email after their placeholders are filled in. */
export interface Rendered {
  subject: string
  html: string
  text: string
  /** The warnings for the request log: names without a variable, unused variables, raw HTML characters. */
  warnings: string[]
}

type Field = 'subject' | 'html' | 'text'

/** Largest subject, in UTF-8 bytes: four lines of the maximum length of RFC 5322 section 2.1.1. */
export const maxSubjectBytes: number = 4 * 998

/** How large the results of a template may be. */
export const templateBytes: { subject: number; bodies: number } = {
  subject: maxSubjectBytes,
  bodies: maxMessageBytes,
}

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
  parts: Readonly<Record<Field, string>>,
  variables: Readonly<Record<string, VariableValue>>,
  escapeHtml = false,
): Rendered {
  const answers = new Answers(variables, escapeHtml)
  const left: Remaining = { subject: maxSubjectBytes, bodies: maxMessageBytes, placeholders: maxPlaceholders }
  const subject = fill('subject', parts.subject, answers, left)
  const html = fill('html', parts.html, answers, left)
  const text = fill('text', parts.text, answers, left)
  return { subject, html, text, warnings: answers.warnings() }
}

/** How many bytes and placeholders an email may still take; reduced by {@link fill}. */
interface Remaining {
  subject: number
  bodies: number
  placeholders: number
}

/** A text with its placeholders filled in. */
function fill(field: Field, source: string, answers: Answers, left: Remaining): string {
  const limit = field === 'subject' ? 'subject' : 'bodies'
  let filled = ''
  /** Up to where the source is in `filled`. */
  let done = 0
  const add = (text: string): void => {
    left[limit] -= Buffer.byteLength(text)
    if (left[limit] < 0) throw limit === 'subject' ? subjectTooLong() : bodiesTooLarge()
    filled += text
  }
  for (let at = source.indexOf('{{'); at !== -1;) {
    if (--left.placeholders < 0) throw tooManyPlaceholders(field)
    placeholder.lastIndex = at
    const found = placeholder.exec(source)
    // Braces that begin no placeholder: one may begin at the next character.
    const end = at + (found === null ? 1 : found[0].length)
    const value = found?.[1] === undefined ? undefined : answers.valueOf(found[1], field)
    if (value !== undefined) {
      add(source.slice(done, at))
      add(value)
      done = end
    }
    at = source.indexOf('{{', end)
  }
  add(source.slice(done))
  return filled
}

/** What the variables answer to placeholders, and the warnings about both. */
class Answers {
  readonly #values: ReadonlyMap<string, string>
  readonly #escapeHtml: boolean
  /** The values for HTML, each escaped once. */
  readonly #escaped = new Map<string, string>()
  readonly #unanswered = new Set<string>()
  readonly #unused: Set<string>
  /** The variables that put characters of HTML into it unescaped. */
  readonly #special = new Set<string>()

  constructor(variables: Readonly<Record<string, VariableValue>>, escapeHtml: boolean) {
    this.#values = resolveVariables(variables)
    this.#escapeHtml = escapeHtml
    this.#unused = new Set(this.#values.keys())
  }

  /** The value for a placeholder; undefined if no variable has its name. */
  valueOf(name: string, field: Field): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined) {
      this.#unanswered.add(name)
      return undefined
    }
    this.#unused.delete(name)
    if (field !== 'html') return value
    if (this.#escapeHtml) return this.#escapedOf(name, value)
    if (/[<>&"]/.test(value)) this.#special.add(name)
    return value
  }

  #escapedOf(name: string, value: string): string {
    const inHtml = this.#escaped.get(name) ?? htmlText(value)
    this.#escaped.set(name, inHtml)
    return inHtml
  }

  warnings(): string[] {
    const raw = [...this.#values.keys()].filter((name) => this.#special.has(name))
    return [
      ...[...this.#unanswered].map(unansweredWarning),
      ...[...this.#unused].map((name) => `variable ${quote(name)} is not used`),
      ...raw.map((name) => `variable ${quote(name)} puts characters of < > & " into html unescaped`),
    ]
  }
}

/** The warning about a placeholder that no variable answers. */
export function unansweredWarning(name: string): string {
  return `{{${name}}} has no variable and stays as written`
}

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/y
/** The maximum number of pairs of opening braces in one email, because each costs a search for a placeholder. */
const maxPlaceholders = 100_000

function tooManyPlaceholders(field: Field): LocalpostError {
  const message = `has too many placeholders: an email may have at most ${maxPlaceholders} pairs of opening braces`
  return validationError([{ field, message }])
}

function subjectTooLong(): LocalpostError {
  const message = `takes more than ${maxSubjectBytes} bytes with its variables filled in; at most ${maxSubjectBytes} are taken`
  return validationError([{ field: 'subject', message }])
}

function bodiesTooLarge(): LocalpostError {
  const message = `The bodies take more than ${maxMessageBytes} bytes with their variables filled in; at most ${maxMessageBytes} are taken.`
  return new LocalpostError('message_too_large', message)
}

/**
 * The values of variables by name. In a Map, so that no name (`__proto__`, `constructor`) reaches anything but the caller's own
 * variables.
 *
 * @throws missing_variable for variables with neither value nor default, naming all of them.
 */
export function resolveVariables(variables: Readonly<Record<string, VariableValue>>): Map<string, string> {
  const values = new Map<string, string>()
  const missing: string[] = []
  for (const [name, given] of Object.entries(variables)) {
    const value = typeof given === 'string' ? given : (given.value ?? given.default)
    if (value === undefined) missing.push(name)
    else values.set(name, value)
  }
  if (missing.length === 0) return values
  const names = listFirst(missing, quote).join(', ')
  throw new LocalpostError('missing_variable', `No value and no default for ${names}: give one of them.`, {
    errors: missing.map((name) => ({ field: `variables.${name}`, message: 'has neither value nor default' })),
  })
}

/** A text as HTML shows it, also in attributes. @throws message_too_large before the result takes memory. */
export function htmlText(value: string): string {
  let bytes = Buffer.byteLength(value)
  for (const special of '&<>"') {
    const added = escapedHtml(special).length - 1
    for (let at = value.indexOf(special); at !== -1; at = value.indexOf(special, at + 1)) bytes += added
  }
  if (bytes > maxMessageBytes) throw bodiesTooLarge()
  return escapedHtml(value)
}
