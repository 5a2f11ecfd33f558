import { Readable } from 'node:stream'
import { withCrlfLines } from './crlf-lines.ts'
import { StreamedStructure } from './streamed-structure.ts'

/**
 * Removes the Bcc and Resent-Bcc fields of a message, however they are written, because its next recipient must not see
 * the blind copies.
 *
 * A mail server may convert a bare CR to a line end, and drop a NUL. So that the delivered message has the fields that
 * the inbox shows, the header contains neither. In a message with CR as line ends they become CRLF. Otherwise they
 * become spaces in a field, and a line that is not a field because of them is removed. In the headers of parts they
 * become spaces. All other bytes stay.
 *
 * Memory holds at most one line of the header, and a piece of a very long one; before the first line end up to
 * `maxHeaderBytes`.
 *
 * @see RFC 5322 section 3.6.3, and section 4.5.3 for the space before the colon
 */
export function withoutBcc(message: Readable): Readable {
  return Readable.from(withSafeHeaders(withCrlfLines(message)), { objectMode: false })
}

async function* withSafeHeaders(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const filter = new HeaderFilter()
  for await (const piece of message) {
    // In one piece, because a hostile body may have a line for every three bytes.
    const kept = filter.take(piece)
    if (kept.length > 0) yield kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept)
  }
  yield* filter.end()
}

class HeaderFilter {
  readonly #structure = new StreamedStructure()
  /** What of the message is still to be examined. */
  #held: Buffer = Buffer.alloc(0)
  /** Whether the next bytes belong to a line whose beginning was already examined. */
  #isMidLine = false
  /** Whether the current field of the message's header is removed. */
  #isDropping = false

  /** @returns What is kept of the message, as far as that is known. */
  take(piece: Buffer): Buffer[] {
    const held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    const kept: Buffer[] = []
    let start = 0
    for (let end = this.#endOfNext(held, 0); end > start; end = this.#endOfNext(held, start)) {
      kept.push(...this.#filtered(held.subarray(start, end)))
      start = end
    }
    this.#held = held.subarray(start)
    return kept
  }

  /** @returns What is kept of the end of the message, which may lack its last line end. */
  end(): Buffer[] {
    return this.#held.length > 0 ? this.#filtered(this.#held) : []
  }

  /** Whether a line begins here that the structure has to see. */
  #isLine(first: number | undefined): boolean {
    return !this.#isMidLine && (this.#structure.isHeader || first === dash)
  }

  /** The end of what is examined next: a line, or content up to one. The offset itself if more bytes are needed. */
  #endOfNext(held: Buffer, start: number): number {
    const { isHeader, hasParts } = this.#structure
    // Whether LF follows a CR at the end is not known yet.
    const complete = held.at(-1) === carriageReturn ? held.length - 1 : held.length
    const lineEnd = held.indexOf(newline, start) + 1
    const isLine = this.#isLine(held[start])
    if (lineEnd > 0 && (isLine || isHeader)) return lineEnd
    if (isLine) return held.length - start < maxHeldBytes ? start : complete
    if (isHeader) return Math.max(start, complete)
    const next = hasParts ? held.indexOf('\n-', start) + 1 : 0
    return next > 0 ? next : held.length
  }

  /** What is kept of a line, or of a piece of one: it alone, or nothing. */
  #filtered(bytes: Buffer): Buffer[] {
    const structure = this.#structure
    const isOfMessage = structure.isHeader && !structure.isPart
    const isLine = this.#isLine(bytes[0])
    this.#isMidLine = bytes.at(-1) !== newline
    if (isOfMessage && isLine) this.#isDropping = isDropped(bytes, this.#isDropping)
    if (isOfMessage && this.#isDropping) return []
    const line = isOfMessage ? withoutControls(bytes) : bytes
    if (isLine) structure.take(line)
    const isInPartHeader = structure.isHeader && structure.isPart
    return [isInPartHeader ? withoutControls(line) : line]
  }
}

const maxHeldBytes = 64 * 1024
const newline = 0x0a
const carriageReturn = 0x0d
const dash = 0x2d

/** Whether a line is removed. @param isFieldDropped  Whether the field is that a folded line continues. */
function isDropped(line: Buffer, isFieldDropped: boolean): boolean {
  if (line[0] === newline || (line[0] === carriageReturn && line[1] === newline)) return false
  if (line[0] === 0x20 || line[0] === 0x09) return isFieldDropped
  const text = line.toString()
  return /^(?:resent-)?bcc\s*(?::|$)/i.test(text) || (hasControls(line) && !/^[!-9;-~]+\s*:/.test(text))
}

/** Whether a line, or a piece of one, contains NUL, or CR outside its line end. */
function hasControls(line: Buffer): boolean {
  const returnAt = line.indexOf(carriageReturn)
  return line.includes(0) || (returnAt !== -1 && line[returnAt + 1] !== newline)
}

/** The same line, of the same length, with spaces for what {@link hasControls} finds. */
function withoutControls(line: Buffer): Buffer {
  if (!hasControls(line)) return line
  return Buffer.from(line.toString('latin1').replace(/\0|\r(?!\n)/g, ' '), 'latin1')
}
