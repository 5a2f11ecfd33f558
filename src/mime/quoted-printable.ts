import { hexDigit } from '../core/hex.ts'
import { LineDecoder } from './transfer-decoder.ts'

/** @see RFC 2045 section 6.7 */
export class QuotedPrintableDecoder extends LineDecoder {
  /**
   * Octet by octet, because regular expressions take ten times as long. An equals sign that begins no escape is passed on,
   * and counted. The end of the data counts as the end of a line.
   */
  protected override decode(bytes: Buffer, isLast: boolean): Buffer {
    const decoded = Buffer.allocUnsafe(bytes.length)
    let size = 0
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at] ?? 0
      const isEscape = byte === equals
      const octet = isEscape ? octetOfEscape(bytes, at + 1) : -1
      if (octet !== -1) {
        decoded[size++] = octet
        at += 3
        continue
      }
      // Where the white space that begins here, or after the equals sign, ends.
      const next = isEscape || isSpace(byte) ? afterSpace(bytes, at + 1) : at
      const isAtEnd = next === bytes.length ? isLast : isLineEnd(bytes[next])
      if (next > at && isAtEnd) {
        // White space at the end of a line was added in transport (RFC 2045 section 6.7, rule 3).
        at = isEscape ? afterLineEnd(bytes, next) : next
      } else {
        if (isEscape) this.countMisfits(1)
        const end = isSpace(byte) ? next : at + 1
        while (at < end) decoded[size++] = bytes[at++] ?? 0
      }
    }
    return decoded.subarray(0, size)
  }

  /** Before an escape that may continue in the next slice. */
  protected override cutOf(bytes: Buffer): number {
    const escape = bytes.indexOf(equals, bytes.length - 2)
    return escape === -1 ? bytes.length : escape
  }
}

/** The octet of two hexadecimal digits; -1 if they are not hexadecimal. */
function octetOfEscape(bytes: Buffer, at: number): number {
  const high = hexDigit(bytes[at] ?? 0)
  const low = hexDigit(bytes[at + 1] ?? 0)
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === newline || byte === carriageReturn
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

function afterLineEnd(bytes: Buffer, at: number): number {
  return bytes[at] === carriageReturn && bytes[at + 1] === newline ? at + 2 : at + 1
}

const newline = 0x0a
const carriageReturn = 0x0d
const equals = 0x3d
