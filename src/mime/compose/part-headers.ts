import { readParameters } from '../headers/parameters.ts'

/**
 * Replaces bare CR and NUL in the headers of parts by spaces. A mail server may convert the one to a line end and drop
 * the other, and a part would then have a field that the inbox does not show. All other bytes stay.
 *
 * The header of a part begins after a boundary that an earlier header declares, or at the beginning of an attached
 * message. Memory holds at most one line, and a piece of a very long one.
 *
 * @see RFC 2046 section 5
 */
export async function* withPlainPartHeaders(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const structure = createStructure()
  let held: Buffer = Buffer.alloc(0)
  let isMidLine = false
  for await (const piece of message) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    const kept: Buffer[] = []
    let start = 0
    for (;;) {
      const isLine = !isMidLine && (structure.isHeader || held[start] === dash)
      const end = isLine ? endOfLine(held, start) : endOfBody(held, start, isMidLine, structure)
      if (end === start) break
      const bytes = held.subarray(start, end)
      if (isLine) structure.take(bytes)
      kept.push(structure.isPartHeader ? withoutControls(bytes) : bytes)
      isMidLine = bytes.at(-1) !== newline
      start = end
    }
    held = held.subarray(start)
    // In one piece, because a hostile body may have a line for every three bytes.
    if (kept.length > 0) yield kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept)
  }
  if (held.length > 0) yield structure.isPartHeader ? withoutControls(held) : held
}

/**
 * The end of the line at an offset, or of the available piece of a very long line; the offset itself if more bytes are
 * needed.
 */
function endOfLine(held: Buffer, start: number): number {
  const end = held.indexOf(newline, start) + 1
  if (end > 0 || held.length - start < maxHeldBytes) return end || start
  return beforeReturn(held)
}

/** The end of the content before the next line that may be a boundary. */
function endOfBody(
  held: Buffer,
  start: number,
  isMidLine: boolean,
  { isHeader, hasParts }: Structure,
): number {
  if (isMidLine && isHeader) return held.indexOf(newline, start) + 1 || Math.max(start, beforeReturn(held))
  if (!hasParts) return held.length
  const next = held.indexOf('\n-', start)
  return next === -1 ? held.length : next + 1
}

/** Whether LF follows a CR at the end is not known yet. */
const beforeReturn = (held: Buffer): number => (held.at(-1) === 0x0d ? held.length - 1 : held.length)

interface Structure {
  /** Whether the line belongs to a header, and whether that is the header of a part. */
  readonly isHeader: boolean
  readonly isPartHeader: boolean
  readonly hasParts: boolean
  /** Processes a line of a header, or one that begins like a boundary. */
  take(line: Buffer): void
}

function createStructure(): Structure {
  /** The boundaries so far, each with the type of a part that names none. */
  const boundaries = new Map<string, string>()
  let isHeader = true
  let isPart = false
  let defaultType = ''
  let contentType = ''
  let isContentType = false

  function begin(type: string): void {
    isHeader = true
    isPart = true
    defaultType = type
    contentType = ''
    isContentType = false
  }
  function endHeader(): void {
    const { value, parameters } = readParameters(contentType || defaultType)
    const type = value.toLowerCase()
    const boundary = parameters.get('boundary')
    if (type.startsWith('multipart/') && boundary !== undefined && boundaries.size < maxBoundaries)
      boundaries.set(boundary, type === 'multipart/digest' ? 'message/rfc822' : '')
    isHeader = false
    if (type === 'message/rfc822' || type === 'message/global') begin('')
  }
  function takeField(text: string): void {
    if (/^[ \t]/.test(text)) {
      if (isContentType && contentType.length < maxFieldChars) contentType += text
      return
    }
    const [, value] = /^content-type[ \t]*:(.*)$/is.exec(text) ?? []
    isContentType = value !== undefined && contentType === ''
    if (isContentType) contentType = value ?? ''
  }

  return {
    get isHeader() {
      return isHeader
    },
    get isPartHeader() {
      return isHeader && isPart
    },
    get hasParts() {
      return boundaries.size > 0
    },
    take(line) {
      const text = line.toString('latin1', 0, maxFieldChars).replace(/\r?\n$/, '')
      const mark = text.startsWith('--') ? text.slice(2, endOfText(text)) : ''
      const type = boundaries.get(mark)
      if (type !== undefined) begin(type)
      else if (mark.endsWith('--') && boundaries.has(mark.slice(0, -2))) isHeader = false
      else if (isHeader && text === '') endHeader()
      else if (isHeader) takeField(text)
    },
  }
}

/** Where the white space at the end begins. A regular expression takes quadratic time for white space inside. */
function endOfText(text: string): number {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--
  return end
}

const newline = 0x0a
const dash = 0x2d
const maxHeldBytes = 64 * 1024
const maxFieldChars = 16 * 1024
/** The same limits as for parsing: depth, and parts beside each other. */
const maxBoundaries = 1000

/** Whether a line, or a piece of one, contains NUL, or CR outside its line end. */
export function hasControls(line: Buffer): boolean {
  const carriageReturn = line.indexOf(0x0d)
  return line.includes(0) || (carriageReturn !== -1 && line[carriageReturn + 1] !== 0x0a)
}

/** The same line, of the same length, with spaces for what {@link hasControls} finds. */
export function withoutControls(line: Buffer): Buffer {
  if (!hasControls(line)) return line
  return Buffer.from(line.toString('latin1').replace(/\0|\r(?!\n)/g, ' '), 'latin1')
}
