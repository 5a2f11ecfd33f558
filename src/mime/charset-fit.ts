import { isAscii, isUtf8 } from 'node:buffer'
import { isKnownCharset } from './headers/charset.ts'

/** The charset of a text. */
export interface TextCharset {
  /** As the part says, in lower case; null without one: then nothing can be wrong. */
  readonly declared: string | null
  /** The one that it was decoded in, as `charsetOf` gives it. */
  readonly charset: string
}

/**
 * Says which octets of a text do not fit the charset that it declares.
 *
 * @param bytes  The whole text.
 * @param text  The decoded text, with U+FFFD for what could not be decoded.
 * @returns The rest of a sentence about the text; null if all octets fit.
 */
export function charsetMisfit(
  bytes: Buffer,
  text: string,
  { declared, charset }: TextCharset,
): string | null {
  if (declared === null) return null
  // Most texts: the other questions would take longer than this answer.
  if (declared === 'utf-8' && isUtf8(bytes)) return null
  if (sayingUnknown.has(declared)) return null
  if (wide.test(charset)) return misfit(wideMisfits(bytes, charset, text), declared)
  if (escaped.test(charset)) return misfit(countOf(text, replacement), declared)
  // Every other charset has ASCII in it.
  if (isAscii(bytes)) return null
  if (!isKnownCharset(declared)) return unknownMisfit(bytes, declared, charset)
  if (charset === 'utf-8') return isUtf8(bytes) ? null : misfit(utf8Misfits(bytes), declared)
  const undecoded = countOf(text, replacement)
  if (undecoded > 0) return misfit(undecoded, declared)
  return looksLikeUtf8(bytes, charset) ? misfit(beyondAscii(bytes), declared, ': they are UTF-8') : null
}

/** US-ASCII counts as unknown, because it does not define octets above 127. */
function unknownMisfit(bytes: Buffer, declared: string, charset: string): string | null {
  return asciiName.test(declared)
    ? misfit(beyondAscii(bytes), declared)
    : `has the charset ${declared}, which is unknown; it is read as ${charset}`
}

/** Text in another charset is not valid UTF-8 by accident, but for one or two of its characters beyond ASCII. */
function looksLikeUtf8(bytes: Buffer, charset: string): boolean {
  const least = severalOctets.test(charset) ? minOctetsOfSeveral : minOctetsOfOne
  return isUtf8(bytes) && beyondAscii(bytes) >= least
}

// The patterns below fit the names that `charsetOf` makes; `asciiName` fits those that parts declare.
/** Charsets whose characters beyond ASCII take several octets. */
const severalOctets = /^(?:gb|big|euc|shift|sjis|cp9|windows9|ms9|ks|korean|uhc|cn)/
/** How many octets beyond ASCII valid UTF-8 must have to be no accident: by the octets of a character. */
const minOctetsOfSeveral = 6
const minOctetsOfOne = 2

/** Names that say that the charset is not known. */
const sayingUnknown: ReadonlySet<string> = new Set([
  'unknown-8bit',
  'x-unknown',
  'unknown',
  '7bit',
  '8bit',
  'binary',
])
const asciiName = /^(?:(?:us-)?ascii|ansi_x3\.4-1968)$/
const wide = /^utf-?(?:16|32)/
/** Charsets whose octets are all ASCII. */
const escaped = /^(?:iso-?2022|utf-?7|hz)/
const replacement = '\ufffd'

function misfit(octets: number, charset: string, reason = ''): string | null {
  if (octets === 0) return null
  const subject = octets === 1 ? '1 octet that does' : `${octets} octets that do`
  return `has ${subject} not fit its charset ${charset}${reason}`
}

function wideMisfits(bytes: Buffer, charset: string, text: string): number {
  const unit = charset.includes('16') ? 2 : 4
  const incomplete = bytes.length % unit
  if (unit === 2) return incomplete + unit * (text.match(/\p{Surrogate}/gu)?.length ?? 0)
  // An incomplete unit is replaced too.
  return incomplete + unit * Math.max(0, countOf(text, replacement) - (incomplete > 0 ? 1 : 0))
}

/** Those that decoding replaces by U+FFFD. A U+FFFD that the text has itself fits. */
function utf8Misfits(bytes: Buffer): number {
  const text = bytes.toString()
  const replaced = countOf(text, replacement) - countOf(bytes.toString('latin1'), '\xef\xbf\xbd')
  return bytes.length - (Buffer.byteLength(text) - 3 * replaced)
}

function beyondAscii(bytes: Buffer): number {
  let count = 0
  for (const octet of bytes) if (octet >= 0x80) count++
  return count
}

function countOf(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}
