import { isRegExp } from 'node:util/types'
import { quote } from '../core/errors.ts'
import { presentName } from '../core/known-options.ts'
import { suggest } from '../core/suggest.ts'
import { isMoment, isPlainObject } from '../search/query-members.ts'

/** What a member of an expectation takes: text or pattern, text, a number of a kind, a point in time, or one of some words. */
export type MemberKind = 'pattern' | 'text' | 'count' | 'milliseconds' | 'moment' | readonly string[]

/**
 * Refuses an expectation that asks for what is not known or cannot be: it would fail, and not say why.
 *
 * @param known  The members, and what each takes.
 * @param what  Whose expectation it is, as the message names it.
 * @throws TypeError with the value, what is taken, and the nearest where there is one.
 */
export function assertExpectation(
  expectation: unknown,
  known: Readonly<Record<string, MemberKind>>,
  what: string,
): void {
  const names = Object.keys(known)
  if (!isPlainObject(expectation))
    throw new TypeError(
      `${what} is described by an object with some of ${names.join(', ')}, not by ${say(expectation)}.`,
    )
  for (const [name, value] of Object.entries(expectation)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) {
      const present = presentName(name, names)
      if (present) throw new TypeError(`${what}: "${name}" is called "${present}" now.`)
      const meant = suggest(name, names)
      const hint = meant ? `Did you mean ${JSON.stringify(meant)}?` : `It takes ${names.join(', ')}.`
      throw new TypeError(`${what} has no member ${JSON.stringify(name)}. ${hint}`)
    }
    if (value === undefined)
      throw new TypeError(`${what}: ${name} is undefined. Leave it out, or give it a value.`)
    if (value === '')
      throw new TypeError(`${what}: ${name} is empty, which anything fits. Leave it out for any.`)
    if (takes(kind, value)) continue
    const meant = typeof kind === 'object' && typeof value === 'string' ? suggest(value, kind) : undefined
    const hint = meant ? ` Did you mean ${JSON.stringify(meant)}?` : ''
    const each = kind === 'pattern' && Array.isArray(value) ? ' Ask for each on its own.' : ''
    throw new TypeError(`${what}: ${name} takes ${sayKind(kind)}, not ${say(value)}.${hint}${each}`)
  }
}

/** Refuses what is neither text nor pattern. @throws TypeError. */
export function assertPattern(value: unknown, what: string): void {
  if (value === '') throw new TypeError(`${what} is empty, which anything fits. Leave it out for any.`)
  if (!takes('pattern', value)) throw new TypeError(`${what} takes ${sayKind('pattern')}, not ${say(value)}.`)
}

function takes(kind: MemberKind, value: unknown): boolean {
  if (typeof kind === 'object') return typeof value === 'string' && kind.includes(value)
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'count') return typeof value === 'number' && Number.isInteger(value) && value >= 0
  if (kind === 'milliseconds') return typeof value === 'number' && value >= 0
  if (kind === 'moment') return isMoment(value)
  return typeof value === 'string' || isRegExp(value)
}

function sayKind(kind: MemberKind): string {
  if (typeof kind === 'object') return `one of ${kind.join(', ')}`
  return {
    text: 'a text',
    count: 'a whole number from 0',
    moment: 'a Date or the id of a mail, which inbox.mark() gives',
    milliseconds: 'a number of milliseconds from 0',
    pattern: 'a text or a regular expression',
  }[kind]
}

function say(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return isRegExp(value) || value instanceof Date ? String(value) : quote(value)
}
