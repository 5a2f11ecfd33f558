import { quote } from '../core/quote.ts'
import type { LocalpostError } from '../core/errors.ts'
import { foldText } from '../core/fold-text.ts'
import { suggest } from '../core/suggest.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Where } from '../store/queries.ts'
import { headTerm, type HeadTerm } from './head-rows.ts'
import type { MessageTest } from './message-fields.ts'
import { contains, normalForms, spellingsOf } from './query-fits.ts'
import { type QueryKeyName, queryKeys } from './query-keys.ts'
import { dateForms, readDate, readSize, sizeForms } from './query-values.ts'
import type { HeadMember } from './searchable.ts'
import { rowTerm, type RowTerm } from './row-terms.ts'

/** One part of a query: exactly one of `where`, `test`, `row` and `message` decides; `message` may narrow with `where`. */
export interface QueryPart {
  where?: Where
  test?: (email: EmailRecord) => boolean
  message?: MessageTest
  row?: RowTerm
  /** A necessary condition of each match, as a term for the heads of mails: `where` itself, or a part of `test`. */
  head?: HeadTerm
  needsDigests?: boolean
}

/** Makes the error of a term, with its position. */
export type Fault = (what: string) => LocalpostError

/** A part `key:value`. */
interface KeyedTerm {
  /** In lower case. */
  name: string
  value: string
  /** The value in lower case. */
  lower: string
  now: number
  isNegative: boolean
  fault: Fault
}

/** Reads a part `key:value`. @throws invalid_query */
export function readKeyed(term: KeyedTerm): QueryPart {
  const { name, value, lower, fault } = term
  const key = queryKeys.find((one) => one.name === name)
  if (!key) {
    const names = queryKeys.map((one) => one.name)
    const near = suggest(name, names)
    const hint = near ? ` Did you mean ${near}:?` : ''
    const keys = `Keys are ${names.join(', ')}.`
    throw fault(`${quote(`${name}:`)} is not a key.${hint} ${keys} Quote text that has a colon.`)
  }
  if (key.values && !key.values.includes(lower))
    throw fault(`${name}: takes ${key.values.join(', ')}, not ${quote(value)}.`)
  return keyReaders[key.name](term)
}

// Each id is looked for in every mail.
const maxIds = 500

/** What each of {@link queryKeys} asks for. */
const keyReaders: Readonly<Record<QueryKeyName, (term: KeyedTerm) => QueryPart>> = {
  from: (term) => inAddresses(term, 'from', ['from']),
  to: (term) => inAddresses(term, 'to', ['to', 'to_names', ...ccMembers, 'bcc', 'bcc_names']),
  cc: (term) => inAddresses(term, 'cc', ccMembers),
  subject: (term) => ({
    ...inStore(term, { member: 'subject', contains: term.value }),
    head: headTerm('subject', [term.value], term),
  }),
  body: (term) => ({ row: rowTerm(term.value, 'body', term) }),
  domain: (term) => {
    const names = spellingsOf(term.lower).map((equals) => ({ text: 'sender domain', equals }))
    return inStore(term, { any: [{ text: 'domain id', equals: term.value }, ...names] })
  },
  'reply-to': (term) => inStore(term, addressed(['reply_to'], term.value)),
  'message-id': ({ lower, isNegative }) => {
    const sought = lower.replace(/^<|>$/g, '')
    const has = ({ message }: EmailRecord): boolean =>
      message !== null && contains(message.message_id, sought)
    return { test: (email) => has(email) !== isNegative }
  },
  header: ({ value, lower, isNegative, fault }) => {
    const test = headerTest(lower)
    if (test === null) throw fault(`header: takes a name, or name=text, not ${quote(value)}.`)
    return { message: isNegative ? (fields) => !test(fields) : test }
  },
  filename: ({ value, isNegative }) => {
    const test: MessageTest = ({ filenames }) => filenames.some((name) => name.includes(foldText(value)))
    if (isNegative) return { message: (fields) => !test(fields) }
    return { message: test, where: { flag: 'attachments' }, needsDigests: true }
  },
  trace: (term) => {
    if (!/^[\da-f]{32}$/.test(term.lower))
      throw term.fault(`trace: takes the id of a trace, 32 hexadecimal digits, not ${quote(term.value)}.`)
    return inStore(term, { member: 'trace_id', equals: term.lower })
  },
  id: (term) => {
    const ids = [...new Set(term.value.split(','))]
    if (ids.length > maxIds) throw term.fault(`id: has ${ids.length} ids; it takes up to ${maxIds}.`)
    return inStore(term, { any: ids.map((id) => ({ member: 'id', equals: id })) })
  },
  status: (term) => inStore(term, { flag: term.lower }),
  type: (term) => inStore(term, { flag: term.lower }),
  source: (term) => inStore(term, { flag: term.lower }),
  broadcast: (term) => inStore(term, { all: [{ flag: 'broadcast' }, { text: 'tag', equals: term.lower }] }),
  tag: (term) => inStore(term, tagged(term.lower)),
  has: ({ isNegative }) => {
    // The number of attachments of a message that was not read yet is not known, so it matches neither.
    return { where: { flag: isNegative ? 'no attachments' : 'attachments' }, needsDigests: true }
  },
  is: (term) => inStore(term, term.lower === 'unread' ? { flag: 'unread' } : { not: { flag: 'unread' } }),
  before: (term) => inStore(term, { number: 'created', below: dateOf(term) }),
  after: (term) => inStore(term, { not: { number: 'created', below: dateOf(term) } }),
  larger: (term) => inStore(term, { number: 'size', above: sizeOf(term) }),
  smaller: (term) => inStore(term, { number: 'size', below: sizeOf(term) }),
}

function inStore({ isNegative }: KeyedTerm, where: Where): QueryPart {
  return { where: isNegative ? { not: where } : where }
}

function inAddresses(term: KeyedTerm, member: HeadMember, recordMembers: readonly string[]): QueryPart {
  const head = headTerm(member, spellingsOf(term.value), term)
  return { ...inStore(term, addressed(recordMembers, term.value)), head }
}

function dateOf({ name, value, now, fault }: KeyedTerm): number {
  const time = readDate(value, now)
  if (time === null) throw fault(`${name}: takes ${dateForms}, not ${quote(value)}.`)
  return time
}

function sizeOf({ name, value, fault }: KeyedTerm): number {
  const bytes = readSize(value)
  if (bytes === null) throw fault(`${name}: takes ${sizeForms}, not ${quote(value)}.`)
  return bytes
}

/** A field of this name, or one that has the text after `=`; null if there is no name. */
function headerTest(wanted: string): MessageTest | null {
  const [, name, sought] = /^([^\s:=]+)(?:=(.*))?$/s.exec(wanted) ?? []
  if (name === undefined) return null
  const text = foldText(sought ?? '')
  return ({ headers }) => headers.some(([field, value]) => field === name && value.includes(text))
}

/** Mail with a tag, given in lower case. */
export function tagged(tag: string): Where {
  return { any: normalForms([tag]).map((equals) => ({ text: 'tag', equals })) }
}

const ccMembers = ['cc', 'cc_names']

function addressed(members: readonly string[], value: string): Where {
  const forms = new Set(spellingsOf(value).map(foldText))
  return { any: [...forms].flatMap((contains) => members.map((member) => ({ member, contains }))) }
}
