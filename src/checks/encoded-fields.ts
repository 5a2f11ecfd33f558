import { decodeHeaderValue, isStructuredField } from '../mime/headers/decode-field.ts'
import { readLength } from './lengths.ts'

/**
 * The names of fields that have encoded words where receivers do not decode them: in fields without a text for people, and
 * in the address of a mailbox (RFC 2047 section 5).
 *
 * @param fields  Values unfolded, not decoded.
 */
export function wronglyEncodedFields(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const found = fields.filter(([name, written]) => {
    const value = written.slice(0, readLength)
    if (!encodedWord.test(value)) return false
    return isStructuredField(name) || (addressFields.has(name.toLowerCase()) && hasEncodedAddress(value))
  })
  return [...new Set(found.map(([name]) => name))]
}

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
