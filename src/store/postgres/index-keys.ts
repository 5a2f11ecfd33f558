import type { IndexKey } from '../queries.ts'

/**
 * Encodes a key of an index, so that the order of the bytes is that of the keys: false before true, numbers by value, strings
 * by code unit. The bytes of a key begin with those of each of its beginnings.
 *
 * Strings are UTF-8, but with surrogates encoded one by one (CESU-8): its order is the one by code unit, and every
 * string can be encoded, unlike in a column of type `text`, which cannot contain a NUL.
 */
export function encodeKey(key: IndexKey): Buffer {
  return Buffer.concat(key.map(encodeValue))
}

/** The first bytes after those of all keys that begin with this one. */
export function afterKey(key: IndexKey): Buffer {
  return Buffer.concat([encodeKey(key), behindAll])
}

const [booleanTag, numberTag, stringTag] = [1, 2, 3]
const behindAll = Buffer.of(0xff)

function encodeValue(value: IndexKey[number]): Buffer {
  if (typeof value === 'boolean') return Buffer.of(booleanTag, value ? 1 : 0)
  if (typeof value === 'number') return encodeNumber(value)
  return encodeString(value)
}

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = numberTag
  // Minus zero equals zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1)
  const isNegative = ((bytes[1] ?? 0) & 0x80) !== 0
  // The larger of two negative numbers has the smaller bits.
  for (let at = 1; at < 9; at++) bytes[at] = (bytes[at] ?? 0) ^ (isNegative ? 0xff : at === 1 ? 0x80 : 0)
  return bytes
}

function encodeString(value: string): Buffer {
  const isPlain = !/[\0\ud800-\udfff]/.test(value)
  const bytes = isPlain ? Buffer.from(value) : Buffer.from([...encodeUnits(value)])
  return Buffer.concat([Buffer.of(stringTag), bytes, stringEnd])
}

// A NUL inside a string is followed by 0xff, so that it sorts after the end of a shorter string.
const stringEnd = Buffer.of(0)

function* encodeUnits(value: string): Generator<number> {
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    if (unit === 0) yield* [0, 0xff]
    else if (unit < 0x80) yield unit
    else if (unit < 0x8_00) yield* [0xc0 | (unit >> 6), 0x80 | (unit & 0x3f)]
    else yield* [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
  }
}
