import { maxHeaderBytes } from './fields.ts'

/** A message whose lines end with CR, with LF for each CR without LF; any other as it is. All positions stay the same. */
export function withLineFeeds(message: Buffer): Buffer {
  const first = message.indexOf(0x0d)
  if (first === -1 || message[first + 1] === 0x0a) return message
  if (!endsWithReturns(message.toString('latin1', 0, maxHeaderBytes))) return message
  const copy = Buffer.from(message)
  for (let at = first; at < copy.length; at++) if (copy[at] === 0x0d && copy[at + 1] !== 0x0a) copy[at] = 0x0a
  return copy
}

/** Whether the lines of a message end with CR: the first one does, and an empty line comes before any LF. */
export function endsWithReturns(text: string): boolean {
  const first = text.indexOf('\r')
  if (first === -1 || text.charCodeAt(first + 1) === 0x0a) return false
  const empty = text.indexOf('\r\r')
  const newline = text.indexOf('\n')
  return empty !== -1 && (newline === -1 || newline > empty)
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

/** Where a line begins, in octets. @param lines  How many lines are before it. */
export function startOfLine(block: Buffer, lines: number): number {
  let at = 0
  // Octet by octet, because a search for each of a hundred thousand short lines takes ten times as long.
  for (let line = 0; line < lines && at < block.length; at++) if (block[at] === 0x0a) line++
  return at
}
