import { hexDigit } from '../../core/hex.ts'
import { decodeText, isKnownCharset } from './charset.ts'
import { rawOctets, textOf } from './octets.ts'

/**
 * Decodes the encoded words of a text. One that is malformed, or whose charset is unknown, stays as written.
 *
 * Also accepts common invalid forms: words that touch other text, white space within a word, octets beyond ASCII in it,
 * a character that is split over two words. Costs linear time.
 *
 * @param text  As `decodeOctets` returns it. The octets of each word are read in its charset, those between words as
 *   `textOf` reads them.
 * @see RFC 2047
 */
export function decodeEncodedWords(text: string): string {
  if (!text.includes('=?')) return textOf(text)
  const pieces: string[] = []
  // With `as`, because TypeScript would take it for null throughout the loop.
  let run = null as WordRun | null
  let at = 0
  for (const match of text.matchAll(encodedWord)) {
    const [written, named = '', encoding = '', encoded = ''] = match
    const charset = knownCharset(named)
    if (charset === null) continue
    const bytes = encoding.toUpperCase() === 'B' ? fromB(encoded) : fromQ(encoded, charset)
    if (!bytes) continue
    const between = text.slice(at, match.index)
    const followsWord = run !== null && /^\s*$/.test(between)
    if (followsWord && run?.charset === charset) run.bytes.push(bytes)
    else {
      if (run) pieces.push(decodeRun(run))
      // White space between two encoded words is ignored (section 6.2).
      if (!followsWord) pieces.push(textOf(between))
      run = { charset, bytes: [bytes] }
    }
    at = match.index + written.length
  }
  if (run) pieces.push(decodeRun(run))
  pieces.push(textOf(text.slice(at)))
  return pieces.join('')
}

/** Words in one charset, one after the other: a character may be split over two of them. */
interface WordRun {
  charset: string
  bytes: Buffer[]
}

function decodeRun({ charset, bytes }: WordRun): string {
  // Each word begins and ends in ASCII (RFC 1468): two shifts in a row would be an error.
  if (charset.startsWith('iso-2022-')) return bytes.map((word) => decodeText(word, charset)).join('')
  return decodeText(Buffer.concat(bytes), charset)
}

const encodedWord = /=\?([^?\s]{1,60})\?([BbQq])\?([^?]*)\?=/g

/** The charset that a word names, as written there in lower case; null if it is unknown. */
function knownCharset(named: string): string | null {
  // A language may follow (RFC 2231 section 5).
  const star = named.indexOf('*')
  const charset = (star === -1 ? named : named.slice(0, star)).toLowerCase()
  return isKnownCharset(charset) || /^(?:us-)?ascii$/.test(charset) ? charset : null
}

function fromB(encoded: string): Buffer | null {
  const text = encoded.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,3}$/.test(text) || text.replace(/={1,3}$/, '').length % 4 === 1) return null
  return Buffer.from(text, 'base64')
}

function fromQ(encoded: string, charset: string): Buffer | null {
  const octets = rawOctets(encoded, charset)
  // Octet by octet: replacing by patterns takes several times as long.
  const bytes = Buffer.allocUnsafe(octets.length)
  let size = 0
  for (let at = 0; at < octets.length; at++) {
    const code = octets.charCodeAt(at)
    if (code === 0x3d) {
      const high = hexDigit(octets.charCodeAt(at + 1))
      const low = hexDigit(octets.charCodeAt(at + 2))
      if (high < 0 || low < 0) return null
      bytes[size++] = high * 16 + low
      at += 2
    } else bytes[size++] = code === 0x5f || isAsciiSpace(code) ? 0x20 : code
  }
  return bytes.subarray(0, size)
}

/** The ASCII characters that `\s` of a pattern has. */
function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
