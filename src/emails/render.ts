import { firstOf, LocalpostError, quote, validationError } from '../core/errors.ts'
import { moreWarnings } from '../core/validate.ts'
import { maxMessageBytes } from '../attachments/attachments.ts'
import type { VariableValue } from './types.ts'
import {
  countPlaceholders,
  fillIn,
  maxPlaceholders,
  spend,
  type FillBudget,
  type SizedValue,
} from './fill-in.ts'

/** The parts of an email after their placeholders are filled in. */
export interface Rendered {
  subject: string
  html: string
  text: string
  /** The warnings for the request log: names without a variable, unused variables, raw HTML characters. */
  warnings: string[]
}

/** Largest subject, in UTF-8 bytes: four lines of the maximum length of RFC 5322 section 2.1.1. */
export const maxSubjectBytes: number = 4 * 998

/**
 * Fills the placeholders of an email, in steps: `{{ name }}` in `subject`, `html` and `text`, each in one pass, so that braces
 * inside a value stay as they are. It stops before the results take more than {@link maxSubjectBytes} and
 * {@link maxMessageBytes}: a short text with long values may expand to gigabytes.
 *
 * @param parts  Any texts; a placeholder without a variable stays as written, with a warning.
 * @param variables  A string, or `{ value, default }` where a null or absent `value` means `default`.
 * @param escapeHtml  Whether values that go into `html` have `& < > "` escaped; default: raw, with a warning.
 * @throws missing_variable for variables with neither value nor default, naming all of them; validation_error for a
 *   subject that is too long and for too many placeholders; message_too_large for bodies that are too large.
 */
export function* renderSteps(
  parts: { subject: string; html: string; text: string },
  variables: Readonly<Record<string, VariableValue>>,
  escapeHtml = false,
): Generator<undefined, Rendered> {
  const values = resolveVariables(variables)
  const unanswered = new Set<string>()
  const { subject, bodies } = budgets()
  function valueOf(name: string, isHtml: boolean): SizedValue | Generator<undefined, SizedValue> | undefined {
    const value = values.get(name)
    if (value === undefined) {
      unanswered.add(name)
      return undefined
    }
    value.isUsed = true
    if (isHtml && escapeHtml) return value.escaped ?? escapeOnce(value)
    if (isHtml) value.isSpecial ??= hasSpecial(value.text)
    return (value.plain ??= toSized(value.text))
  }
  function* escapeOnce(value: Value): Generator<undefined, SizedValue> {
    return (value.escaped = yield* escapeSteps(value.text, bodies))
  }
  const rendered: Rendered = {
    subject: yield* fillIn('subject', parts.subject, subject, (name) => valueOf(name, false)),
    html: yield* fillIn('html', parts.html, bodies, (name) => valueOf(name, true)),
    text: yield* fillIn('text', parts.text, bodies, (name) => valueOf(name, false)),
    warnings: [],
  }
  const { warnings } = rendered
  for (const name of unanswered) warnings.push(unansweredWarning(name))
  for (const [name, { isUsed }] of values) if (!isUsed) warnings.push(`variable ${quote(name)} is not used`)
  for (const [name, { isSpecial }] of values)
    if (isSpecial) warnings.push(`variable ${quote(name)} puts characters of < > & " into html unescaped`)
  return rendered
}

/** The value of a variable, with facts about its use. */
interface Value {
  readonly text: string
  isUsed: boolean
  /** Whether it adds any of the characters < > & " to html; null if html does not use it. */
  isSpecial: boolean | null
  plain: SizedValue | null
  escaped: SizedValue | null
}

/** The warning about a placeholder that no variable answers. */
export function unansweredWarning(name: string): string {
  return `{{${name}}} has no variable and stays as written`
}

/**
 * Makes a function that checks, without rendering, whether texts can be rendered with given variables. A broadcast
 * must check its last contact before it accepts its first email.
 *
 * @returns A function that throws the errors of {@link renderSteps} for results that are too large.
 */
export function* sizeCheckSteps(
  parts: { subject: string; html: string; text: string },
  escapeHtml: boolean,
): Generator<undefined, (variables: Readonly<Record<string, string>>) => void> {
  const places = { left: maxPlaceholders }
  const texts: {
    isSubject: boolean
    isEscaped: boolean
    bytes: number
    counts: Map<string, { times: number; characters: number }>
  }[] = []
  for (const field of ['subject', 'html', 'text'] as const) {
    texts.push({
      isSubject: field === 'subject',
      isEscaped: field === 'html' && escapeHtml,
      bytes: Buffer.byteLength(parts[field]),
      counts: yield* countPlaceholders(field, parts[field], places),
    })
  }
  return (variables) => {
    const { subject, bodies } = budgets()
    for (const { isSubject, isEscaped, bytes, counts } of texts) {
      let size = bytes
      for (const [name, { times, characters }] of counts) {
        if (!Object.hasOwn(variables, name)) continue
        const value = variables[name] ?? ''
        size += Buffer.byteLength(isEscaped ? escape(value) : value) * times - characters
      }
      spend(isSubject ? subject : bodies, size)
    }
  }
}

function budgets(): { subject: FillBudget; bodies: FillBudget } {
  const places = { left: maxPlaceholders }
  return {
    subject: { bytes: maxSubjectBytes, places, exceeded: subjectTooLong },
    bodies: { bytes: maxMessageBytes, places, exceeded: bodiesTooLarge },
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

function toSized(text: string): SizedValue {
  return { text, bytes: Buffer.byteLength(text) }
}

/** Escapes a value in slices. @throws the error of the budget, as soon as the result alone exceeds it. */
function* escapeSteps(value: string, budget: FillBudget): Generator<undefined, SizedValue> {
  let text = ''
  let bytes = 0
  for (let start = 0; start < value.length;) {
    if (start > 0) yield
    let end = start + escapedAtOnce
    // A surrogate pair stays together.
    if ((value.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    const slice = toSized(escape(value.slice(start, end)))
    text += slice.text
    bytes += slice.bytes
    if (bytes > budget.bytes) throw budget.exceeded()
    start = end
  }
  return { text, bytes }
}

const escapedAtOnce = 4096

/** Four searches for a character are several times faster than a regular expression over a long text. */
function hasSpecial(value: string): boolean {
  return value.includes('<') || value.includes('>') || value.includes('&') || value.includes('"')
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
