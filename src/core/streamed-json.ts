import { nextTurn } from './machine.ts'

/**
 * Parses a stream of JSON that `JSON.stringify` wrote, and yields to the event loop at intervals. Long strings are decoded
 * while they arrive, so the bytes of a long value are never in memory as a whole.
 *
 * @param most  How many characters of a long string are wanted; the rest is skipped. Default: all.
 * @param signal  Ends the work. @throws its reason.
 * @returns The value, and whether a string was cut.
 */
export async function parseStreamed(
  pieces: AsyncIterable<Uint8Array>,
  most: number = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<{ value: unknown; isCut: boolean }> {
  const scanner = createScanner(most)
  let sinceTurn = 0
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    for (let at = 0; at < piece.byteLength; at += pieceBytes) {
      const part = piece.subarray(at, at + pieceBytes)
      sinceTurn += part.byteLength
      if (sinceTurn > pieceBytes) {
        await nextTurn()
        sinceTurn = part.byteLength
      }
      scanner.take(Buffer.from(part.buffer, part.byteOffset, part.byteLength))
    }
  }
  return scanner.end()
}

const pieceBytes = 256 * 1024
/** Longer strings, in bytes, are decoded on their own. */
const longBytes = 64 * 1024

/** The only member of an object that replaces a long string. No JSON of this instance has such a name. */
const marker = '\u0000long'
const quote = 0x22
const backslash = 0x5c
const letterU = 0x75

/** Replaces each long string in JSON by a small object; what remains is short, and parsed as usual. */
function createScanner(most: number): {
  take(piece: Buffer): void
  end(): { value: unknown; isCut: boolean }
} {
  const remaining: Buffer[] = []
  const strings: string[] = []
  let isCut = false
  /** The string that is being read; null between strings. */
  let raw: Buffer[] | null = null
  let rawBytes = 0
  /** The characters of that string so far, if it is long; else null. */
  let long: string | null = null
  /** The beginning of an escape or a character whose rest is in the next piece. */
  let held: Buffer = Buffer.alloc(0)

  const addToString = (bytes: Buffer): void => {
    if (bytes.length === 0) return
    if (long !== null) return decode(bytes)
    raw?.push(bytes)
    rawBytes += bytes.length
    if (rawBytes <= longBytes) return
    long = ''
    decode(Buffer.concat(raw ?? []))
    raw = []
  }
  const decode = (bytes: Buffer): void => {
    if (long === null) return
    if (long.length >= most) isCut = true
    else long += decoded(bytes)
  }
  const endString = (): void => {
    if (long === null) remaining.push(quoteBytes, ...(raw ?? []), quoteBytes)
    else {
      isCut ||= long.length > most
      remaining.push(Buffer.from(JSON.stringify({ [marker]: strings.length })))
      strings.push(long.length > most ? long.slice(0, most) : long)
    }
    raw = null
    rawBytes = 0
    long = null
  }

  return {
    take(piece) {
      const bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece
      held = bytes.subarray(bytes.length)
      for (let at = 0; at < bytes.length;) {
        if (raw === null) {
          const opening = bytes.indexOf(quote, at)
          const end = opening === -1 ? bytes.length : opening
          if (end > at) remaining.push(Buffer.from(bytes.subarray(at, end)))
          if (opening !== -1) raw = []
          at = end + 1
        } else {
          const { end, isClosed } = endOfString(bytes, at)
          addToString(long === null ? Buffer.from(bytes.subarray(at, end)) : bytes.subarray(at, end))
          at = end
          if (isClosed) {
            endString()
            at++
          } else {
            held = Buffer.from(bytes.subarray(end))
            break
          }
        }
      }
    },
    end() {
      const text = Buffer.concat(remaining).toString()
      const value: unknown =
        strings.length === 0
          ? JSON.parse(text)
          : JSON.parse(text, (_, member: unknown) =>
              typeof member === 'object' && member !== null && marker in member
                ? strings[Number(member[marker])]
                : member,
            )
      return { value, isCut }
    },
  }
}

const quoteBytes = Buffer.from('"')

function decoded(bytes: Buffer): string {
  const text = bytes.toString()
  return bytes.includes(backslash) ? (JSON.parse(`"${text}"`) as string) : text
}

/** Where a string ends: at its closing quote, or before what continues in the next piece. */
function endOfString(bytes: Buffer, start: number): { end: number; isClosed: boolean } {
  let escape = bytes.indexOf(backslash, start)
  let closing = bytes.indexOf(quote, start)
  for (;;) {
    if (escape === -1 || (closing !== -1 && closing < escape))
      return closing === -1
        ? { end: wholeCharacters(bytes, start), isClosed: false }
        : { end: closing, isClosed: true }
    const after = escape + (bytes[escape + 1] === letterU ? 6 : 2)
    if (after > bytes.length) return { end: escape, isClosed: false }
    escape = bytes.indexOf(backslash, after)
    // Searched again only if it was passed, because a search without a hit reads all the rest.
    if (closing !== -1 && closing < after) closing = bytes.indexOf(quote, after)
  }
}

/** The end of the last whole character in UTF-8. */
function wholeCharacters(bytes: Buffer, start: number): number {
  let lead = bytes.length - 1
  while (lead > start && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return lead + length > bytes.length ? lead : bytes.length
}
