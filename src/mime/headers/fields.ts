/** How much of a header is read. It limits the time that a hostile message takes before its 250 reply. */
export const maxHeaderBytes: number = 1024 * 1024

/** The maximum number of fields of one header. Later ones are not read: a megabyte may contain 200,000. */
export const maxFields: number = 5000

/** The header fields of a text, and where the header ends. */
export interface SplitFields {
  /** Names as written, values unfolded. */
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

/**
 * Splits a header block into its fields. Lines that are not fields are skipped if fields follow (an mbox "From " line,
 * garbage).
 *
 * @param text  Without the empty line at its end.
 * @param owner  The empty line is missing more often in the header of a part: only a field that parts
 *   have is then taken for one that follows, because text may look like others.
 * @see RFC 5322 section 2.2
 */
export function splitHeaderFields(text: string, owner: HeaderOwner): SplitFields {
  const split: SplitFields = { fields: [], end: 0, lines: 0, skipped: null }
  const { fields } = split
  /** The last field, while folded lines may follow. */
  let field: [name: string, value: string] | null = null
  // A line that is no field opens a gap. The next field closes it, or in a part ends the header.
  /** The first line of the open gap, and how many lines all gaps have. */
  let gap: string | null = null
  let gapLines = 0
  for (let start = endOfMark(text), line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start)
    const written = lineAt(text, start, newline)
    start = newline === -1 ? text.length : newline + 1
    const first = written.charCodeAt(0)
    if (first === 0x20 || first === 0x09) {
      if (field) field[1] += ` ${written.trim()}`
    } else {
      if (fields.length >= maxFields) {
        split.end = text.length
        split.lines = line
        break
      }
      field = readField(written)
      if (field && gap !== null && owner === 'part' && !resumes(field[0], fields.length > 0)) field = null
      if (field) fields.push(field)
    }
    if (field) {
      split.end = start
      split.lines = line
      split.skipped ??= gap
      gap = null
    } else {
      gap ??= written
      if (owner === 'part' && ++gapLines > maxGapLines) break
    }
  }
  for (const one of fields) one[1] = one[1].trim()
  return split
}

/** More lines between the fields of a part are the body of a part whose empty line is missing. */
const maxGapLines = 20

/** The length of a UTF-8 byte order mark, decoded or not. Some editors begin a file with one. */
function endOfMark(text: string): number {
  if (text.charCodeAt(0) === 0xfeff) return 1
  return text.startsWith('\udcef\udcbb\udcbf') ? 3 : 0
}

/** The line at an offset without its line end. @param newline  Where its LF is; -1 without one. */
function lineAt(text: string, start: number, newline: number): string {
  const end = newline === -1 ? text.length : newline
  return text.slice(start, end > start && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end)
}

/** The field that a line begins; null if it begins none. */
function readField(line: string): [name: string, value: string] | null {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trimEnd()
  const isName = name !== '' && name.length <= maxNameLength && nameForm.test(name)
  return isName ? [name, line.slice(colon + 1).trim()] : null
}

/** That of a line in RFC 5322. */
const maxNameLength = 998
const nameForm = /^[\x21-\x39\x3b-\x7e]+$/

/** Whether a field continues the header of a part after lines that are not fields. */
function resumes(name: string, hasFields: boolean): boolean {
  return (hasFields ? partField : contentField).test(name)
}

const contentField = /^content-/i
const partField = /^(?:content|mime|x)-/i
