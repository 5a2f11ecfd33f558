import { isUtf8 } from 'node:buffer'
import { decodeText } from './charset.ts'

/** The header fields of a text, and where the header ends. */
export interface SplitFields {
  fields: [name: string, value: string][]
  /** Where the line after the last field begins; the length of the text if all of it is header. */
  end: number
  /** The number of lines before `end`. */
  lines: number
  /** The first line between the fields that is not one; null if there is none. */
  skipped: string | null
}

/** The maximum number of fields of one header. Later ones are not read: a megabyte may contain 200,000. */
export const maxFields: number = 5000

/**
 * Splits a header block into its fields: names as written, values unfolded. Lines that are not fields are skipped if fields
 * follow (an mbox "From " line, garbage).
 *
 * @param text  Without the empty line at its end.
 * @param isPart  Whether it is the header of a part, whose empty line is missing more often. Only a field that parts have
 *   is then taken for one that follows, because text may look like others.
 */
export function splitHeaderFields(text: string, isPart = false): SplitFields {
  const fields: [string, string][] = []
  /** The last field, while folded lines may follow. */
  let field: [string, string] | null = null
  let isFoldedField = false
  let end = 0
  let lines = 0
  let skipped: string | null = null
  /** The first line after the last field that is not a field, and how many there are. */
  let gap: string | null = null
  let gapLines = 0
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start)
    const lineEnd = newline === -1 ? text.length : newline
    // Some editors begin a file with a byte order mark.
    if (line === 1) start = endOfMark(text)
    const written = text.slice(
      start,
      text.charCodeAt(lineEnd - 1) === 0x0d && lineEnd > start ? lineEnd - 1 : lineEnd,
    )
    start = newline === -1 ? text.length : newline + 1
    const first = written.charCodeAt(0)
    const isFolded = first === 0x20 || first === 0x09
    if (isFolded && field) {
      field[1] += ` ${written.trim()}`
      isFoldedField = true
    } else if (!isFolded) {
      if (field && isFoldedField) field[1] = field[1].trim()
      field = null
      isFoldedField = false
      if (fields.length >= maxFields) return { fields, end: text.length, lines: line, skipped }
      const colon = written.indexOf(':')
      const name = written.slice(0, Math.max(colon, 0)).trimEnd()
      const isField = name !== '' && name.length <= 998 && fieldName.test(name)
      if (isField && (gap === null || !isPart || resumes(name, fields.length > 0)))
        fields.push((field = [name, written.slice(colon + 1).trim()]))
    }
    if (field) {
      end = start
      lines = line
      skipped ??= gap
      gap = null
    } else {
      gap ??= written
      if (isPart && ++gapLines > maxGapLines) break
    }
  }
  if (field && isFoldedField) field[1] = field[1].trim()
  return { fields, end, lines, skipped }
}

/** Longer texts between the fields of a part are the body of a part whose empty line is missing. */
const maxGapLines = 20

/** Whether a field continues the header of a part after lines that are not fields. */
function resumes(name: string, hasFields: boolean): boolean {
  return (hasFields ? partField : contentField).test(name)
}

const contentField = /^content-/i
const partField = /^(?:content|mime|x)-/i

/** RFC 5322 section 2.2. */
const fieldName = /^[\x21-\x39\x3b-\x7e]+$/

/** The length of a UTF-8 byte order mark, decoded or not. */
function endOfMark(text: string): number {
  if (text.charCodeAt(0) === 0xfeff) return 1
  return text.startsWith('\udcef\udcbb\udcbf') ? 3 : 0
}

/**
 * Decodes the lines of a header that are valid UTF-8 (RFC 6532), or Japanese text in ISO-2022-JP. In other lines the charset
 * of octets beyond ASCII depends on the part that contains them, such as an encoded word. These octets become half
 * surrogates, which {@link textOf} and {@link octetsOf} read.
 */
export function decodeOctets(block: Buffer): string {
  const text = textOrOctets(block)
  if (!block.includes(escape)) return text
  // Before the value is split, because an octet of a Japanese character may be that of a quote or a comma.
  const lines = text.split('\n')
  return lines.map((line) => (hasEscape.test(line) ? decodeText(Buffer.from(line), null) : line)).join('\n')
}

