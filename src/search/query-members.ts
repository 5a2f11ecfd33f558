import { invalidOption, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isId } from '../core/ids.ts'
import { isPlainObject } from '../core/members.ts'
import { foldText } from '../core/fold-text.ts'
import { suggest } from '../core/suggest.ts'
import type { EmailRecord } from '../emails/email.ts'

/** A search: a query string, or an object of members. */
export type MailQuery = string | MailQueryMembers

/** A search by members. A RegExp is compared with the member as written. */
export interface MailQueryMembers {
  /** Also Cc and Bcc. A whole address names one mailbox; other text may be anywhere, also in a display name. */
  to?: string | RegExp
  /** A recipient of the Cc field, in the same forms as `to`. */
  cc?: string | RegExp
  /** The sender, of the From field or the envelope, in the same forms as `to`. */
  from?: string | RegExp
  /** A part of the subject, in upper or lower case, or a pattern. */
  subject?: string | RegExp
  /** The beginning of the text, white space folded: what searches look at. */
  text?: string | RegExp
  /** The same as `text`. */
  body?: string | RegExp
  tag?: string | RegExp
  id?: string
  /** Only mail that arrived after a mark of `inbox.mark()`, after the mail with this id, or not before this time. */
  after?: Date | string
}

type MemberNames = readonly (keyof MailQueryMembers)[]
/** All members of {@link MailQueryMembers}; a test checks that none is missing. */
export const queryMembers: MemberNames = ['to', 'cc', 'from', 'subject', 'text', 'body', 'tag', 'id', 'after']

/**
 * Refuses an object of members that would match every mail or none by mistake.
 *
 * @throws invalid_query with the value and what is accepted instead.
 */
export function assertQueryMembers(query: unknown): void {
  if (!isPlainObject(query)) {
    throw refusal(
      `A query is a text such as "to:ada@example.com", or an object with some of ${queryMembers.join(', ')}; it is ${say(query)}. Leave it out for any mail.`,
    )
  }
  for (const [name, value] of Object.entries(query)) {
    if (name === 'timeoutMs')
      throw refusal('timeoutMs is not a member of a query but an option: waitFor(query, { timeoutMs }).')
    if (!queryMembers.some((one) => one === name)) {
      const near = suggest(name, queryMembers)
      const hint = near ? `Did you mean ${near}?` : `Use ${queryMembers.join(', ')}.`
      throw refusal(`${quote(name)} is not a member of a query. ${hint}`)
    }
    if (value === undefined) throw refusal(`${name} is undefined. Leave it out, or give it a value.`)
    if (typeof value === 'string' && foldText(value) === '')
      throw refusal(`${name} is empty, so it matches every mail. Leave it out instead.`)
    if (name === 'after') assertAfter(value)
    else if (name === 'id') {
      if (typeof value !== 'string') throw refusal(`id is ${say(value)}; it takes the id of a mail.`)
    } else if (typeof value !== 'string' && !(value instanceof RegExp))
      throw refusal(`${name} is ${say(value)}; it takes a string or a RegExp.`)
  }
  if ('text' in query && 'body' in query) throw refusal('text and body are the same; give one of them.')
}

/** Refuses a value that is neither a time nor the id of a mail. @throws invalid_query */
export function assertAfter(after: unknown): asserts after is Date | string {
  if (isMoment(after)) return
  throw refusal(`after is ${say(after)}; it takes a Date, or the id of a mail, which inbox.mark() gives.`)
}

/** Whether a value is a time, or the id of a mail, which contains a time. */
export function isMoment(value: unknown): value is Date | string {
  if (typeof value === 'string') return isId('em', value)
  return value instanceof Date && !Number.isNaN(value.getTime())
}

/** Whether an email came later than another one, by its id, or not before a time. */
export function cameAfter(after: Date | string): (email: Pick<EmailRecord, 'id' | 'created'>) => boolean {
  return typeof after === 'string' ? ({ id }) => id > after : ({ created }) => created >= after.getTime()
}

const refusal = (message: string): LocalpostError => new LocalpostError('invalid_query', message)

function say(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return value instanceof RegExp || value instanceof Date
    ? `${value.constructor.name} ${String(value)}`
    : quote(value)
}

/**
 * Refuses an argument of `inbox.removeAll()`: from JavaScript, a query would remove all mail instead of its matches.
 *
 * @throws invalid_option
 */
export function assertRemovesAll(given: readonly unknown[]): void {
  if (given.length === 0) return
  const message = `inbox.removeAll() takes no arguments, not ${quote(given[0])}. inbox.removeMatching(query) removes the matches of a query.`
  throw invalidOption(message)
}
