import { Readable } from 'node:stream'
import { hexDigit } from '../core/hex.ts'
import { createBase64Decoder } from './base64.ts'
import type { TransferDecoder } from './transfer-decoder.ts'

/** The transfer encoding of a part; `none` means 7bit, 8bit or binary. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'uuencode' | 'none'

/** @see RFC 2045 section 6 */
export function createTransferDecoder(encoding: TransferEncoding): TransferDecoder {
  switch (encoding) {
    case 'base64':
      return createBase64Decoder()
    case 'quoted-printable':
      return quotedPrintableDecoder()
    case 'uuencode':
      return uuDecoder()
    case 'none':
      return { misfits: 0, write: (slice) => slice, end: () => nothing }
  }
}

/**
 * Says how many octets of a part are not of its transfer encoding.
 *
 * @returns The rest of a sentence about the part; null if there are none.
 */
export function encodingMisfit(misfits: number, encoding: TransferEncoding): string | null {
  if (misfits === 0) return null
  const what = misfits === 1 ? '1 octet that is' : `${misfits} octets that are`
  const treated = encoding === 'base64' ? 'left out' : 'shown as they are'
  const verb = misfits === 1 ? 'is' : 'are'
  return `has ${what} not ${encoding} and ${verb} ${misfits === 1 ? treated.replace('they are', 'it is') : treated}`
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

/** Longer lines are decoded in pieces. No real encoder writes such lines. */
const maxLineLength = 64 * 1024

/** Passes only complete lines to `decode`. */
function lineDecoder(
  decode: (lines: Buffer, isLast: boolean) => Buffer,
): Pick<TransferDecoder, 'write' | 'end'> {
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

function quotedPrintableDecoder(): TransferDecoder {
  const counted = { misfits: 0 }
  const decoder = lineDecoder((lines, isLast) => decodeQuotedPrintable(lines, isLast, counted))
  return Object.assign(counted, decoder)
}

/**
 * Decodes octet by octet, because regular expressions take ten times as long. An equals sign that begins no escape is
 * passed on, and counted.
 *
 * @param isLast  Whether the data ends here, which counts as the end of a line.
 */
function decodeQuotedPrintable(bytes: Buffer, isLast: boolean, counted: { misfits: number }): Buffer {
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
      if (isEscape) counted.misfits++
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
  const counted = { misfits: 0 }
  let state: 'before' | 'in' | 'after' | 'plain' = 'before'
  const passOn = (lines: Buffer): Buffer => {
    counted.misfits += lines.length
    return lines
  }
  const decoder = lineDecoder((lines) => {
    if (state === 'plain') return passOn(lines)
    const decoded: string[] = []
    for (const line of lines.toString('latin1').split(/\r?\n|\r/)) {
      if (state === 'before') {
        if (/^begin [0-7]{3,4} /.test(line)) state = 'in'
        else if (line.trim() !== '') {
          state = 'plain'
          return passOn(lines)
        }
      } else if (state === 'in') {
        if (/^end[ \t]*$/.test(line)) state = 'after'
        else decoded.push(decodeUuLine(line))
      }
    }
    return Buffer.from(decoded.join(''), 'latin1')
  })
  return Object.assign(counted, decoder)
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
