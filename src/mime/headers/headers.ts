import { isAscii } from 'node:buffer'
import { longBytes } from '../../core/job-thread.ts'
import { parseAddresses, splitAddressList, type ParsedAddress } from './addresses.ts'
import { decodeField, decodeHeaderValue } from './decode-field.ts'
import { maxHeaderBytes, splitHeaderFields, type HeaderOwner, type SplitFields } from './fields.ts'
import { bareAddresses, maxAddresses } from './long-address-lists.ts'
import { endOfLines, startOfLine, withLineFeeds } from './line-ends.ts'
import { decodeOctets, escapeOctet, textOf } from './octets.ts'

/** The header block of a message. A value is decoded only when it is asked for. */
export interface HeaderBlock {
  /** Name as written and value unfolded, for `decodeField`, in order. Lines that are not header fields are left out. */
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
      const value = fields[names.indexOf(name.toLowerCase())]?.[1] ?? ''
      if (value.includes('=?')) return decodeField(name, value)
      if (isPlain) return value
      // Each name of a list may come from another program, with another charset.
      return lists.has(name.toLowerCase()) ? value.split(',').map(textOf).join(',') : decodeField(name, value)
    },
    addresses(name) {
      const values = valuesOf(name)
      // Most messages have no Cc, and no field that begins with Resent.
      return values.length === 0 ? [] : mailboxesIn(values.join(', '), isPlain)
    },
    furtherAddresses: (name) => bareAddresses(splitAddressList(valuesOf(name).join(', ')).rest),
  }
}

/** Fields with addresses. In every charset that is used unencoded, the octet of a comma is never part of another character. */
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
  return findEnd(beginning.toString('latin1')) === null
}

/** The fields of a header, with values as `decodeOctets` returns them, and where the body begins. */
export interface Head extends Pick<SplitFields, 'fields' | 'skipped'> {
  bodyStart: number
  /** Whether all of it is ASCII without escapes. */
  isPlain: boolean
  /** Whether an empty line ends it. If not, the body begins after the last field, or there is none. */
  isEnded: boolean
}

/**
 * Reads the header at the beginning of some bytes. Most headers are short, so it looks only as far as needed.
 *
 * @param bytes  Lines end with CRLF, LF or CR.
 * @param owner  As in {@link splitHeaderFields}.
 */
export function splitHead(bytes: Buffer, owner: HeaderOwner): Head {
  for (let size = 4096; ; size = bytes.length) {
    const source = withLineFeeds(bytes.subarray(0, size))
    // One character for each octet, because searching a text costs less than searching bytes.
    const head = source.toString('latin1')
    const end = findEnd(head)
    if (!end && size < bytes.length) continue
    const { headerEnd, bodyStart } = end ?? { headerEnd: head.length, bodyStart: head.length }
    const block = source.subarray(0, headerEnd)
    const isPlain = isAscii(block) && !block.includes(escapeOctet)
    const text = isPlain ? head.slice(0, headerEnd) : decodeOctets(block)
    const { fields, end: fieldsEnd, lines, skipped } = splitHeaderFields(text, owner)
    if (fieldsEnd === text.length) return { fields, bodyStart, isPlain, isEnded: end !== null, skipped }
    // The empty line is missing, so the body begins with the first line after the fields.
    const bodyAt = isPlain ? fieldsEnd : startOfLine(block, lines)
    return { fields, bodyStart: bodyAt, isPlain, isEnded: false, skipped }
  }
}

/** The position of the first empty line; null if there is none. */
function findEnd(head: string): { headerEnd: number; bodyStart: number } | null {
  if (head.startsWith('\n')) return { headerEnd: 0, bodyStart: 1 }
  if (head.startsWith('\r\n')) return { headerEnd: 0, bodyStart: 2 }
  const crlf = head.indexOf('\n\r\n')
  // Searched only before that position, because the rest is the body, which is usually longer.
  const lf = (crlf === -1 ? head : head.slice(0, crlf + 1)).indexOf('\n\n')
  if (crlf === -1 && lf === -1) return null
  return lf === -1 ? { headerEnd: crlf + 1, bodyStart: crlf + 3 } : { headerEnd: lf + 1, bodyStart: lf + 2 }
}
