import { isAscii } from 'node:buffer'
import { decodeHeaderValue, isStructuredField } from '../mime/headers/decode-field.ts'
import { readHeader } from '../mime/headers/headers.ts'
import { type CalendarMethods, readCalendarMethods } from './calendars.ts'

/** The facts that the checks read from the bytes of a message. */
export interface RawFacts {
  /** The longest line, in octets without its end: its number from 1 on, and its length. */
  longest: { line: number; octets: number }
  /** Lines that end in a bare LF, or have a CR elsewhere. */
  bareLines: number
  /** The name of the first header field with octets beyond ASCII; null without one. */
  rawField: string | null
  /** The first encoded word of the header that is longer than 75 characters; null without one. */
  longWord: string | null
  /** The fields that have encoded words where receivers do not decode them. */
  encodedFields: string[]
  /** The methods of the iCalendar parts. */
  calendars: CalendarMethods[]
}

/**
 * Reads the first 4 MB of a message. Linear: a millisecond per megabyte of usual lines, a second for a header
 * of a million short fields.
 */
export function readRawFacts(message: Uint8Array): RawFacts {
  const bytes = Buffer.from(message.buffer, message.byteOffset, Math.min(message.byteLength, 4 * 1024 * 1024))
  const facts: RawFacts = {
    longest: { line: 1, octets: 0 },
    bareLines: 0,
    rawField: null,
    longWord: null,
    encodedFields: wronglyEncodedFields(readHeader(bytes).fields),
    calendars: readCalendarMethods(bytes),
  }
  let inHeader = true
  let field = ''
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    const isCrlf = end > start && bytes[end - 1] === 13
    const octets = end - start - (isCrlf ? 1 : 0)
    if (!isCrlf && found !== -1) facts.bareLines++
    if (octets > facts.longest.octets) facts.longest = { line, octets }
    if (inHeader) {
      inHeader = octets > 0
      const text = bytes.subarray(start, start + Math.min(octets, 10_000))
      const written = text.toString('latin1')
      field = /^([!-9;-~]+):/.exec(written)?.[1] ?? field
      if (!isAscii(text)) facts.rawField ??= field
      facts.longWord ??=
        /=\?[^\s?]+\?[bq]\?[^\s?]{60,}\?=/i.exec(written)?.find((word) => word.length > 75) ?? null
    }
    start = end + 1
  }
  return facts
}

/**
 * The names of fields that have encoded words where receivers do not decode them: in fields without a text for people, and
 * in the address of a mailbox (RFC 2047 section 5).
 *
 * @param fields  Values unfolded, not decoded.
 */
export function wronglyEncodedFields(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const found = fields.filter(([name, written]) => {
    const value = written.slice(0, longestValue)
    if (!encodedWord.test(value)) return false
    return isStructuredField(name) || (addressFields.has(name.toLowerCase()) && hasEncodedAddress(value))
  })
  return [...new Set(found.map(([name]) => name))]
}

const longestValue = 10_000
const encodedWord = /=\?[\w.+*-]{1,60}\?[bq]\?[^\s?]*\?=/i
const encodedWords = new RegExp(encodedWord, 'gi')
const addressFields: ReadonlySet<string> = new Set(
  'from sender reply-to to cc bcc resent-from resent-sender resent-to resent-cc resent-bcc list-id'.split(
    ' ',
  ),
)

/** Encoded words are for names and comments. */
function hasEncodedAddress(list: string): boolean {
  const bare = list.replaceAll(/"[^"]*"|\([^()]*\)/g, ' ')
  if (bare.match(/<[^<>]*>/g)?.some((address) => address.includes('=?'))) return true
  return bare.split(/[,;]/).some((mailbox) => {
    if (!encodedWord.test(mailbox) || mailbox.replaceAll(encodedWords, '').includes('@')) return false
    return decodeHeaderValue(mailbox).includes('@')
  })
}
