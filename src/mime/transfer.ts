import { Readable } from 'node:stream'
import { hexDigit } from './headers/encoded-words.ts'

/** The transfer encoding of a part; `none` means 7bit, 8bit or binary. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'uuencode' | 'none'

/** Decodes bytes piece by piece. Invalid input is skipped or passed on unchanged; it never throws. */
export interface TransferDecoder {
  /** @returns The bytes that can be decoded so far; may be empty. */
  write(slice: Buffer): Buffer
  /** @returns The remaining bytes. */
  end(): Buffer
}

/** @see RFC 2045 section 6 */
export function createTransferDecoder(encoding: TransferEncoding): TransferDecoder {
  switch (encoding) {
    case 'base64':
      return base64Decoder()
    case 'quoted-printable':
      return lineDecoder(decodeQuotedPrintable)
    case 'uuencode':
      return uuDecoder()
    case 'none':
      return { write: (slice) => slice, end: () => nothing }
  }
}

/** Decodes a stream of encoded bytes. */
export function decodeTransfer(encoded: AsyncIterable<Buffer>, encoding: TransferEncoding): Readable {
  return Readable.from(decodedSlices(encoded, encoding), { objectMode: false })
}

async function* decodedSlices(
  encoded: AsyncIterable<Buffer>,
  encoding: TransferEncoding,
): AsyncGenerator<Buffer> {
  const decoder = createTransferDecoder(encoding)
  for await (const slice of encoded) {
    const decoded = decoder.write(slice)
    if (decoded.length > 0) yield decoded
  }
  const rest = decoder.end()
  if (rest.length > 0) yield rest
}

const nothing = Buffer.alloc(0)

/** Data after padding is decoded as a second base64 text, because some programs join encoded pieces. */
function base64Decoder(): TransferDecoder {
  let held = ''
  return {
    write(slice) {
      const text = held + slice.toString('latin1').replace(/[^A-Za-z0-9+/=]+/g, '')
      const padding = text.lastIndexOf('=')
      const open = padding + 1
      const whole = open + 4 * Math.floor((text.length - open) / 4)
      held = text.slice(whole)
      return padding === -1 ? fromBase64(text.slice(0, whole)) : fromRuns(text.slice(0, whole))
    },
    end: () => fromBase64(held),
  }
}

function fromBase64(text: string): Buffer {
  return text === '' ? nothing : Buffer.from(text, 'base64')
}

/** Decodes several base64 texts that end with padding, in one pass, so that a million of them are not slow. */
function fromRuns(text: string): Buffer {
  const decoded = Buffer.allocUnsafe(text.length)
  let size = 0
  let bits = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const value = base64Values[text.charCodeAt(at)] ?? -1
    // Bits that remain before padding do not make an octet.
    if (value === -1) count = 0
    else {
      bits = ((bits << 6) | value) & 0xfff
      count += 6
      if (count >= 8) {
        count -= 8
        decoded[size++] = bits >> count
      }
    }
  }
  return decoded.subarray(0, size)
}

const base64Values = Int8Array.from({ length: 128 }, (_, code) =>
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code)),
)

/** Longer lines are decoded in pieces. No real encoder writes such lines. */
const maxLineLength = 64 * 1024

/** Passes only complete lines to `decode`. */
function lineDecoder(decode: (lines: Buffer, isLast: boolean) => Buffer): TransferDecoder {
  let held = nothing
  return {
    write(slice) {
      const bytes = held.length > 0 ? Buffer.concat([held, slice]) : slice
      let cut = bytes.lastIndexOf(newline) + 1
      if (bytes.length - cut > maxLineLength) {
        // An escape may continue in the next slice.
        const escape = bytes.indexOf(equals, bytes.length - 2)
        cut = escape === -1 ? bytes.length : escape
      }
      held = Buffer.from(bytes.subarray(cut))
      return cut === 0 ? nothing : decode(bytes.subarray(0, cut), false)
    },
    end: () => decode(held, true),
  }
}

const newline = 0x0a
const carriageReturn = 0x0d
const equals = 0x3d

/**
 * Decodes octet by octet, because regular expressions take ten times as long.
 *
 * @param isLast  Whether the data ends here, which counts as the end of a line.
 */
function decodeQuotedPrintable(bytes: Buffer, isLast: boolean): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length)
  let size = 0
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    const isEscape = byte === equals
    const octet = isEscape ? escaped(bytes, at + 1) : -1
    if (octet !== -1) {
      decoded[size++] = octet
      at += 3
      continue
    }
    const next = isEscape || isSpace(byte) ? behindSpace(bytes, at + 1) : at
    const isAtEnd = next === bytes.length ? isLast : isLineEnd(bytes[next])
    if (next > at && isAtEnd) {
      // White space at the end of a line was added in transport (RFC 2045 section 6.7, rule 3).
      at = isEscape ? behindLineEnd(bytes, next) : next
    } else {
      const end = isSpace(byte) ? next : at + 1
      while (at < end) decoded[size++] = bytes[at++] ?? 0
    }
  }
  return decoded.subarray(0, size)
}

/** The octet of two hexadecimal digits; -1 if they are not hexadecimal. */
function escaped(bytes: Buffer, at: number): number {
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

function behindSpace(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

function behindLineEnd(bytes: Buffer, at: number): number {
  return bytes[at] === carriageReturn && bytes[at + 1] === newline ? at + 2 : at + 1
}

/** Decodes the lines between `begin` and `end`. If the first line is not `begin`, everything is passed on unchanged. */
function uuDecoder(): TransferDecoder {
  let state: 'before' | 'in' | 'after' | 'plain' = 'before'
  return lineDecoder((lines) => {
    if (state === 'plain') return lines
    const decoded: string[] = []
    for (const line of lines.toString('latin1').split(/\r?\n|\r/)) {
      if (state === 'before') {
        if (/^begin [0-7]{3,4} /.test(line)) state = 'in'
        else if (line.trim() !== '') {
          state = 'plain'
          return lines
        }
      } else if (state === 'in') {
        if (/^end[ \t]*$/.test(line)) state = 'after'
        else decoded.push(decodeUuLine(line))
      }
    }
    return Buffer.from(decoded.join(''), 'latin1')
  })
}

function decodeUuLine(line: string): string {
  const length = sixBits(line, 0)
  const octets: number[] = []
  for (let at = 1; octets.length < length && at < line.length; at += 4) {
    const group =
      (sixBits(line, at) << 18) |
      (sixBits(line, at + 1) << 12) |
      (sixBits(line, at + 2) << 6) |
      sixBits(line, at + 3)
    octets.push((group >> 16) & 0xff, (group >> 8) & 0xff, group & 0xff)
  }
  return String.fromCharCode(...octets.slice(0, length))
}

/** Spaces at the end of a line mean zeros and may have been removed, so missing characters count as zeros. */
function sixBits(line: string, at: number): number {
  return at < line.length ? (line.charCodeAt(at) - 0x20) & 0x3f : 0
}
