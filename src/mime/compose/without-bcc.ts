import { Readable } from 'node:stream'
import { maxHeaderBytes } from '../headers/fields.ts'
import { endsWithReturns } from '../headers/headers.ts'
import { hasControls, withoutControls, withPlainPartHeaders } from './part-headers.ts'

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
  return Readable.from(withPlainPartHeaders(filter(withLines(message))), { objectMode: false })
}

/** Converts the line ends of a message whose lines end with CR, as {@link endsWithReturns} detects it, to CRLF. */
async function* withLines(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let isKnown = false
  let hasReturns = false
  for await (const piece of message) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    if (!isKnown) {
      isKnown = held.includes(0x0a) || held.includes('\r\r') || held.length >= maxHeaderBytes
      if (!isKnown) continue
      hasReturns = endsWithReturns(held.toString('latin1'))
    }
    // Whether LF follows the last CR is not known yet.
    const end = hasReturns && held.at(-1) === 0x0d ? held.length - 1 : held.length
    if (end > 0) yield hasReturns ? withLineFeeds(held.subarray(0, end)) : held
    held = held.subarray(end)
  }
  if (held.length > 0) yield hasReturns ? withLineFeeds(held) : held
}

function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r(?!\n)/g, '\r\n'), 'latin1')
}

async function* filter(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let isDropping = false
  /** Whether the next bytes belong to a line whose beginning was already examined. */
  let isMidLine = false
  let isHeader = true
  for await (const piece of message) {
    if (!isHeader) {
      yield piece
      continue
    }
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    const kept: Buffer[] = []
    let start = 0
    while (isHeader) {
      const newline = held.indexOf(0x0a, start)
      const isWhole = newline !== -1
      if (!isWhole && held.length - start < maxHeldBytes) break
      // Whether LF follows the last CR is not known yet.
      const end = isWhole ? newline + 1 : held.length - (held.at(-1) === 0x0d ? 1 : 0)
      const line = held.subarray(start, end)
      if (!isMidLine) isDropping = isDropped(line, isDropping)
      if (!isDropping) kept.push(withoutControls(line))
      if (!isMidLine && isEmpty(line)) isHeader = false
      isMidLine = !isWhole
      start += line.length
      if (!isWhole) break
    }
    if (!isHeader) kept.push(held.subarray(start))
    held = isHeader ? held.subarray(start) : Buffer.alloc(0)
    for (const line of kept) if (line.length > 0) yield line
  }
  // A message that consists only of a header may lack its last line end.
  if (held.length > 0 && !(isMidLine ? isDropping : isDropped(held, isDropping))) yield withoutControls(held)
}

const maxHeldBytes = 64 * 1024

function isDropped(line: Buffer, isFieldDropped: boolean): boolean {
  if (isEmpty(line)) return false
  if (line[0] === 0x20 || line[0] === 0x09) return isFieldDropped
  const text = line.toString()
  return /^(?:resent-)?bcc\s*(?::|$)/i.test(text) || (hasControls(line) && !/^[!-9;-~]+\s*:/.test(text))
}

function isEmpty(line: Buffer): boolean {
  return line[0] === 0x0a || (line[0] === 0x0d && line[1] === 0x0a)
}
