import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { quotedString } from '../../core/text.ts'
import { queryDateForms, readQueryDate } from './query-dates.ts'

/**
 * Translates a search of Mailpit into one of the inbox.
 *
 * @param search  As Mailpit reads it: words, `"phrases"` and `key:value` between spaces, each with `-` or `!` before it
 *   for its opposite; quotation marks may stand anywhere.
 * @param zone  The IANA name of the time zone of `before:` and `after:`. Default: that of this process.
 * @throws invalid_query for an empty search, and for what the inbox cannot search for, with what it can.
 */
export function toInboxQuery(search: string, zone?: string): string {
  if (search.length > maxSearchLength)
    throw refused(`The search has ${search.length} characters; it may have up to ${maxSearchLength}.`)
  const parts = splitSearch(search).flatMap((part) => toTerm(part, zone) ?? [])
  if (parts.length === 0) throw refused('Error: no search query')
  return parts.join(' ')
}

/** A translated query may be twice as long, and has to fit into a search of the inbox. */
const maxSearchLength = 8000

/** The parts between spaces that are in no quotes, without the quotes. */
function splitSearch(search: string): string[] {
  const parts: string[] = []
  let part = ''
  let isQuoted = false
  for (const char of `${search} `) {
    if (char === '"') isQuoted = !isQuoted
    else if (char === ' ' && !isQuoted) {
      if (part.trim() !== '') parts.push(part.trim())
      part = ''
    } else part += char
  }
  if (part.trim() !== '') parts.push(part.trim())
  return parts
}

function toTerm(part: string, zone: string | undefined): string | null {
  const isNegative = part.length > 1 && /^[-!]/.test(part)
  const text = isNegative ? part.slice(1) : part
  const minus = isNegative ? '-' : ''
  const [, written = '', given = ''] = /^([a-z-]+):(.*)$/is.exec(text) ?? []
  const key = written.toLowerCase()
  const value = given.trim()
  if (refusedKeys.has(key)) throw refused(`${quote(part)} cannot be searched for: ${refusedKeys.get(key)}`)
  // As in Mailpit, a key without a value is no condition.
  if (knownKeys.has(key) && value === '') return null
  if (sameKeys.has(key)) return `${minus}${key}:${quotedString(value)}`
  switch (key) {
    case 'is':
    case 'has': {
      const state = `${key}:${value.toLowerCase()}`
      const known = states.get(state)
      if (known !== undefined) return minus + known
      if (state === 'is:tagged' || state.startsWith('has:inline'))
        throw refused(`${quote(part)} cannot be searched for. Use ${[...states.keys()].join(', ')}, or tag:.`)
      return minus + quotedString(text)
    }
    case 'after':
    case 'before': {
      const time = readQueryDate(value, zone)
      if (time === null) throw refused(`${quote(part)} has no date. ${queryDateForms}`)
      // Both include their own moment in Mailpit; `before:` of the inbox does not.
      return `${minus}${key}:${new Date(key === 'before' ? time + 1 : time).toISOString()}`
    }
    case 'larger':
    case 'smaller': {
      const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?(k|kb|m|mb)?$/i.exec(value) ?? []
      if (number === undefined)
        throw refused(`${quote(part)} has no size. Give bytes, or a number with k or m.`)
      return `${minus}${key}:${number}${unit.toLowerCase()}`
    }
    default:
      return minus + quotedString(text)
  }
}

/** Keys that mean the same to the inbox; `to:` also finds Cc and Bcc there. */
const sameKeys = new Set(['to', 'from', 'cc', 'reply-to', 'subject', 'message-id', 'tag'])
const knownKeys = new Set([...sameKeys, 'is', 'has', 'after', 'before', 'larger', 'smaller'])
const refusedKeys: ReadonlyMap<string, string> = new Map([
  ['bcc', 'use to:, which looks at To, Cc and Bcc.'],
  ['addressed', 'use to: or from:, or the address alone, which is looked for in all fields and in the text.'],
])
const states: ReadonlyMap<string, string> = new Map([
  ['is:read', 'is:read'],
  ['is:unread', 'is:unread'],
  ['has:attachment', 'has:attachment'],
  ['has:attachments', 'has:attachment'],
])

const refused = (message: string): LocalpostError => new LocalpostError('invalid_query', message)
