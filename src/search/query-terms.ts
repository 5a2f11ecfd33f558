import { LocalpostError } from '../core/errors.ts'
import { foldText } from '../core/fold-text.ts'
import { shorten } from '../core/quote.ts'
import type { MailQuery } from './query-members.ts'
import { type Fault, type QueryPart, readKeyed } from './query-readers.ts'
import { rowTerm } from './row-terms.ts'

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
  const terms = [...termsOf(text)]
  if (terms.length > maxTerms) {
    const message = `The query has ${terms.length} parts; it may have up to ${maxTerms}.`
    throw new LocalpostError('invalid_query', message)
  }
  return terms.flatMap(({ at, isNegative, key, value, isClosed }): QueryPart | [] => {
    const fault: Fault = (what) => {
      const before = at > 30 ? `…${text.slice(at - 30, at)}` : text.slice(0, at)
      // The arrow is placed before the position.
      const place = `at character ${at + 1}: ${before}→${shorten(text.slice(at), 60)}`
      return new LocalpostError('invalid_query', `${what} (${place})`)
    }
    if (!isClosed) throw fault('The quote is not closed.')
    // Empty quotes, which appear while a person types, are ignored.
    const isEmpty = foldText(value) === ''
    if (key === undefined) return isEmpty ? [] : { row: rowTerm(value, 'all', { isNegative }) }
    const name = key.toLowerCase()
    if (isEmpty) throw fault(`${name}: has no value.`)
    return readKeyed({ name, value, lower: value.toLowerCase(), now, isNegative, fault })
  })
}

/** The recipient that a query names as a text, with `to:` in a query string; undefined if it names none. */
export function recipientIn(query: MailQuery | undefined): string | undefined {
  if (typeof query === 'object') return typeof query.to === 'string' ? query.to : undefined
  for (const { key, isNegative, value } of termsOf(query ?? ''))
    if (key?.toLowerCase() === 'to' && !isNegative && value !== '' && value.length <= maxRecipientLength)
      return value
  return undefined
}

/** A part of a query string as it is written. */
interface WrittenTerm {
  /** Its position in the query. */
  readonly at: number
  readonly isNegative: boolean
  /** The key before a colon; undefined for words and phrases. */
  readonly key: string | undefined
  readonly value: string
  readonly isClosed: boolean
}

function* termsOf(text: string): Generator<WrittenTerm> {
  for (const { index: at, groups = {} } of text.matchAll(form)) {
    const { minus, key, field = '', phrase, close, word = '' } = groups
    const value = field + (phrase?.replaceAll(/\\(["\\])/g, '$1') ?? word)
    yield { at, isNegative: minus === '-', key, value, isClosed: close !== '' }
  }
}

// Each part is looked for in every mail.
const maxTerms = 100
/** What is longer is no address. */
const maxRecipientLength = 320
/** How many characters a query may have. */
export const maxQueryLength = 20_000
// A hyphen belongs to a key only where a key has one: `pre-order:7` is a word. After `header:name=` there may be a quote. A key
// may have no value. `close` is undefined without a phrase, and empty if its quote is not closed.
const form =
  /(?<minus>-?)(?:(?<key>reply-to|message-id|[a-z_]+):)?(?<field>(?<=header:)[^\s":=]+=(?="))?(?:"(?<phrase>(?:\\["\\]|[^"])*)(?<close>"?)|(?<word>[^\s"]+)|(?<=:)(?=\s|$))/gi
