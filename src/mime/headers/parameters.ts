import { decodeText } from './charset.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { rawOctets, textOf } from './octets.ts'

/** A parsed value like that of Content-Type. */
export interface FieldValue {
  /** The text before the first semicolon, without comments. */
  value: string
  /** By their names in lower case, decoded. The first of a name counts. */
  parameters: ReadonlyMap<string, string>
}

/**
 * Parses a value like that of Content-Type or Content-Disposition.
 *
 * Accepts common invalid forms: values with spaces and without quotes, a missing quote, octets beyond ASCII, encoded
 * words in values.
 *
 * @param value  Unfolded, as `decodeOctets` returns it. Only the first 16 KB are read.
 * @see RFC 2045 section 5.1, RFC 2231
 */
export function readParameters(value: string): FieldValue {
  const [main = '', ...rest] = splitAtSemicolons(value.slice(0, maxLength))
  const parameters = new Map<string, string>()
  const pieces = new Map<string, Piece[]>()
  for (const written of rest.slice(0, maxParameters)) {
    const equals = written.indexOf('=')
    if (equals === -1) continue
    const name = withoutComments(written.slice(0, equals)).toLowerCase()
    const raw = written.slice(equals + 1).trim()
    // `name*`, `name*0` or `name*0*`.
    const extended = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/.exec(name)
    if (extended) {
      const [, base = '', number, mark] = extended
      const list = pieces.get(base) ?? []
      list.push({
        number: Number(number ?? 0),
        isEncoded: number === undefined || mark !== undefined,
        text: unquoted(raw, base),
      })
      pieces.set(base, list)
    } else if (name !== '' && !parameters.has(name))
      parameters.set(name, decodeEncodedWords(unquoted(raw, name)))
  }
  // The plain form beside an extended one is for old readers (RFC 6266 section 4.3).
  for (const [name, list] of pieces) parameters.set(name, joined(list))
  return { value: textOf(withoutComments(main)), parameters }
}

const maxLength = 16 * 1024
const maxParameters = 500

interface Piece {
  number: number
  isEncoded: boolean
  text: string
}

function joined(pieces: Piece[]): string {
  pieces.sort((a, b) => a.number - b.number)
  const first = pieces[0]
  const marked = first?.isEncoded ? /^([^']{0,60})'[^']{0,60}'/.exec(first.text) : null
  const charset = marked?.[1] ?? ''
  if (!pieces.some(({ isEncoded }) => isEncoded))
    return decodeEncodedWords(pieces.map(({ text }) => text).join(''))
  const octets = pieces.map(({ isEncoded, text }, index) => {
    const value = rawOctets(index === 0 && marked ? text.slice(marked[0].length) : text, charset)
    return isEncoded ? percentDecodedOctets(value) : value
  })
  const text = decodeText(Buffer.from(octets.join(''), 'latin1'), charset)
  return first?.isEncoded ? text : decodeEncodedWords(text)
}

function percentDecodedOctets(octets: string): string {
  return octets.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** The parts between semicolons outside quotes. */
function splitAtSemicolons(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (isQuoted && char === '\\') i++
    else if (char === '"') isQuoted = !isQuoted
    else if (char === ';' && !isQuoted) {
      pieces.push(text.slice(start, i))
      start = i + 1
    }
  }
  pieces.push(text.slice(start))
  return pieces
}

function unquoted(raw: string, name: string): string {
  if (!raw.startsWith('"')) {
    // In a file name without quotes, brackets are part of the name: `report (1).pdf`.
    return name === 'filename' || name === 'name' ? raw : withoutComments(raw)
  }
  const end = /^"(?:[^"\\]|\\[\s\S])*/.exec(raw)?.[0].length ?? raw.length
  return raw.slice(1, end).replace(/\\([\s\S])/g, '$1')
}

/** The value of a structured field without its comments. They nest: the innermost are removed first. */
function withoutComments(text: string): string {
  let remaining = text
  for (let depth = 0; depth < 5 && remaining.includes('('); depth++)
    remaining = remaining.replace(/\([^()]{0,998}(?:\)|$)/g, ' ')
  return remaining.trim()
}
