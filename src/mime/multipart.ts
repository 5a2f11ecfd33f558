/** The remaining limits for taking one message apart; shared by all of its multiparts. */
export interface SplitBudget {
  /** Bytes that are looked through for boundaries. Nested multiparts are looked through once for each level. */
  bytes: number
  /** Lines that begin like a boundary and are none. */
  falseLines: number
}

/** The parts of a multipart, as places in the message. */
export interface SplitDeps {
  places: [start: number, end: number][]
  /** Whether the budget was spent before the end: what follows is in the last place. */
  isCut: boolean
}

/**
 * Finds the parts of a multipart. The line end before a boundary belongs to the boundary, white space may follow it,
 * and where the closing one is missing, the last part ends with the multipart itself.
 *
 * @param message  Lines end with CRLF or LF.
 * @param start  Where the body of the multipart begins.
 * @param end  Where it ends: at the boundary of the multipart around it, at the latest.
 * @param maxParts  More parts are not looked for.
 * @see RFC 2046 section 5.1.1
 */
export function splitMultipart(
  message: Buffer,
  [start, end]: readonly [start: number, end: number],
  boundary: string,
  maxParts: number,
  budget: SplitBudget,
): SplitDeps {
  const mark = Buffer.from(`--${boundary}`)
  // A boundary that is not there must not be looked for in all that follows, part after part.
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
  // The closing boundary may be missing: what is there is a part all the same.
  if (open !== -1) places.push([open, end])
  return { places, isCut: budget.falseLines < 0 }
}

const newline = 0x0a

/** What follows a boundary in its line; null if that is more than white space: then it is another boundary with the same beginning. */
function lineAfter(within: Buffer, start: number): { isLast: boolean; next: number } | null {
  const isLast = within[start] === 0x2d && within[start + 1] === 0x2d
  let at = isLast ? start + 2 : start
  const limit = at + 1000
  while (at < limit && (within[at] === 0x20 || within[at] === 0x09)) at++
  if (at >= within.length) return { isLast, next: within.length }
  if (within[at] === 0x0d && within[at + 1] === newline) return { isLast, next: at + 2 }
  return within[at] === newline ? { isLast, next: at + 1 } : null
}
