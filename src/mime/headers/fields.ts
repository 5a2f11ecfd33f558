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
 * @param owner  Default: a message. The empty line is missing more often in the header of a part: only a field that parts
 *   have is then taken for one that follows, because text may look like others.
 */
export function splitHeaderFields(text: string, owner: HeaderOwner = 'message'): SplitFields {
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
