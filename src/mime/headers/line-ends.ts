/** Whether the lines of a message end with CR: the first one does, and an empty line comes before any LF. */
export function endsWithReturns(text: string): boolean {
  const first = text.indexOf('\r')
  if (first === -1 || text.charCodeAt(first + 1) === 0x0a) return false
  const empty = text.indexOf('\r\r')
  const newline = text.indexOf('\n')
  return empty !== -1 && (newline === -1 || newline > empty)
}

/** A copy with LF for each CR without LF. */
export function withNewlines(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) if (copy[at] === 0x0d && copy[at + 1] !== 0x0a) copy[at] = 0x0a
  return copy
}

/** Where a line begins, in octets. */
export function startOfLine(block: Buffer, lines: number): number {
  let at = 0
  // Octet by octet, because a search for each of a hundred thousand short lines takes ten times as long.
  for (let line = 0; line < lines && at < block.length; at++) if (block[at] === 0x0a) line++
  return at
}
