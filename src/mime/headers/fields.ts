import { isAscii } from 'node:buffer'
import { decodeOctets, escape } from './octets.ts'

/** How much of a header is read. It limits the time that a hostile message takes before its 250 reply. */
export const maxHeaderBytes: number = 1024 * 1024

/** The fields of a header, and where the body begins. */
export interface Head {
  /** Values as `decodeOctets` returns them. */
  fields: [name: string, value: string][]
  bodyStart: number
  /** Whether all of it is ASCII without escapes. */
  isPlain: boolean
  /** Whether an empty line ends it. If not, the body begins after the last field, or there is none. */
  isEnded: boolean
  /** As {@link splitHeaderFields} returns it. */
  skipped: string | null
}

/**
 * Reads the header at the beginning of some bytes. Most headers are short, so it looks only as far as needed.
 *
 * @param owner  As in {@link splitHeaderFields}.
 */
export function splitHead(source: Buffer, owner: HeaderOwner): Head {
  for (let size = 4096; ; size = source.length) {
    // One character for each octet, because searching a text costs less than searching bytes.
    const written = source.toString('latin1', 0, size)
    const bytes = endsWithReturns(written) ? withNewlines(source.subarray(0, size)) : source
    const head = bytes === source ? written : bytes.toString('latin1')
    const end = findEnd(head)
    if (!end && size < source.length) continue
    const { headerEnd, bodyStart } = end ?? { headerEnd: head.length, bodyStart: head.length }
    const block = bytes.subarray(0, headerEnd)
    const isPlain = isAscii(block) && !block.includes(escape)
    const text = isPlain ? head.slice(0, headerEnd) : decodeOctets(block)
    const { fields, end: fieldsEnd, lines, skipped } = splitHeaderFields(text, owner)
    if (fieldsEnd === text.length) return { fields, bodyStart, isPlain, isEnded: end !== null, skipped }
    // The empty line is missing, so the body begins with the first line after the fields.
    const bodyAt = isPlain ? fieldsEnd : startOfLine(block, lines)
    return { fields, bodyStart: bodyAt, isPlain, isEnded: false, skipped }
  }
}

/**
 * The end of the last complete line within a limit, because an incomplete line could be another field, or none.
 *
 * @returns The limit itself if it is in the first line.
 */
export function endOfLines(bytes: Buffer, start: number, limit: number): number {
  const end = bytes.lastIndexOf(0x0a, limit - 1) + 1
  return end > start ? end : limit
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

/** Whose header it is: that of a whole message, or of one part of it. */
export type HeaderOwner = 'message' | 'part'

/** The maximum number of fields of one header. Later ones are not read: a megabyte may contain 200,000. */
export const maxFields: number = 5000

/**
 * Splits a header block into its fields: names as written, values unfolded. Lines that are not fields are skipped if fields
 * follow (an mbox "From " line, garbage).
 *
 * @param text  Without the empty line at its end.
 * @param owner  The empty line is missing more often in the header of a part: only a field that parts
 *   have is then taken for one that follows, because text may look like others.
 */
function splitHeaderFields(text: string, owner: HeaderOwner): SplitFields {
  const isPart = owner === 'part'
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
      const isField = name !== '' && name.length <= 998 && fieldNameForm.test(name)
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
const fieldNameForm = /^[\x21-\x39\x3b-\x7e]+$/

/** The length of a UTF-8 byte order mark, decoded or not. */
function endOfMark(text: string): number {
  if (text.charCodeAt(0) === 0xfeff) return 1
  return text.startsWith('\udcef\udcbb\udcbf') ? 3 : 0
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
function startOfLine(block: Buffer, lines: number): number {
  let at = 0
  // Octet by octet, because a search for each of a hundred thousand short lines takes ten times as long.
  for (let line = 0; line < lines && at < block.length; at++) if (block[at] === 0x0a) line++
  return at
}
