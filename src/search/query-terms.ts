import type { EmailRecord } from '../emails/email.ts'
import { LocalpostError, quote, shorten } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'
import type { Where } from '../store/queries.ts'
import { contains, normalForms, spellingsOf } from './query-fits.ts'
import { queryKeys } from './query-keys.ts'
import type { MailQuery } from './query-members.ts'
import { dateForms, readDate, readSize, sizeForms } from './query-values.ts'
import { foldSpace } from '../core/text.ts'
import { foldText } from '../core/fold-text.ts'
import type { MessageTest } from './message-fields.ts'
import { headTerm, type HeadTerm } from './head-rows.ts'
import { rowTerm, type RowTerm } from './text-rows.ts'
import type { HeadMember } from './searchable.ts'

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

/**
 * Splits a query string into words, `"phrases"` and `key:value`. A `-` in front negates a part. In a phrase, `\"` is a
 * quotation mark and `\\` a backslash.
 *
 * @throws invalid_query with the position.
 */
export function readTerms(text: string, now: number): QueryPart[] {
  if (text.length > maxQueryLength) {
    const message = `The query has ${text.length} characters; it may have up to ${maxQueryLength}.`
    throw new LocalpostError('invalid_query', message)
  }
  const matches = [...text.matchAll(form)]
  if (matches.length > maxTerms) {
    const message = `The query has ${matches.length} parts; it may have up to ${maxTerms}.`
    throw new LocalpostError('invalid_query', message)
  }
  return matches.flatMap((match): QueryPart | [] => {
    const [, minus, key, field = '', phrase, close, word] = match
    const fault: Fault = (what) => {
      const at = match.index ?? 0
      const before = at > 30 ? `…${text.slice(at - 30, at)}` : text.slice(0, at)
      // The arrow is placed before the position.
      const place = `at character ${at + 1}: ${before}→${shorten(text.slice(at), 60)}`
      return new LocalpostError('invalid_query', `${what} (${place})`)
    }
    if (phrase !== undefined && close === '') throw fault('The quote is not closed.')
    const value = field + (phrase?.replaceAll(/\\(["\\])/g, '$1') ?? word ?? '')
    const isNegative = minus === '-'
    // Empty quotes, which appear while a person types, are ignored.
    const isEmpty = foldText(value) === ''
    if (key === undefined) return isEmpty ? [] : { row: rowTerm(value, 'all', { isNegative }) }
    const name = key.toLowerCase()
    if (isEmpty) throw fault(`${name}: has no value.`)
    return keyed(name, value, { now, isNegative, fault })
  })
}

/** The recipient that a query names as a text, with `to:` in a query string; undefined if it names none. */
export function recipientIn(query: MailQuery | undefined): string | undefined {
  if (typeof query === 'object') return typeof query.to === 'string' ? query.to : undefined
  const [, phrase, word] = /(?:^|\s)to:(?:"([^"]{1,320})"|([^\s"]{1,320}))/i.exec(query ?? '') ?? []
  return phrase ?? word
}

