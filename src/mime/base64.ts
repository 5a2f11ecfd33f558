import type { TransferDecoder } from './transfer-decoder.ts'

/**
 * Decodes base64 piece by piece. Data after padding is decoded as a second base64 text, because some programs join encoded
 * pieces. Octets that are not of the encoding are left out; white space is not counted (RFC 2045 section 6.8).
 */
export class Base64Decoder implements TransferDecoder {
  misfits = 0
  /** The characters after the last complete group of four. */
  #held = ''

  write(slice: Buffer): Buffer {
    const text = this.#held + slice.toString('latin1').replace(/[\r\n]+/g, '')
    return this.#decode(text) ?? this.#decode(this.#cleaned(text)) ?? Buffer.alloc(0)
  }

  end(): Buffer {
    const text = this.#cleaned(this.#held)
    // The six bits of a single character are no octet.
    if (text.length === 1) this.misfits++
    return Buffer.from(text, 'base64')
  }

  /** Null if something in the text is not base64: a check in advance would take longer than the decoding. */
  #decode(text: string): Buffer | null {
    const padding = text.lastIndexOf('=')
    const runStart = padding + 1
    const end = runStart + 4 * Math.floor((text.length - runStart) / 4)
    const groups = text.slice(0, end)
    const decoded = padding === -1 ? fromBase64(groups) : fromRuns(groups)
    if (decoded !== null) this.#held = text.slice(end)
    return decoded
  }

  #cleaned(text: string): string {
    const cleaned = text.replace(/[^A-Za-z0-9+/=]+/g, '')
    this.misfits += text.replace(/[\t-\r ]+/g, '').length - cleaned.length
    return cleaned
  }
}

/** @returns Null if the text has other characters, which Node skips. It also takes the two of base64url. */
function fromBase64(text: string): Buffer | null {
  const decoded = Buffer.from(text, 'base64')
  const isAll = decoded.length === (text.length / 4) * 3 && !text.includes('-') && !text.includes('_')
  return isAll ? decoded : null
}

/**
 * Decodes several base64 texts that end with padding, in one pass, so that a million of them are not slow.
 *
 * @returns Null if the text has other characters.
 */
function fromRuns(text: string): Buffer | null {
  const decoded = Buffer.allocUnsafe(text.length)
  let size = 0
  let bits = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const value = base64Values[text.charCodeAt(at)] ?? -1
    // Bits that remain before padding do not make an octet.
    if (value === paddingValue) count = 0
    else if (value === -1) return null
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
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='.indexOf(String.fromCharCode(code)),
)
const paddingValue = 64

/** Decodes base64. White space and missing padding are ignored. @returns null if it is not base64. */
export function decodeBase64(text: string): Buffer | null {
  const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '')
  if (/[^A-Za-z0-9+/_-]/.test(digits) || digits.length % 4 === 1) return null
  return Buffer.from(digits, 'base64')
}
