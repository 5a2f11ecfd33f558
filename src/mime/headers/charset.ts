import { isAscii, isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import { StringDecoder } from 'node:string_decoder'
import { TextDecoder } from 'node:util'
import charsets from './charsets.json' with { type: 'json' }

/**
 * Decodes text in a charset that a message names.
 *
 * @param bytes  The whole text; for pieces there is {@link createTextDecoder}.
 * @param charset  As the message says, in any case. Without a known charset it is UTF-8 if the bytes are valid UTF-8,
 *   otherwise windows-1252. US-ASCII counts as unknown, because text that is declared so often has other octets.
 */
export function decodeText(bytes: Buffer, charset: string | null): string {
  const name = charsetOf(bytes, charset, null)
  // A header may have thousands of texts, and these two decoders take long to make.
  if (name === 'utf-8') return bytes.toString('utf8')
  if (name === 'iso-2022-jp') return decodeJapanese(bytes)
  const decoder = createTextDecoder(name)
  return decoder.write(bytes) + decoder.end()
}

/** Decodes text that comes in pieces, cut anywhere. */
export interface TextPieces {
  write(bytes: Buffer): string
  end(): string
}

/** @param charset  As {@link charsetOf} gives it. */
export function createTextDecoder(charset: string): TextPieces {
  switch (charset) {
    case 'utf-8':
      return new StringDecoder('utf8')
    case 'windows-1252':
      return { write: decodeWindows1252, end: () => '' }
    case 'utf-16le':
    case 'utf-16be':
      return utf16Decoder(charset === 'utf-16be')
    case 'iso-2022-jp': {
      const decoder = new TextDecoder(charset)
      return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
    }
    default: {
      const decoder = loadIconv().getDecoder(charset)
      return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? '' }
    }
  }
}

/** Not by `TextDecoder`, which replaces single surrogates and drops a second byte order mark. */
function utf16Decoder(isSwapped: boolean): TextPieces {
  let held: Buffer = Buffer.alloc(0)
  return {
    write(bytes) {
      const all = held.length > 0 ? Buffer.concat([held, bytes]) : bytes
      const units = all.subarray(0, all.length - (all.length % 2))
      held = Buffer.from(all.subarray(units.length))
      return (isSwapped ? Buffer.from(units).swap16() : units).toString('utf16le')
    },
    // An incomplete unit is no character.
    end: () => '',
  }
}

/** Whether text in this charset can be decoded. US-ASCII does not count, because it does not define octets above 127. */
export function isKnownCharset(charset: string): boolean {
  return canonical(charset) !== null
}

/**
 * The charset for decoding a whole text: the declared one if it is known.
 *
 * @param meta  The beginning of an HTML document, which may declare a charset too.
 */
export function charsetOf(bytes: Buffer, named: string | null, meta: string | null): string {
  const name = canonical(named)
  if (name === 'utf-16') return isBigEndian(bytes) ? 'utf-16be' : 'utf-16le'
  if (name !== null) return name
  if (isUtf8(bytes)) return isJapanese(bytes) ? 'iso-2022-jp' : 'utf-8'
  const inMeta = canonical(meta)
  // A document with a readable <meta> is not UTF-16, and it was found not to be UTF-8 before.
  return inMeta === null || inMeta.startsWith('utf-') ? 'windows-1252' : inMeta
}

/**
 * Whether ASCII octets are Japanese text in ISO-2022-JP (RFC 1468): they have an escape to a set of Japanese characters, which
 * no other text has, and can be decoded.
 */
function isJapanese(bytes: Buffer): boolean {
  if (!bytes.includes(0x1b) || !isAscii(bytes)) return false
  if (!['\x1b$B', '\x1b$@', '\x1b(I'].some((escape) => bytes.includes(escape))) return false
  return !decodeJapanese(bytes).includes('\ufffd')
}

let japanese: TextDecoder | undefined

/** With one decoder for all texts, because it takes long to make. */
function decodeJapanese(bytes: Buffer): string {
  return (japanese ??= new TextDecoder('iso-2022-jp')).decode(bytes)
}

/**
 * Decodes windows-1252, which text that is declared as ISO-8859-1 nearly always is.
 *
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => windows1252[char.charCodeAt(0) - 0x80] ?? char)
}

const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/**
 * Names of charsets, in lower case without punctuation. null: those of no charset, and those that iconv-lite has for encodings of
 * bytes, such as base64. It knows the other charsets.
 */
const wellKnown: ReadonlyMap<string, string | null> = new Map(Object.entries(charsets))

/** The charset that a name means, as decoders here name it; null for names without one. */
function canonical(charset: string | null): string | null {
  // `charset=utf-8:1987`, `x-gbk`, `"UTF_8"`: names in the wild.
  const name = (charset ?? '').slice(0, 60).toLowerCase().trim()
  const key = name.replace(/[^a-z0-9]/g, '').replace(/^(?:x|cs)(?=[a-z])/, '')
  const existing = wellKnown.has(key) ? wellKnown.get(key) : lookedUp.get(key)
  if (existing !== undefined) return existing
  const found = loadIconv().encodingExists(key) ? key : null
  if (lookedUp.size < maxLookedUp) lookedUp.set(key, found)
  return found
}

/** Looking up an unknown name costs most, and a hostile header may contain only such names. */
const lookedUp = new Map<string, string | null>()
const maxLookedUp = 200

function isBigEndian(bytes: Buffer): boolean {
  if (bytes.length >= 2) {
    const mark = bytes.readUInt16BE(0)
    if (mark === 0xfeff || mark === 0xfffe) return mark === 0xfeff
  }
  // Without a byte order mark it is big-endian (RFC 2781 section 4.3), unless the zero octets of Western text show otherwise.
  let lead = 0
  for (const [index, byte] of bytes.subarray(0, 1024).entries())
    if (byte === 0) lead += index % 2 === 0 ? 1 : -1
  return lead >= 0
}

type Iconv = Pick<typeof import('iconv-lite'), 'encodingExists' | 'getDecoder'>

let iconv: Iconv | undefined

/** Its tables take time to load, and most mail needs none of them. */
function loadIconv(): Iconv {
  iconv ??= createRequire(import.meta.url)('iconv-lite') as Iconv
  return iconv
}
