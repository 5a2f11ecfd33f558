import { isAscii, isUtf8 } from 'node:buffer'
import { LocalpostError } from './errors.ts'
import { maxDepth } from './json-depth.ts'
import { jsonFault } from './json-fault.ts'

/** Parses the body of a request. @throws invalid_json, also for deep nesting; payload_too_large for too many values. */
export function parseJsonBody(bytes: Buffer): unknown {
  const text = withoutMark(readTextBody(bytes))
  const exceeded = exceededBound(text, { depth: maxDepth, values: maxValues })
  if (exceeded === 'depth')
    throw notJson(`The body is nested deeper than ${maxDepth} levels. Send it flatter.`)
  if (exceeded === 'values') {
    const message = `The body has more than ${maxValues} values. Send less in one request.`
    throw new LocalpostError('payload_too_large', message)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.trim() === '') throw notJson('The body is empty. Send one JSON object.')
    throw notJson(`The body is not JSON: ${jsonFault(error, text)}.`)
  }
}

/** Decodes the body of a request. @throws invalid_json if it is not UTF-8. */
export function readTextBody(bytes: Buffer): string {
  // Most bodies are ASCII. Reading them as Latin-1 is faster than decoding UTF-8.
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes)) return bytes.toString()
  throw notJson('The body is not valid UTF-8. Send it in UTF-8.')
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** How many values a body may have: parsed values take up to 20 times the memory of the body. */
const maxValues = 1_000_000

interface JsonBounds {
  /** How deep arrays and objects may nest. */
  depth: number
  /** How many values it may have, arrays and objects among them. */
  values: number
}

/** The limit that a text exceeds, if any. It is not parsed: values take up to 20 times the memory of their text. */
export function exceededBound(text: string, { depth, values }: JsonBounds): keyof JsonBounds | null {
  let open = 0
  let count = 1
  /** Whether an array or object has begun, and nothing in it. */
  let isFresh = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char <= space) continue
    if (char === closeBracket || char === closeBrace) {
      open--
      isFresh = false
      continue
    }
    if (char === comma || isFresh) count++
    if (count > values) return 'values'
    isFresh = char === openBracket || char === openBrace
    if (isFresh && ++open > depth) return 'depth'
    if (char === quoteMark) at = endOfString(text, at)
  }
  return null
}

function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1) {
    let first = quote
    while (first > start + 1 && text.charCodeAt(first - 1) === backslash) first--
    if ((quote - first) % 2 === 0) return quote
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}

const space = 0x20
const quoteMark = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const notJson = (message: string): LocalpostError => new LocalpostError('invalid_json', message)
