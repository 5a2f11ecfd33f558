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

/**
 * Decodes the lines of a header that are valid UTF-8 (RFC 6532). In other lines the charset of octets beyond ASCII depends
 * on the part that contains them, such as an encoded word. These octets become half surrogates, which {@link textOf} and
 * {@link octetsOf} read.
 */
export function decodeOctets(block: Buffer): string {
  if (isUtf8(block)) return block.toString('utf8')
  // A Latin-1 line must not change how the UTF-8 lines are read. A line end is never part of another character.
  const octets = undecoded(block).split('\n')
  const lines = block.toString('utf8').split('\n')
  return lines.map((line, index) => (line.includes('\ufffd') ? octets[index] : line)).join('\n')
}

// U+DC80 to U+DCFF represent octets, as in Python's `surrogateescape`: decoded text never contains them alone.
const undecodedOctet = /[\udc80-\udcff]/u
const nothingDecoded = /^[\x00-\x7f\udc80-\udcff]*$/u

function undecoded(block: Buffer): string {
  const units = Buffer.from(block.toString('latin1'), 'utf16le')
  for (let at = 0; at < units.length; at += 2) if ((units[at] ?? 0) >= 0x80) units[at + 1] = 0xdc
  return units.toString('utf16le')
}

/** A text of a header for people: undecoded octets are read as UTF-8 if all of them are valid, else as Latin-1. */
export function textOf(text: string): string {
  if (!undecodedOctet.test(text)) return text
  const octets = octetsOf(text)
  if (isUtf8(octets)) return octets.toString('utf8')
  if (nothingDecoded.test(text)) return octets.toString('latin1')
  const units = Buffer.from(text, 'utf16le')
  for (let at = 0, isPair = false; at < units.length; at += 2) {
    const unit = units.readUInt16LE(at)
    if (!isPair && isUndecoded(unit)) units[at + 1] = 0
    isPair = unit >= 0xd800 && unit < 0xdc00
  }
  return units.toString('utf16le')
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
