import { Readable } from 'node:stream'
import { nextTurn } from './machine.ts'

/** JSON that is too long to be written in one turn of the event loop: it is made while it is read. */
export interface LongJson {
  /** About how many bytes of memory it holds at most until it is read. */
  readonly bytes: number
  /** The text in pieces of up to some 100,000 characters; each call starts from the beginning. */
  pieces(): Generator<string>
}

/**
 * @param value  Plain data, as JSON.stringify takes it.
 * @returns null if JSON.stringify is quick enough. The answer to most requests has few members: to find that out
 *   costs less than a microsecond.
 */
export function longJson(value: unknown): LongJson | null {
  if (weigh(value, longChars) <= longChars) return null
  // V8 keeps a text in two bytes per character as soon as one of its characters is not of Latin-1.
  const bytes = 2 * weigh(value, Number.POSITIVE_INFINITY)
  return { bytes, pieces: () => joined(written(value)) }
}

/** Whether the body of an answer is one. */
export function isLongJson(body: unknown): body is LongJson {
  return typeof body === 'object' && body !== null && 'pieces' in body
}

/** The text as UTF-8; yields to the event loop, and is made only as far as it is read. */
export function readLongJson({ pieces }: LongJson): Readable {
  async function* encoded(): AsyncGenerator<Buffer> {
    for (const piece of pieces()) {
      yield Buffer.from(piece)
      await nextTurn()
    }
  }
  return Readable.from(encoded(), { objectMode: false, highWaterMark: 1 })
}

/** JSON.stringify takes a few milliseconds for so much. */
const longChars = 256 * 1024
const pieceChars = 64 * 1024
const memberWeight = 8

/** About how long the JSON of a value is in characters, counted up to a limit. */
function weigh(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return memberWeight
  let sum = memberWeight
  // A `for in` makes no list of the members.
  for (const key in value) {
    sum += memberWeight + weigh((value as Record<string, unknown>)[key], limit - sum)
    if (sum > limit) break
  }
  return sum
}

function* joined(parts: Generator<string>): Generator<string> {
  let text = ''
  for (const part of parts) {
    text += part
    if (text.length < pieceChars) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** The text of JSON.stringify in parts, none of which is long. */
function* written(value: unknown): Generator<string> {
  if (weigh(value, pieceChars) <= pieceChars) {
    yield JSON.stringify(value) ?? 'null'
  } else if (typeof value === 'string') {
    yield '"'
    for (let start = 0; start < value.length;) {
      const isPair = (value.charCodeAt(start + pieceChars - 1) & 0xfc00) === 0xd800
      const end = start + pieceChars + (isPair ? 1 : 0)
      yield JSON.stringify(value.slice(start, end)).slice(1, -1)
      start = end
    }
    yield '"'
  } else if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ','
      yield* written(item)
    }
    yield ']'
  } else {
    let before = '{'
    for (const [key, member] of Object.entries(value as object)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      before = ','
      yield* written(member)
    }
    yield before === '{' ? '{}' : '}'
  }
}