// Each part is looked for in every mail, and so is each id.
const maxTerms = 100
const maxIds = 500
/** How many characters a query may have. */
export const maxQueryLength = 20_000
// A hyphen belongs to a key only where a key has one: `pre-order:7` is a word. After `header:name=` there may be a quote.
const form =
  /(-?)(?:(reply-to|message-id|[a-z_]+):)?((?<=header:)[^\s":=]+=(?="))?(?:"((?:\\["\\]|[^"])*)("?)|([^\s"]+)|(?<=:)(?=\s|$))/gi

type Fault = (what: string) => LocalpostError

interface Context {
  now: number
  isNegative: boolean
  fault: Fault
}

function keyed(name: string, value: string, context: Context): QueryPart {
  const { now, isNegative, fault } = context
  const known = queryKeys.find((key) => key.name === name)
  if (!known) {
    const names = queryKeys.map((key) => key.name)
    const near = suggest(name, names)
    const hint = near ? ` Did you mean ${near}:?` : ''
    const keys = `Keys are ${names.join(', ')}.`
    throw fault(`${quote(`${name}:`)} is not a key.${hint} ${keys} Quote text that has a colon.`)
  }
  const wanted = value.toLowerCase()
  if (known.values && !known.values.includes(wanted)) {
    throw fault(`${name}: takes ${known.values.join(', ')}, not ${quote(value)}.`)
  }
  const store = (where: Where): QueryPart => ({ where: isNegative ? { not: where } : where })
  const heads = (member: HeadMember, forms: string[]): Pick<QueryPart, 'head'> => ({
    head: headTerm(member, forms, { isNegative }),
  })
  const date = (): number => {
    const time = readDate(value, now)
    if (time === null) throw fault(`${name}: takes ${dateForms}, not ${quote(value)}.`)
    return time
  }
  const size = (): number => {
    const bytes = readSize(value)
    if (bytes === null) throw fault(`${name}: takes ${sizeForms}, not ${quote(value)}.`)
    return bytes
  }
  switch (name) {
    case 'subject':
      return { ...store({ member: name, contains: value }), ...heads(name, [value]) }
    case 'from':
    case 'cc':
      return {
        ...store(addressed(name === 'cc' ? ccMembers : [name], value)),
        ...heads(name, spellingsOf(value)),
      }
    case 'to':
      return { ...store(addressed(recipientMembers, value)), ...heads(name, spellingsOf(value)) }
    case 'reply-to':
      return store(addressed(['reply_to'], value))
    case 'message-id': {
      const sought = wanted.replace(/^<|>$/g, '')
      const has = ({ message }: EmailRecord): boolean =>
        message !== null && contains(message.message_id, sought)
      return { test: (email) => has(email) !== isNegative }
    }
    case 'header': {
      const test = headerTest(wanted)
      if (test === null) throw fault(`header: takes a name, or name=text, not ${quote(value)}.`)
      return { message: isNegative ? (fields) => !test(fields) : test }
    }
    case 'filename': {
      const test: MessageTest = ({ filenames }) => filenames.some((name) => name.includes(foldText(value)))
      if (isNegative) return { message: (fields) => !test(fields) }
      return { message: test, where: { flag: 'attachments' }, needsDigests: true }
    }
    case 'body':
      return { row: rowTerm(value, 'body', { isNegative }) }
    case 'domain': {
      const names = spellingsOf(wanted)
      const any: Where[] = names.map((equals) => ({ text: 'sender domain', equals }))
      return store({ any: [{ text: 'domain id', equals: value }, ...any] })
    }
    case 'id': {
      const ids = [...new Set(value.split(','))]
      if (ids.length > maxIds) throw fault(`id: has ${ids.length} ids; it takes up to ${maxIds}.`)
      return store({ any: ids.map((id) => ({ member: 'id', equals: id })) })
    }
    case 'trace':
      if (!/^[\da-f]{32}$/.test(wanted))
        throw fault(`trace: takes the id of a trace, 32 hexadecimal digits, not ${quote(value)}.`)
      return store({ member: 'trace_id', equals: wanted })
    case 'status':
    case 'type':
    case 'source':
      return store({ flag: wanted })
    case 'broadcast':
      return store({ all: [{ flag: 'broadcast' }, { text: 'tag', equals: wanted }] })
    case 'tag':
      return store(tagged(wanted))
    case 'has': {
      // The number of attachments of a message that was not read yet is not known, so it matches neither.
      return { where: { flag: isNegative ? 'no attachments' : 'attachments' }, needsDigests: true }
    }
    case 'is':
      return store(wanted === 'unread' ? { flag: 'unread' } : { not: { flag: 'unread' } })
    case 'before':
      return store({ number: 'created', below: date() })
    case 'after':
      return store({ not: { number: 'created', below: date() } })
    case 'larger':
      return store({ number: 'size', above: size() })
    case 'smaller':
      return store({ number: 'size', below: size() })
    default:
      throw fault(`${quote(foldSpace(name))} is not a key.`)
  }
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
const recipientMembers = ['to', 'to_names', ...ccMembers, 'bcc', 'bcc_names']

function addressed(members: readonly string[], value: string): Where {
  const forms = new Set(spellingsOf(value).map(foldText))
  return { any: [...forms].flatMap((contains) => members.map((member) => ({ member, contains }))) }
}