/** Text with it may be Japanese (ISO-2022-JP), whose octets are ASCII. */
export const escape: number = 0x1b
const hasEscape = /^[\x00-\x1a\x1c-\x7f]*\x1b[\x00-\x7f]*$/

function textOrOctets(block: Buffer): string {
  if (isUtf8(block)) return block.toString('utf8')
  // A Latin-1 line must not change how the UTF-8 lines are read.
  const octets = undecoded(block).split('\n')
  const lines = block.toString('utf8').split('\n')
  return lines.map((line, index) => (line.includes('\ufffd') ? octets[index] : line)).join('\n')
}

// U+DC80 to U+DCFF represent octets, as in Python's `surrogateescape`: decoded text never contains them alone.
const undecodedOctet = /[\udc80-\udcff]/u
const undecodedRuns = /[\udc80-\udcff]+/gu
const nothingDecoded = /^[\x00-\x7f\udc80-\udcff]*$/u

function undecoded(block: Buffer): string {
  const units = Buffer.from(block.toString('latin1'), 'utf16le')
  for (let at = 0; at < units.length; at += 2) if ((units[at] ?? 0) >= 0x80) units[at + 1] = 0xdc
  return units.toString('utf16le')
}

/** A text of a header for people: undecoded octets are read as UTF-8 if all of them are valid, else as Latin-1. */
export function textOf(text: string): string {
  if (!undecodedOctet.test(text)) return text
  if (nothingDecoded.test(text)) {
    const octets = Buffer.from(text, 'latin1')
    return octets.toString(isUtf8(octets) ? 'utf8' : 'latin1')
  }
  if (areRunsUtf8(text)) {
    return text.replace(undecodedRuns, (run) => Buffer.from(run, 'latin1').toString('utf8'))
  }
  const units = Buffer.from(text, 'utf16le')
  for (let at = 0, isPair = false; at < units.length; at += 2) {
    const high = units[at + 1] ?? 0
    if (!isPair && high === 0xdc && (units[at] ?? 0) >= 0x80) units[at + 1] = 0
    isPair = high >= 0xd8 && high < 0xdc
  }
  return units.toString('utf16le')
}

/** Whether all octets are valid UTF-8. Decoded characters between them are valid, so each run is checked separately. */
function areRunsUtf8(text: string): boolean {
  for (const [run] of text.matchAll(undecodedRuns)) if (!isUtf8(Buffer.from(run, 'latin1'))) return false
  return true
}

/** The original octets of a text of a header. */
export function octetsOf(text: string): Buffer {
  if (!undecodedOctet.test(text)) return Buffer.from(text)
  // This writes the lower byte of each code unit.
  if (nothingDecoded.test(text)) return Buffer.from(text, 'latin1')
  const octets = Buffer.allocUnsafe(text.length * 3)
  let size = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x80 || isUndecoded(code)) octets[size++] = code & 0xff
    else size += octets.write(char, size)
  }
  return octets.subarray(0, size)
}

function isUndecoded(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff
}

/** Whether the lines of a message end with CR: the first one does, and an empty line comes before any LF. */
export function endsWithReturns(text: string): boolean {
  const first = text.indexOf('\r')
  if (first === -1 || text.charCodeAt(first + 1) === 0x0a) return false
  const empty = text.indexOf('\r\r')
  const newline = text.indexOf('\n')
  return empty !== -1 && (newline === -1 || newline > empty)
}

/** A copy with LF for each CR without LF. */
export function withNewlines(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) if (copy[at] === 0x0d && copy[at + 1] !== 0x0a) copy[at] = 0x0a
  return copy
}

/** Where a line begins, in octets. */
export function startOfLine(block: Buffer, lines: number): number {
  let at = 0
  // Octet by octet, because a search for each of a hundred thousand short lines takes ten times as long.
  for (let line = 0; line < lines && at < block.length; at++) if (block[at] === 0x0a) line++
  return at
}
