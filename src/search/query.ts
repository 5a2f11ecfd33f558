import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { assertQueryMembers, cameAfter, type MailQuery, type MailQueryMembers } from './query-members.ts'
import type { Where } from '../store/queries.ts'
import { compileWhere, isOnFacts } from '../store/where.ts'
import { addressTest, addressTexts, contains, nameTest, normalForms, withoutState } from './query-fits.ts'
import { type QueryPart, tagged } from './query-readers.ts'
import { readTerms } from './query-terms.ts'
import { headTerm, type HeadTerm } from './head-rows.ts'
import type { MessageTest } from './message-fields.ts'
import { type HeadMember, searchableHead } from './searchable.ts'
import { rowTerm, type RowTerm } from './row-terms.ts'

/** A parsed query: its conditions for the store, for the record, and for the text of the mail. */
export interface MailFilter {
  where: Where | undefined
  /** A further condition on the record; null if there is none. */
  test: ((email: EmailRecord) => boolean) | null
  /** The terms that the rows of the text column decide. */
  rows: readonly RowTerm[]
  /** The conditions that the heads of mails decide; `where` or `test` contain them too. */
  heads: readonly HeadTerm[]
  /** The conditions that facts decide; `where` contains them too. */
  facts: Where | null
  /** Whether rows or heads, and facts, decide everything, so that no record needs to be read. */
  isByRows: boolean
  /** Only mails with greater ids match; null if this is not limited. */
  newerThan: string | null
  /** The terms that only the message itself decides; may be empty. */
  messages: readonly MessageTest[]
  /** The term that only the unfolded text decides; null if there is none. */
  bodyForm: RegExp | null
  accepts(email: EmailRecord): boolean
  /** How many parts of the query match a record, to find the mails that nearly match. */
  held(email: EmailRecord): number
  /** Whether it has terms that can only be decided by reading the message. */
  needsDigests: boolean
  /** Whether it is empty, so that every mail matches that is not hidden. */
  isOpen: boolean
  /** The mails that never match; `where` excludes them too. */
  hidden: ReadonlySet<string>
}

/**
 * Reads a query; `docs/guides/search.md` says how one is written.
 *
 * @param now  The time from which relative dates count: Unix time in milliseconds.
 * @throws invalid_query with the position.
 */
export function parseMailQuery(query: MailQuery | undefined, now: number): MailFilter {
  if (query === undefined) return toFilter([])
  return typeof query === 'string' ? toFilter(readTerms(query, now)) : fromMembers(query)
}

/** Joins the parts of a query, all of which a mail must match. @param further  Conditions that no part can express. */
function toFilter(
  parts: readonly QueryPart[],
  { bodyForm = null, newerThan = null }: { bodyForm?: RegExp | null; newerThan?: string | null } = {},
): MailFilter {
  const wheres = parts.flatMap(({ where }) => where ?? [])
  const tests = parts.flatMap(({ test }) => test ?? [])
  const rows = parts.flatMap(({ row }) => row ?? [])
  const messages = parts.flatMap(({ message }) => message ?? [])
  const where = wheres.length > 0 ? { all: wheres } : undefined
  const onFacts = wheres.filter((one) => isOnFacts(one))
  const { facts } = emailCollection
  const condition = where && compileWhere(where, facts)
  const checks = [
    ...wheres.map((one) => compileWhere(one, facts)),
    ...tests,
    ...rows.map((row) => (email: EmailRecord) => headHolds(email, row)),
  ]
  return {
    where,
    test: tests.length > 0 ? (email) => tests.every((test) => test(email)) : null,
    rows,
    heads: parts.flatMap(({ head }) => head ?? []),
    facts: onFacts.length > 0 ? { all: onFacts } : null,
    isByRows:
      parts.some(({ row, head }) => row || head) &&
      parts.every(({ row, head, where, test }) => !test && (row || head || (where && isOnFacts(where)))) &&
      messages.length === 0 &&
      bodyForm === null,
    newerThan,
    messages,
    bodyForm,
    accepts: (email) => (condition?.(email) ?? true) && tests.every((test) => test(email)),
    held: (email) => checks.filter((check) => check(email)).length,
    needsDigests: parts.some(({ needsDigests }) => needsDigests),
    isOpen: parts.length === 0 && bodyForm === null,
    hidden: none,
  }
}

