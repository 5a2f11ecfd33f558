import { isAscii, isUtf8 } from 'node:buffer'
import { quote } from '../core/errors.ts'
import type { Pacer } from '../core/yield.ts'

/**
 * Decodes a `data:` URI; `fetch` would copy 40 MB several times.
 *
 * @param pacer  Yields to the event loop while a long one is decoded; one for all of a request.
 * @returns Its bytes and its type, with the detected charset for text without one; or its fault.
 * @see RFC 2397
 */
export async function parseDataUri(
  uri: string,
  pacer: Pacer,
): Promise<{ kind: 'data'; content: Buffer; content_type: string } | { problem: string }> {
  const comma = uri.indexOf(',')
  if (comma < 0) return { problem: `${quote(uri)} is a data: URI without a comma` }
  const head = uri.slice(5, comma)
  const isBase64 = /;\s*base64\s*$/i.test(head)
  const type = head.replace(/;\s*base64\s*$/i, '').trim()
  const content = await decodePercent(await bytesOf(uri, comma + 1, pacer), pacer)
  if (!content) return { problem: `${quote(uri)} is a data: URI whose percent encoding cannot be read` }
  if (!isBase64) return { kind: 'data', content, content_type: typeOf(type, content) }
  const decoded = await decodeBase64(content, pacer)
  if (!decoded) return { problem: `${quote(uri)} is a data: URI whose base64 cannot be read` }
  return { kind: 'data', content: decoded, content_type: typeOf(type, decoded) }
}

// The default type of the RFC is text in US-ASCII, which is often wrong.
function typeOf(given: string, content: Buffer): string {
  if (given.startsWith(';')) return `text/plain${given}`
  if (given !== '') return given
  if (isAscii(content)) return 'text/plain;charset=US-ASCII'
  return isUtf8(content) ? 'text/plain' : 'application/octet-stream'
}

/** How many octets are decoded before the next look at the clock. */
const sliceBytes = 16_384
const percent = 0x25

/** The octets of a text in UTF-8, from a character on. */
async function bytesOf(text: string, start: number, pacer: Pacer): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text))
  let length = 0
  for (let from = start; from < text.length;) {
    let until = from + sliceBytes
    // A surrogate pair stays together.
    if ((text.charCodeAt(until - 1) & 0xfc00) === 0xd800) until++
    length += bytes.write(text.slice(from, until), length)
    from = until
    if (pacer.due()) await pacer.turn()
  }
  return bytes.subarray(0, length)
}

/**
 * Percent-decodes in place: the result is never longer.
 *
 * @returns null if a `%` is not followed by two hexadecimal digits.
 */
async function decodePercent(bytes: Buffer, pacer: Pacer): Promise<Buffer | null> {
  let from = bytes.indexOf(percent)
  if (from === -1) return bytes
  let to = from
  while (from < bytes.length) {
    const until = Math.min(bytes.length, from + sliceBytes)
    while (from < until) {
      const byte = bytes[from++] ?? 0
      if (byte !== percent) {
        bytes[to++] = byte
        continue
      }
      const high = digitOf(bytes[from++])
      const low = digitOf(bytes[from++])
      if (high < 0 || low < 0) return null
      bytes[to++] = high * 16 + low
    }
    if (pacer.due()) await pacer.turn()
  }
  return bytes.subarray(0, to)
}

function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/**
 * Decodes base64; white space and missing padding are ignored.
 *
 * @returns null if it is not base64.
 */
async function decodeBase64(text: Buffer, pacer: Pacer): Promise<Buffer | null> {
  const decoded = Buffer.allocUnsafe(Math.ceil(text.length / 4) * 3)
  let rest = ''
  let length = 0
  for (let from = 0; from < text.length; from += sliceBytes) {
    const compact = rest + text.toString('latin1', from, from + sliceBytes).replace(/\s+/g, '')
    const end = from + sliceBytes < text.length ? compact.length - 4 - (compact.length % 4) : compact.length
    const isLast = end === compact.length
    const whole = compact.slice(0, Math.max(0, end))
    rest = compact.slice(whole.length)
    if (!(isLast ? lastBase64 : innerBase64).test(whole)) return null
    if (isLast && whole.replace(/={1,2}$/, '').length % 4 === 1) return null
    length += decoded.write(whole, length, 'base64')
    if (pacer.due()) await pacer.turn()
  }
  return decoded.subarray(0, length)
}

const innerBase64 = /^[A-Za-z0-9+/_-]*$/
const lastBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/
