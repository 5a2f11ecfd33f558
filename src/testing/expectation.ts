import { isRegExp } from 'node:util/types'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import { isPlainObject } from '../core/members.ts'
import { isMoment } from '../search/query-members.ts'
import { UsageError } from '../core/caller.ts'

/** The kind of value that a member of an expectation accepts. An array lists the accepted words. */
export type MemberKind = NamedKind | readonly string[]
type NamedKind = 'text' | 'count' | 'share' | 'milliseconds' | 'moment' | 'texts' | 'pattern' | 'patterns'

/**
 * Refuses an expectation with unknown members or wrong values, which would otherwise fail without saying why.
 *
 * @param known  The members, and the kind of each.
 * @param what  The subject of the message, such as `Pictures of a mail`.
 * @throws UsageError, a TypeError that names the value, what is accepted instead, and a similar name if there is one.
 */
export function assertExpectation(
  expectation: unknown,
  known: Readonly<Record<string, MemberKind>>,
  what: string,
): void {
  const names = Object.keys(known)
  if (!isPlainObject(expectation))
    throw new UsageError(
      `${what} is described by an object with some of ${names.join(', ')}, not by ${say(expectation)}.`,
    )
  for (const [name, value] of Object.entries(expectation)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) {
      const meant = suggest(name, names)
      const hint = meant ? `Did you mean ${JSON.stringify(meant)}?` : `It takes ${names.join(', ')}.`
      throw new UsageError(`${what} has no member ${JSON.stringify(name)}. ${hint}`)
    }
    if (value === undefined)
      throw new UsageError(`${what}: ${name} is undefined. Leave it out, or give it a value.`)
    if (value === '')
      throw new UsageError(
        `${what}: ${name} matches everything because it is empty. Leave it out to match everything.`,
      )
    if (takes(kind, value)) continue
    const fault = `${name} takes ${sayKind(kind)}, not ${say(value)}.`
    throw new UsageError(`${what}: ${fault}${hintFor(kind, value)}`)
  }
}

/** Options of a check, apart from its expectation. */
export interface CheckOptions {
  /** The same as `timeoutMs` of the expectation. */
  timeoutMs?: number
}

/**
 * An expectation together with the options of the check.
 *
 * @param check  Its name, as in `assertSent`.
 * @throws UsageError for an unknown option, for a wrong value, and if both contain `timeoutMs`.
 */
export function withOptions<Expectation extends CheckOptions>(
  expectation: Expectation | undefined,
  options: CheckOptions | undefined,
  check: string,
): Expectation | CheckOptions | undefined {
  if (options === undefined) return expectation
  const what = `The options of ${check}`
  assertExpectation(options, { timeoutMs: 'milliseconds' }, what)
  if (expectation === undefined) return options
  // The check itself refuses a value that is not an object, and its message lists what it accepts.
  if (!isPlainObject(expectation)) return expectation
  if (expectation.timeoutMs !== undefined && options.timeoutMs !== undefined)
    throw new UsageError(`${what}: timeoutMs is in the expectation too. Give it only once.`)
  return { ...expectation, ...options }
}

/** Refuses what is neither text nor pattern. @throws TypeError. */
export function assertPattern(value: unknown, what: string): void {
  if (value === '')
    throw new UsageError(`${what} matches everything because it is empty. Leave it out to match everything.`)
  if (!isPattern(value)) throw new UsageError(`${what} takes ${sayKind('pattern')}, not ${say(value)}.`)
}

/** What each kind accepts, and how messages call it. */
const kinds: Readonly<Record<NamedKind, { takes: (value: unknown) => boolean; words: string }>> = {
  text: { takes: isText, words: 'a text' },
  count: {
    takes: (value) => isNotNegative(value) && Number.isInteger(value),
    words: 'a whole number from 0',
  },
  share: { takes: (value) => isNotNegative(value) && value <= 1, words: 'a number from 0 to 1' },
  milliseconds: { takes: isNotNegative, words: 'a number of milliseconds from 0' },
  moment: { takes: isMoment, words: 'a Date or the id of a mail, which inbox.mark() gives' },
  texts: { takes: (value) => Array.isArray(value) && value.every(isText), words: 'an array of texts' },
  pattern: { takes: isPattern, words: 'a text or a regular expression' },
  patterns: {
    takes: (value) => Array.isArray(value) && value.every((one) => one !== '' && isPattern(one)),
    words: 'an array of texts and regular expressions',
  },
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNotNegative(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

function isPattern(value: unknown): boolean {
  return isText(value) || isRegExp(value)
}

function takes(kind: MemberKind, value: unknown): boolean {
  return typeof kind === 'object' ? isText(value) && kind.includes(value) : kinds[kind].takes(value)
}

function hintFor(kind: MemberKind, value: unknown): string {
  if (kind === 'pattern' && Array.isArray(value)) return ' Check each of them separately.'
  const meant = typeof kind === 'object' && typeof value === 'string' ? suggest(value, kind) : undefined
  return meant ? ` Did you mean ${JSON.stringify(meant)}?` : ''
}

function sayKind(kind: MemberKind): string {
  return typeof kind === 'object' ? `one of ${kind.join(', ')}` : kinds[kind].words
}

function say(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return isRegExp(value) || value instanceof Date ? String(value) : quote(value)
}
