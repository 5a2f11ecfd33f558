import { crc32 } from 'node:zlib'

/** The CRC-32 of the concatenated pieces: about a microsecond for 6 KB. */
export function crcOf(pieces: readonly Uint8Array[]): number {
  let crc = 0
  for (const piece of pieces) crc = crc32(piece, crc)
  return crc
}

/**
 * The CRC-32 of two concatenated pieces, computed from the CRC-32 of each in a few nanoseconds, whatever their length.
 *
 * A CRC is the remainder of a polynomial over GF(2), with the lowest power in the highest bit. Each octet appended to
 * a piece multiplies its polynomial by x⁸.
 *
 * @param length  Length of the second piece in octets.
 * @see Mark Adler's `crc32_combine` in zlib, for the method
 */
export function joinedCrc(first: number, second: number, length: number): number {
  let shifted = first
  for (let rest = length, i = 0; rest > 0; rest = Math.floor(rest / 2), i++) {
    if (rest % 2 === 1) shifted = applied(shiftBy(i), shifted)
  }
  return (shifted ^ second) >>> 0
}

const generator = 0xedb88320
const one = 0x80000000
const x8 = one >>> 8

/** The product of two polynomials, modulo the generator. */
function product(a: number, b: number): number {
  let sum = 0
  for (let bit = one, factor = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= factor
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ generator
  }
  return sum
}

/** A multiplication as a table: 256 products for each of the four octets of the other factor. */
type Multiplication = Int32Array

const shifts: Multiplication[] = []
let power = x8

/** The multiplication that appending 2ⁱ octets means. */
function shiftBy(i: number): Multiplication {
  for (; shifts.length <= i; power = product(power, power)) shifts.push(multiplicationBy(power))
  return shifts[i] ?? new Int32Array(1024)
}

function multiplicationBy(factor: number): Multiplication {
  const table = new Int32Array(1024)
  for (let octet = 0; octet < 4; octet++) {
    for (let value = 1; value < 256; value++) {
      const lowest = value & -value
      const rest = table[octet * 256 + (value - lowest)] ?? 0
      table[octet * 256 + value] =
        value === lowest ? product(factor, value << (octet * 8)) : rest ^ (table[octet * 256 + lowest] ?? 0)
    }
  }
  return table
}

function applied(table: Multiplication, crc: number): number {
  return (
    (table[crc & 0xff] ?? 0) ^
    (table[256 + ((crc >>> 8) & 0xff)] ?? 0) ^
    (table[512 + ((crc >>> 16) & 0xff)] ?? 0) ^
    (table[768 + (crc >>> 24)] ?? 0)
  )
}
