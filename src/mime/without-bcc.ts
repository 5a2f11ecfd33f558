import { Readable } from 'node:stream'

/**
 * A message without its Bcc and Resent-Bcc fields, however they are written; all other bytes stay. Who was copied
 * blindly must not show to whom the message is sent on.
 *
 * Holds a line of the header at most, and of a very long one a part.
 *
 * @see RFC 5322 section 3.6.3, and section 4.5.3 for the space before the colon
 */
export function withoutBcc(message: Readable): Readable {
  return Readable.from(filter(message), { objectMode: false })
}

async function* filter(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let isDropping = false
  /** Whether what comes next belongs to a line whose beginning was judged already. */
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
      const line = held.subarray(start, isWhole ? newline + 1 : held.length)
      if (!isMidLine) isDropping = isDropped(line, isDropping)
      if (!isDropping) kept.push(line)
      if (!isMidLine && isEmpty(line)) isHeader = false
      isMidLine = !isWhole
      start += line.length
      if (!isWhole) break
    }
    if (!isHeader) kept.push(held.subarray(start))
    held = isHeader ? held.subarray(start) : Buffer.alloc(0)
    for (const line of kept) if (line.length > 0) yield line
  }
  // The last line of a message that is a header alone may lack its end.
  if (held.length > 0 && !(isMidLine ? isDropping : isDropped(held, isDropping))) yield held
}

const maxHeldBytes = 64 * 1024

function isDropped(line: Buffer, isFieldDropped: boolean): boolean {
  if (isEmpty(line)) return false
  const isFolded = line[0] === 0x20 || line[0] === 0x09
  return isFolded ? isFieldDropped : /^(?:resent-)?bcc[ \t]*:/i.test(line.toString('latin1', 0, 200))
}

function isEmpty(line: Buffer): boolean {
  return line[0] === 0x0a || (line[0] === 0x0d && line[1] === 0x0a)
}
