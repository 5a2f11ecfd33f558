import { isAscii, isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type { ParsedAddress } from './addresses.ts'
import { parseAddresses } from './addresses.ts'

/** The header block of a message. Reading it is cheap; a value is decoded only when it is asked for. */
export interface HeaderBlock {
  /** Name as written and value unfolded, not decoded, in order. Lines that are no header field are left out. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Where the body begins, in octets; the length of the input where it has no empty line. */
  readonly bodyStart: number
  /** The value of the first field of this name (in any case), encoded words decoded; `""` without one. */
  decoded(name: string): string
  /** The mailboxes of every field of this name, display names decoded; entries without an address are left out. */
  addresses(name: string): ParsedAddress[]
}

/** More is not looked at: it bounds the time that a hostile message costs before its 250. */
export const maxHeaderBytes: number = 1024 * 1024
/** An address list or an encoded value longer than this is not read further. */
const maxValueLength = 256 * 1024

/**
 * Reads the header block of a message by hand: everything up to the first empty line.
 *
 * Never throws. Takes CRLF and bare LF, a missing end, no header at all, any bytes. Octets beyond ASCII are read as
 * UTF-8 where they are valid UTF-8 (RFC 6532), else as Latin-1.
 *
 * @param bytes  The message, or at least its beginning; only the first MiB is looked at. Not kept.
 * @see RFC 5322 section 2.2
 */
export function readHeaderBlock(bytes: Uint8Array): HeaderBlock {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxHeaderBytes))
  const { text, bodyStart } = readHead(source)
  const fields = splitFields(text)
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
      parseAddresses(valuesOf(name).join(', ').slice(0, maxValueLength))
        .filter(({ address }) => address !== '')
        .map(({ name: display, address }) => ({ name: decodeHeaderValue(display), address })),
  }
}

/**
 * Decodes the encoded words of a header value; what cannot be decoded stays as written.
 *
 * @see RFC 2047
 */
export function decodeHeaderValue(value: string): string {
  if (!value.includes('=?') || value.length > maxValueLength) return value
  try {
    return loadLibmime().decodeWords(value)
  } catch {
    return value
  }
}

/**
 * Takes a value like that of Content-Type apart, as the parser of whole messages does.
 *
 * @returns The value before the first semicolon, and its parameters by their names in lower case: those in pieces
 *   joined, those in other charsets as encoded words.
 * @see RFC 2231
 */
export function readParameters(value: string): {
  value: string
  parameters: Partial<Record<string, string>>
} {
  const { value: main, params } = loadLibmime().parseHeaderValue(value)
  return { value: main || '', parameters: params }
}

interface Libmime {
  decodeWords(text: string): string
  parseHeaderValue(text: string): { value: string | false; params: Record<string, string> }
}

let libmime: Libmime | undefined

/** libmime with its charset tables takes 50 ms to load, and most headers need none of it. */
function loadLibmime(): Libmime {
  libmime ??= createRequire(import.meta.url)('libmime') as Libmime
  return libmime
}

/** The header block as a text, and where the body begins. Most blocks are short: no more is looked at than it takes. */
function readHead(source: Buffer): { text: string; bodyStart: number } {
  for (let size = 4096; ; size = maxHeaderBytes) {
    // One character for each octet: looking through a text costs less than through bytes.
    const head = source.toString('latin1', 0, size)
    const end = findEnd(head)
    if (!end && size < source.length) continue
    const { headerEnd, bodyStart } = end ?? { headerEnd: head.length, bodyStart: head.length }
    const block = source.subarray(0, headerEnd)
    return { text: isAscii(block) ? head.slice(0, headerEnd) : decodeBytes(block), bodyStart }
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

function splitFields(text: string): [string, string][] {
  const fields: [string, string][] = []
  let folded: string[] = []
  const closeField = (): void => {
    const field = fields.at(-1)
    if (field && folded.length > 0) field[1] = [field[1], ...folded].join(' ').trim()
    folded = []
  }
  let inField = false
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(start, text.charCodeAt(end - 1) === 0x0d && end > start ? end - 1 : end)
    start = end + 1
    const first = line.charCodeAt(0)
    if (first === 0x20 || first === 0x09) {
      if (inField) folded.push(line.trim())
      continue
    }
    closeField()
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trimEnd()
    // A line that is no field (an mbox "From " line, garbage) ends the field before it and is passed over.
    inField = name !== '' && name.length <= 998 && /^[\x21-\x39\x3b-\x7e]+$/.test(name)
    if (inField) fields.push([name, line.slice(colon + 1).trim()])
  }
  closeField()
  return fields
}

function decodeBytes(block: Buffer): string {
  if (isUtf8(block)) return block.toString('utf8')
  // One Latin-1 line must not spoil the UTF-8 of the others.
  const lines = []
  for (let start = 0; start < block.length;) {
    const newline = block.indexOf(0x0a, start)
    const end = newline === -1 ? block.length : newline + 1
    const line = block.subarray(start, end)
    lines.push(line.toString(isUtf8(line) ? 'utf8' : 'latin1'))
    start = end
  }
  return lines.join('')
}
