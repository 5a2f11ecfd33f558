import { isUtf8 } from 'node:buffer'
import { validationError } from './errors.ts'
import { quote } from './quote.ts'
import { checkName, formFault, maxFormEntries, tooManyEntries, type FormEntry } from './form-entry.ts'

/** Reads `multipart/form-data` strictly: anything outside of whole parts is an error. @see RFC 7578, RFC 2046 5.1.1 */
export function readParts(bytes: Buffer, boundary: string): FormEntry[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const begins = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  // A form has no line end before its first boundary, so the delimiter is compared without its CRLF.
  let line = begins ? lineAfter(bytes, delimiter.length - 2) : null
  if (!line) throw formFault(`must begin with the boundary of its Content-Type, ${quote(boundary)}`)
  const entries: FormEntry[] = []
  while (!line.isLast) {
    if (entries.length === maxFormEntries) throw tooManyEntries()
    // The CRLF before a boundary belongs to it. It may be the one that ends this line, if the part has no bytes.
    const next: Delimiter | null = findDelimiter(bytes, delimiter, line.end - 2)
    if (!next) throw formFault('ends before its last boundary: it was cut off')
    // Then the next boundary begins before this line has ended.
    entries.push(readPart(bytes.subarray(line.end, Math.max(line.end, next.start)), entries.length))
    line = next
  }
  if (bytes.subarray(line.end).some((byte) => !isWhiteSpace(byte)))
    throw formFault('goes on after its last boundary')
  return entries
}

/** The end of the line of a boundary, and whether it is the last one. */
interface DelimiterLine {
  readonly end: number
  readonly isLast: boolean
}

interface Delimiter extends DelimiterLine {
  readonly start: number
}

/** The next boundary. A line that only begins like it is content. */
function findDelimiter(bytes: Buffer, delimiter: Buffer, from: number): Delimiter | null {
  for (
    let start = bytes.indexOf(delimiter, from);
    start !== -1;
    start = bytes.indexOf(delimiter, start + 1)
  ) {
    const line = lineAfter(bytes, start + delimiter.length)
    if (line) return { start, ...line }
  }
  return null
}

/** What stands after a boundary: the end of its line, or `--` for the last one; null if it is none. */
function lineAfter(bytes: Buffer, at: number): DelimiterLine | null {
  if (bytes[at] === dash && bytes[at + 1] === dash) return { end: at + 2, isLast: true }
  let end = at
  while (end - at < maxPadding && (bytes[end] === space || bytes[end] === tab)) end++
  return bytes[end] === cr && bytes[end + 1] === lf ? { end: end + 2, isLast: false } : null
}

const [tab, lf, cr, space, dash] = [0x09, 0x0a, 0x0d, 0x20, 0x2d] as const
const maxPadding = 200
/** How many bytes the header of a part may have. */
const maxPartHeader = 16_384

const isWhiteSpace = (byte: number): boolean => byte === cr || byte === lf || byte === space || byte === tab

function readPart(part: Buffer, index: number): FormEntry {
  const which = `has a part, number ${index + 1},`
  const end = part.subarray(0, maxPartHeader).indexOf('\r\n\r\n')
  if (end === -1) throw formFault(`${which} without the empty line that ends its header`)
  const header = readPartHeader(part.subarray(0, end), which)
  const content = part.subarray(end + 4)
  const disposition = header.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition))
    throw formFault(`${which} without Content-Disposition: form-data`)
  const { name, filename } = readDisposition(disposition, which)
  if (name === undefined || name === '') throw formFault(`${which} without a name`)
  checkName(name)
  const encoding = header.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  const message = `has the Content-Transfer-Encoding ${quote(encoding)}: send it as it is`
  if (!['7bit', '8bit', 'binary'].includes(encoding)) throw validationError([{ field: name, message }])
  if (filename !== undefined) return { name, file: { filename, type: header.get('content-type'), content } }
  if (!isUtf8(content)) throw validationError([{ field: name, message: 'must be a text in UTF-8' }])
  return { name, text: content.toString() }
}

function readPartHeader(bytes: Buffer, which: string): Map<string, string> {
  if (!isUtf8(bytes)) throw formFault(`${which} whose header is not UTF-8`)
  const fields = new Map<string, string>()
  for (const line of bytes.toString().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon === -1) throw formFault(`${which} with the header line ${quote(line)}, which has no colon`)
    const name = line.slice(0, colon).trim().toLowerCase()
    if (fields.has(name)) throw formFault(`${which} with the field ${quote(name)} twice`)
    fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/**
 * If a parameter is repeated, the last one counts.
 *
 * @see RFC 7578 section 4.2, and https://html.spec.whatwg.org/#multipart-form-data for `%22`, `%0D` and `%0A`
 */
function readDisposition(disposition: string, which: string): { name?: string; filename?: string } {
  const parameter = /;[ \t]*(?:([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*)?/y
  const found = new Map<string, string>()
  const first = disposition.indexOf(';')
  parameter.lastIndex = first === -1 ? disposition.length : first
  while (parameter.lastIndex < disposition.length) {
    const match = parameter.exec(disposition)
    if (!match)
      throw formFault(`${which} with the Content-Disposition ${quote(disposition)}, which is malformed`)
    const [, key = '', quoted, token = ''] = match
    found.set(key.toLowerCase(), quoted === undefined ? token : unquoted(quoted))
  }
  const extended = found.get('filename*')
  const filename = extended === undefined ? found.get('filename') : decodeExtended(extended, which)
  const name = found.get('name')
  return { ...(name !== undefined && { name }), ...(filename !== undefined && { filename }) }
}

function unquoted(text: string): string {
  return text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(?:22|0d|0a)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/** @see RFC 5987 */
function decodeExtended(text: string, which: string): string {
  const fault = (): Error =>
    formFault(`${which} with the filename* ${quote(text)}, which is not percent-encoded UTF-8`)
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(text)?.[1]
  if (encoded === undefined) throw fault()
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw fault()
  }
}
