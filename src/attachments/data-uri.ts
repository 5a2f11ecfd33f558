import { isAscii, isUtf8 } from 'node:buffer'
import { quote } from '../core/quote.ts'
import { hexDigit } from '../core/hex.ts'
import { decodeBase64 } from '../mime/base64.ts'

/** Decodes a `data:` URI; a URI without a type gets one that fits its bytes. @see RFC 2397 */
export function parseDataUri(
  uri: string,
): { kind: 'data'; content: Buffer; content_type: string } | { problem: string } {
  const comma = uri.indexOf(',')
  if (comma < 0) return { problem: `${quote(uri)} is a data: URI without a comma` }
  const head = uri.slice(5, comma)
  const type = head.replace(base64Mark, '').trim()
  const written = uri.slice(comma + 1)
  const octets = written.includes('%') ? decodePercent(written) : written
  if (octets === null)
    return { problem: `${quote(uri)} is a data: URI whose percent encoding cannot be read` }
  const content = base64Mark.test(head) ? decodeBase64(String(octets)) : bytesOf(octets)
  if (content === null) return { problem: `${quote(uri)} is a data: URI whose base64 cannot be read` }
  return { kind: 'data', content, content_type: typeOf(type, content) }
}

const base64Mark = /;\s*base64\s*$/i

// The default type of the RFC is text in US-ASCII, which is often wrong.
function typeOf(given: string, content: Buffer): string {
  if (given.startsWith(';')) return `text/plain${given}`
  if (given !== '') return given
  if (isAscii(content)) return 'text/plain;charset=US-ASCII'
  return isUtf8(content) ? 'text/plain' : 'application/octet-stream'
}

function bytesOf(octets: string | Buffer): Buffer {
  return typeof octets === 'string' ? Buffer.from(octets) : octets
}

/** @returns null if a `%` is not followed by two hexadecimal digits. */
function decodePercent(text: string): Buffer | null {
  if (/%(?![0-9a-f]{2})/i.test(text)) return null
  const octets = Buffer.from(text)
  let size = 0
  // Octet by octet: replacing each by a function takes several times the memory of the text.
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0
    octets[size++] = octet === 0x25 ? hexDigit(octets[++at] ?? 0) * 16 + hexDigit(octets[++at] ?? 0) : octet
  }
  return octets.subarray(0, size)
}
