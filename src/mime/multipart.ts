/** The remaining limits for splitting one message; shared by all of its multiparts. */
export interface SplitBudget {
  /** Bytes that are searched for boundaries. Nested multiparts are searched once for each level. */
  bytes: number
  /** Lines that begin like a boundary, but are not one. */
  falseLines: number
}

/** The parts of a multipart, as places in the message. */
export interface SplitParts {
  places: [start: number, end: number][]
  /** Whether the budget was used up before the end. The last part then contains the rest. */
  isCut: boolean
}

/**
 * Finds the parts of a multipart. The line end before a boundary belongs to the boundary, white space may follow it,
 * and where the closing one is missing, the last part ends with the multipart itself.
 *
 * @param message  Lines end with CRLF or LF.
 * @param start  Where the body of the multipart begins.
 * @param end  Where it ends: at the boundary of the multipart around it, at the latest.
 * @param maxParts  At most one more part is given, so that the caller notices that there are more.
 * @see RFC 2046 section 5.1.1
 */
export function splitMultipart(
  message: Buffer,
  [start, end]: readonly [start: number, end: number],
  boundary: string,
  maxParts: number,
  budget: SplitBudget,
): SplitParts {
  const mark = Buffer.from(`--${boundary}`)
  // Otherwise a boundary that does not occur would be searched for in the rest of the message, for each multipart.
  const within = message.subarray(0, end)
  const places: [number, number][] = []
  let open = -1
  budget.bytes -= end - start
  for (let at = within.indexOf(mark, start); at !== -1; at = within.indexOf(mark, at + mark.length)) {
    const line = at === start || message[at - 1] === newline ? lineAfter(within, at + mark.length) : null
    if (!line) {
      if (--budget.falseLines < 0) break
      continue
    }
    if (open !== -1) places.push([open, Math.max(open, at - (message[at - 2] === 0x0d ? 2 : 1))])
    if (line.isLast || places.length > maxParts) return { places, isCut: false }
    open = line.next
  }
  // If the closing boundary is missing, the rest is a part.
  if (open !== -1) places.push([open, end])
  return { places, isCut: budget.falseLines < 0 }
}

const newline = 0x0a

/**
 * What follows a boundary in its line; null if that is more than white space, because it is then another boundary with
 * the same beginning.
 */
function lineAfter(within: Buffer, start: number): { isLast: boolean; next: number } | null {
  const isLast = within[start] === 0x2d && within[start + 1] === 0x2d
  let at = isLast ? start + 2 : start
  const limit = at + 1000
  while (at < limit && (within[at] === 0x20 || within[at] === 0x09)) at++
  if (at >= within.length) return { isLast, next: within.length }
  if (within[at] === 0x0d && within[at + 1] === newline) return { isLast, next: at + 2 }
  return within[at] === newline ? { isLast, next: at + 1 } : null
}
