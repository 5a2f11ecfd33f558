import { longBytes } from '../../core/job-thread.ts'
import { parseAddresses, splitAddressList, type ParsedAddress } from './addresses.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { endOfLines, maxHeaderBytes, splitHead } from './fields.ts'
import { bareAddresses, maxAddresses } from './long-address-lists.ts'
import { textOf } from './octets.ts'

/** The header block of a message. A value is decoded only when it is asked for. */
export interface HeaderBlock {
  /**
   * Name as written and value unfolded, for {@link decodeHeaderValue}, in order. Lines that are not header fields are left
   * out.
   */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Where the body begins, in octets; the length of the input if it has no empty line. */
  readonly bodyStart: number
  /** The value of the first field of this name (in any case), encoded words decoded; `""` if there is none. */
  decoded(name: string): string
  /**
   * The mailboxes of every field of this name, display names decoded; entries without an address are left out. Of a
   * very long list these are the first: `maxAddresses`.
   */
  addresses(name: string): ParsedAddress[]
  /** The bare addresses after those of `addresses`; usually none. */
  furtherAddresses(name: string): string[]
}

/** An encoded value longer than this is not decoded. */
const maxValueLength = 256 * 1024

/**
 * Parses the header block of a message: everything up to the first empty line.
 *
 * Never throws: any bytes are accepted, with CRLF or bare LF, without an end or without a header. Octets beyond ASCII are
 * read in the charset of their encoded word or parameter; others as UTF-8 if they are valid (RFC 6532), else as Latin-1.
 *
 * @param bytes  The message, or at least its beginning; only the first MiB is looked at. Not kept.
 * @see RFC 5322 section 2.2
 */
export function readHeader(bytes: Uint8Array): HeaderBlock {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = source.length > maxHeaderBytes ? endOfLines(source, 0, maxHeaderBytes) : source.length
  const { fields, bodyStart, isPlain } = splitHead(source.subarray(0, end), 'message')
  const names = fields.map(([name]) => name.toLowerCase())
  const firstOf = (name: string): string => fields[names.indexOf(name.toLowerCase())]?.[1] ?? ''
  const valuesOf = (name: string): string[] => {
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at + 1))
      values.push(fields[at]?.[1] ?? '')
    return values
  }
  return {
    fields,
    bodyStart,
    decoded(name) {
      const value = firstOf(name)
      if (isPlain && !value.includes('=?')) return value
      if (isStructuredField(name)) return textOf(value)
      if (value.includes('=?')) return decodeHeaderValue(value)
      // Each name of a list may come from another program, with another charset.
      return lists.has(name.toLowerCase()) ? value.split(',').map(textOf).join(',') : textOf(value)
    },
    addresses(name) {
      const values = valuesOf(name)
      // Most messages have no Cc, and no field that begins with Resent.
      if (values.length === 0) return []
      return mailboxesIn(values.join(', '), isPlain)
    },
    furtherAddresses: (name) => bareAddresses(splitAddressList(valuesOf(name).join(', ')).rest),
  }
}

/**
 * Fields with addresses. In every charset that is used unencoded, the octet of a comma is never part of another
 * character.
 */
const lists: ReadonlySet<string> = new Set(['from', 'reply-to', 'to', 'cc'])

/**
 * The first mailboxes of a list that have an address, with their names decoded.
 *
 * @param isPlain  Whether the list is ASCII.
 */
function mailboxesIn(list: string, isPlain: boolean): ParsedAddress[] {
  const all = parseAddresses(splitAddressList(list).read)
  const found = all.filter(({ address }) => address !== '').slice(0, maxAddresses)
  if (isPlain && !list.includes('=?')) return found
  return found.map(({ name, address }) => ({ name: decodeHeaderValue(name), address: textOf(address) }))
}

/** Whether the header of a message is so long that it is read in the worker thread: hostile ones take 0.1 seconds per MB. */
export function isLongHeader(message: Uint8Array): boolean {
  if (message.byteLength <= longBytes) return false
  const beginning = Buffer.from(message.buffer, message.byteOffset, longBytes)
  return !beginning.includes('\n\r\n') && !beginning.includes('\n\n')
}

/**
 * Fields that have no text for people: receivers decode no encoded words in them (RFC 2047 section 5). Those with media
 * types are not among them, because clients decode names of files.
 */
const structured: ReadonlySet<string> = new Set(
  (
    'date message-id in-reply-to references return-path resent-date resent-message-id mime-version list-unsubscribe ' +
    'list-unsubscribe-post list-help list-subscribe list-post list-owner list-archive'
  ).split(' '),
)

/** Whether a field has no text for people, so that its value is taken as written. */
export function isStructuredField(name: string): boolean {
  return structured.has(name.toLowerCase())
}

/** The value of a header field, decoded as receivers do. */
export function decodeField(name: string, value: string): string {
  return isStructuredField(name) ? textOf(value) : decodeHeaderValue(value)
}

/**
 * Decodes the encoded words of a header value; what cannot be decoded stays as written.
 *
 * @param value  As `decodeOctets` returns it.
 * @see RFC 2047
 */
export function decodeHeaderValue(value: string): string {
  return value.length > maxValueLength ? textOf(value) : decodeEncodedWords(value)
}
