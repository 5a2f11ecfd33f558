import { maxHeaderBytes } from '../headers/fields.ts'
import { endsWithReturns } from '../headers/line-ends.ts'

/** Converts the line ends of a message whose lines end with CR, as {@link endsWithReturns} detects it, to CRLF. */
export async function* withCrlfLines(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
    if (end > 0) yield hasReturns ? withCrlf(held.subarray(0, end)) : held
    held = held.subarray(end)
  }
  if (held.length > 0) yield hasReturns ? withCrlf(held) : held
}

function withCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r(?!\n)/g, '\r\n'), 'latin1')
}
