import { isUtf8 } from 'node:buffer'

/** The header fields of a text, and where it is no header any more. */
export interface SplitFields {
  fields: [name: string, value: string][]
  /** Where the line begins behind the last field and its folded lines; the length of the text where all is header. */
  end: number
  /** The number of lines before `end`. */
  lines: number
}

/** Fields of one header. Those that follow are not read: a megabyte has room for 200,000. */
export const maxFields: number = 5000

/**
 * Splits a header block into its fields: names as written, values unfolded.
 *
 * @param text  Without the empty line at its end.
 * @param isStrict  Whether the first line that is no field ends the header. Default: such lines are passed over where
 *   fields follow (an mbox "From " line, garbage).
 */
export function splitFields(text: string, isStrict = false): SplitFields {
  const fields: [string, string][] = []
  let folded: string[] = []
  const closeField = (): void => {
    const field = fields.at(-1)
    if (field && folded.length > 0) field[1] = [field[1], ...folded].join(' ').trim()
    folded = []
  }
  let inField = false
  let end = 0
  let lines = 0
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start)
    const lineEnd = newline === -1 ? text.length : newline
    const written = text.slice(
      start,
      text.charCodeAt(lineEnd - 1) === 0x0d && lineEnd > start ? lineEnd - 1 : lineEnd,
    )
    start = newline === -1 ? text.length : newline + 1
    const first = written.charCodeAt(0)
    const isFolded = first === 0x20 || first === 0x09
    if (isFolded && inField) folded.push(written.trim())
    else if (!isFolded) {
      closeField()
      if (fields.length >= maxFields) return { fields, end: text.length, lines: line }
      const colon = written.indexOf(':')
      const name = written.slice(0, Math.max(colon, 0)).trimEnd()
      inField = name !== '' && name.length <= 998 && /^[\x21-\x39\x3b-\x7e]+$/.test(name)
      if (inField) fields.push([name, written.slice(colon + 1).trim()])
    }
    if (inField) {
      end = start
      lines = line
    } else if (isStrict) break
  }
  closeField()
  return { fields, end, lines }
}

/** Octets beyond ASCII as UTF-8 where a line is valid UTF-8 (RFC 6532), else as Latin-1. */
export function decodeOctets(block: Buffer): string {
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

/** Whether the lines of a message end with CR alone: the first one does, and an empty line comes before any LF. */
export function endsWithReturns(text: string): boolean {
  const first = text.indexOf('\r')
  if (first === -1 || text.charCodeAt(first + 1) === 0x0a) return false
  const empty = text.indexOf('\r\r')
  const newline = text.indexOf('\n')
  return empty !== -1 && (newline === -1 || newline > empty)
}

/** The same text, of the same length, with LF for each CR without LF. */
export function withNewlines(text: string): string {
  return text.replace(/\r(?!\n)/g, '\n')
}

/** Where a line begins, in octets. */
export function startOfLine(block: Buffer, lines: number): number {
  let at = 0
  for (let line = 0; line < lines; line++) at = block.indexOf(0x0a, at) + 1
  return at
}