/** The same filter, which these mails never match. */
export function without(filter: MailFilter, hidden: ReadonlySet<string>): MailFilter {
  if (hidden.size === 0) return filter
  const others = notAmong(hidden)
  return {
    ...filter,
    where: filter.where ? { all: [filter.where, others] } : others,
    isByRows: false,
    accepts: (email) => !hidden.has(email.id) && filter.accepts(email),
    hidden,
  }
}

export function notAmong(ids: ReadonlySet<string>): Where {
  return { not: { any: [...ids].map((id) => ({ member: 'id', equals: id })) } }
}

const none: ReadonlySet<string> = new Set()

// Near misses are compared by their records only. No text is read for them.
function headHolds(email: EmailRecord, { bytes, in: place, isNegative }: RowTerm): boolean {
  return place !== 'body' && searchableHead(email).includes(bytes.toString()) !== isNegative
}

function fromMembers(query: MailQueryMembers): MailFilter {
  assertQueryMembers(query)
  const { to, cc, from, subject, tag, id, after } = query
  const body = query.text ?? query.body
  const parts: QueryPart[] = []
  if (to !== undefined) parts.push(addressPart('to', to, recipientsOf))
  if (cc !== undefined) parts.push(addressPart('cc', cc, ({ cc, cc_names = [] }) => [cc, cc_names]))
  if (from !== undefined) parts.push(addressPart('sender', from, sendersOf))
  if (typeof subject === 'string')
    parts.push({ ...among('subject', [subject]), where: { member: 'subject', contains: subject } })
  else if (subject) parts.push({ test: (email) => contains(email.subject, subject) })
  if (typeof tag === 'string') parts.push({ where: tagged(tag.toLowerCase()) })
  else if (tag) parts.push({ test: (email) => email.tags.some((one) => isTag(one, tag)) })
  if (id !== undefined) parts.push({ where: { member: 'id', equals: id } })
  if (after instanceof Date) parts.push({ where: { not: { number: 'created', below: after.getTime() } } })
  else if (after !== undefined) parts.push({ test: cameAfter(after) })
  if (typeof body === 'string') parts.push({ row: rowTerm(body, 'body') })
  const bodyForm = body instanceof RegExp ? withoutState(body) : null
  return toFilter(parts, { bodyForm, newerThan: typeof after === 'string' ? after : null })
}

/** Addresses of a mail, and the names beside them. */
type People = [addresses: readonly string[], names: readonly string[]]

function recipientsOf({ to, to_names = [], cc, cc_names = [], bcc, bcc_names = [] }: EmailRecord): People {
  const names = [...to_names, ...cc_names, ...bcc_names]
  return [[...to, ...cc, ...bcc], names]
}

const sendersOf = ({ from, envelope }: EmailRecord): People => [[from, envelope.mail_from], []]

/** A part that one of the addresses of a mail matches, or one of the names. */
function addressPart(
  member: HeadMember,
  wanted: string | RegExp,
  of: (email: EmailRecord) => People,
): QueryPart {
  const [holds, isNamed] = [addressTest(wanted), nameTest(wanted)]
  const test = (email: EmailRecord): boolean => {
    const [addresses, names] = of(email)
    return addresses.some(holds) || names.some(isNamed)
  }
  return { ...among(member, addressTexts(wanted)), test }
}

/** A necessary condition of each match: a member contains one of these texts. The record decides whether it is a match. */
function among(member: HeadMember, texts: readonly string[] | null): Pick<QueryPart, 'head'> {
  return texts ? { head: headTerm(member, texts) } : {}
}

export function isTag(tag: string, wanted: string | RegExp): boolean {
  if (typeof wanted === 'string') return normalForms([wanted.toLowerCase()]).includes(tag.toLowerCase())
  return withoutState(wanted).test(tag)
}
