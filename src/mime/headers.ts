import { isAscii } from 'node:buffer'
import { bareAddressesIn, maxAddresses, splitAddressList } from './address-list.ts'
import type { ParsedAddress } from './addresses.ts'
import { parseAddresses } from './addresses.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { decodeOctets, endsWithReturns, splitFields, startOfLine, textOf, withNewlines } from './fields.ts'

/** The header block of a message. Reading it is cheap; a value is decoded only when it is asked for. */
export interface HeaderBlock {
  /** Name as written and value unfolded, for {@link decodeHeaderValue}, in order. Lines that are no header field are left out. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Where the body begins, in octets; the length of the input where it has no empty line. */
  readonly bodyStart: number
  /** The value of the first field of this name (in any case), encoded words decoded; `""` without one. */
  decoded(name: string): string
  /**
   * The mailboxes of every field of this name, display names decoded; entries without an address are left out. Of a
   * very long list these are the first: `maxAddresses`.
   */
  addresses(name: string): ParsedAddress[]
  /** The bare addresses that follow those of `addresses`; mostly none. */
  furtherAddresses(name: string): string[]
}

/** More is not looked at: it bounds the time that a hostile message costs before its 250. */
export const maxHeaderBytes: number = 1024 * 1024
/** An encoded value longer than this is not decoded. */
const maxValueLength = 256 * 1024

/**
 * Reads the header block of a message by hand: everything up to the first empty line.
 *
 * Never throws: any bytes are accepted, with CRLF or bare LF, without an end or without a header. Octets beyond ASCII are
 * read in the charset of their encoded word or parameter; others as UTF-8 if they are valid (RFC 6532), else as Latin-1.
 *
 * @param bytes  The message, or at least its beginning; only the first MiB is looked at. Not kept.
 * @see RFC 5322 section 2.2
 */
export function readHeaderBlock(bytes: Uint8Array): HeaderBlock {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = source.length > maxHeaderBytes ? endOfLines(source, 0, maxHeaderBytes) : source.length
  const { fields, bodyStart } = readHead(source.subarray(0, end), false)
  const valuesOf = (name: string): string[] => {
    const values = []
    for (const [fieldName, value] of fields) {
      if (fieldName.length === name.length && fieldName.toLowerCase() === name.toLowerCase())
        values.push(value)
    }
    return values
  }
  return {
    fields,
    bodyStart,
    decoded: (name) => decodeHeaderValue(valuesOf(name)[0] ?? ''),
    addresses: (name) =>
      parseAddresses(splitAddressList(valuesOf(name).join(', ')).read)
        .filter(({ address }) => address !== '')
        .slice(0, maxAddresses)
        .map(({ name: display, address }) => ({
          name: decodeHeaderValue(display),
          address: textOf(address),
        })),
    furtherAddresses: (name) =>
      bareAddressesIn(splitAddressList(valuesOf(name).join(', ')).rest).map((address) => textOf(address)),
  }
}

/**
 * Where the last whole line ends within a limit: half a line at the limit would be another field, or none.
 *
 * @returns The limit itself where it is in the first line.
 */
export function endOfLines(bytes: Buffer, start: number, limit: number): number {
  const end = bytes.lastIndexOf(0x0a, limit - 1) + 1
  return end > start ? end : limit
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

/** The fields of a header, and where the body begins. */
export interface Head {
  /** Values as `decodeOctets` returns them. */
  fields: [name: string, value: string][]
  bodyStart: number
  /** Whether an empty line ends it; where none does, the body begins behind the last field, or nowhere. */
  isEnded: boolean
}

/**
 * Reads the header at the beginning of some bytes. Most are short: no more is looked at than it takes.
 *
 * @param isStrict  As in {@link splitFields}.
 */
export function readHead(source: Buffer, isStrict: boolean): Head {
  for (let size = 4096; ; size = source.length) {
    // One character for each octet: looking through a text costs less than through bytes.
    const written = source.toString('latin1', 0, size)
    const head = endsWithReturns(written) ? withNewlines(written) : written
    const end = findEnd(head)
    if (!end && size < source.length) continue
    const { headerEnd, bodyStart } = end ?? { headerEnd: head.length, bodyStart: head.length }
    const block =
      head === written ? source.subarray(0, headerEnd) : Buffer.from(head.slice(0, headerEnd), 'latin1')
    const isPlain = isAscii(block)
    const text = isPlain ? head.slice(0, headerEnd) : decodeOctets(block)
    const { fields, end: fieldsEnd, lines } = splitFields(text, isStrict)
    if (fieldsEnd === text.length) return { fields, bodyStart, isEnded: end !== null }
    // The empty line is missing: the body begins with the first line behind the fields.
    return { fields, bodyStart: isPlain ? fieldsEnd : startOfLine(block, lines), isEnded: false }
  }
}

/** Where the first empty line is; null without one. */
function findEnd(head: string): { headerEnd: number; bodyStart: number } | null {
  for (let lineStart = 0; ;) {
    const first = head.charCodeAt(lineStart)
    if (first === 0x0a) return { headerEnd: lineStart, bodyStart: lineStart + 1 }
    if (first === 0x0d && head.charCodeAt(lineStart + 1) === 0x0a)
      return { headerEnd: lineStart, bodyStart: lineStart + 2 }
    const lineEnd = head.indexOf('\n', lineStart)
    if (lineEnd === -1) return null
    lineStart = lineEnd + 1
  }
}
