import { isAscii } from 'node:buffer'
import { splitHeaderFields, type HeaderOwner } from './fields.ts'
import { endsWithReturns, startOfLine, withNewlines } from './line-ends.ts'
import { decodeOctets, escape } from './octets.ts'

/** How much of a header is read. It limits the time that a hostile message takes before its 250 reply. */
export const maxHeaderBytes: number = 1024 * 1024

/** The fields of a header, and where the body begins. */
export interface Head {
  /** Values as `decodeOctets` returns them. */
  fields: [name: string, value: string][]
  bodyStart: number
  /** Whether all of it is ASCII without escapes. */
  isPlain: boolean
  /** Whether an empty line ends it. If not, the body begins after the last field, or there is none. */
  isEnded: boolean
  /** As {@link splitHeaderFields} returns it. */
  skipped: string | null
}

/**
 * Reads the header at the beginning of some bytes. Most headers are short, so it looks only as far as needed.
 *
 * @param owner  As in {@link splitHeaderFields}.
 */
export function splitHead(source: Buffer, owner: HeaderOwner): Head {
  for (let size = 4096; ; size = source.length) {
    // One character for each octet, because searching a text costs less than searching bytes.
    const written = source.toString('latin1', 0, size)
    const bytes = endsWithReturns(written) ? withNewlines(source.subarray(0, size)) : source
    const head = bytes === source ? written : bytes.toString('latin1')
    const end = findEnd(head)
    if (!end && size < source.length) continue
    const { headerEnd, bodyStart } = end ?? { headerEnd: head.length, bodyStart: head.length }
    const block = bytes.subarray(0, headerEnd)
    const isPlain = isAscii(block) && !block.includes(escape)
    const text = isPlain ? head.slice(0, headerEnd) : decodeOctets(block)
    const { fields, end: fieldsEnd, lines, skipped } = splitHeaderFields(text, owner)
    if (fieldsEnd === text.length) return { fields, bodyStart, isPlain, isEnded: end !== null, skipped }
    // The empty line is missing, so the body begins with the first line after the fields.
    const bodyAt = isPlain ? fieldsEnd : startOfLine(block, lines)
    return { fields, bodyStart: bodyAt, isPlain, isEnded: false, skipped }
  }
}

/** The position of the first empty line; null if there is none. */
function findEnd(head: string): { headerEnd: number; bodyStart: number } | null {
  if (head.startsWith('\n')) return { headerEnd: 0, bodyStart: 1 }
  if (head.startsWith('\r\n')) return { headerEnd: 0, bodyStart: 2 }
  const crlf = head.indexOf('\n\r\n')
  // Searched only before that position, because the rest is the body, which is usually longer.
  const lf = (crlf === -1 ? head : head.slice(0, crlf + 1)).indexOf('\n\n')
  if (crlf === -1 && lf === -1) return null
  return lf === -1 ? { headerEnd: crlf + 1, bodyStart: crlf + 3 } : { headerEnd: lf + 1, bodyStart: lf + 2 }
}

/**
 * The end of the last complete line within a limit, because an incomplete line could be another field, or none.
 *
 * @returns The limit itself if it is in the first line.
 */
export function endOfLines(bytes: Buffer, start: number, limit: number): number {
  const end = bytes.lastIndexOf(0x0a, limit - 1) + 1
  return end > start ? end : limit
}
