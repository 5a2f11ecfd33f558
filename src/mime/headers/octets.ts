import { isUtf8 } from 'node:buffer'
import { decodeText } from './charset.ts'

/**
 * Decodes the lines of a header that are valid UTF-8 (RFC 6532), or Japanese text in ISO-2022-JP. In other lines the charset
 * of octets beyond ASCII depends on the part that contains them, such as an encoded word. These octets become half
 * surrogates, which {@link textOf} and {@link octetsOf} read.
 */
export function decodeOctets(block: Buffer): string {
  const text = textOrOctets(block)
  if (!block.includes(escapeOctet)) return text
  // Before the value is split, because an octet of a Japanese character may be that of a quote or a comma.
  const lines = text.split('\n')
  return lines.map((line) => (hasEscape.test(line) ? decodeText(Buffer.from(line), null) : line)).join('\n')
}

/** Text with it may be Japanese (ISO-2022-JP), whose octets are ASCII. */
export const escapeOctet: number = 0x1b
const hasEscape = /^[\x00-\x1a\x1c-\x7f]*\x1b[\x00-\x7f]*$/

function textOrOctets(block: Buffer): string {
  if (isUtf8(block)) return block.toString('utf8')
  // A Latin-1 line must not change how the UTF-8 lines are read.
  const octets = undecoded(block).split('\n')
  const lines = block.toString('utf8').split('\n')
  return lines.map((line, index) => (line.includes('\ufffd') ? octets[index] : line)).join('\n')
}

// U+DC80 to U+DCFF represent octets, as in Python's `surrogateescape`: decoded text never contains them alone.
const undecodedOctet = /[\udc80-\udcff]/u
const undecodedRuns = /[\udc80-\udcff]+/gu
const nothingDecoded = /^[\x00-\x7f\udc80-\udcff]*$/u

/** The bytes of UTF-16LE are changed: with 0xdc as its second byte, an octet is U+DCxx, and with 0 the Latin-1 character. */
function undecoded(block: Buffer): string {
  const units = Buffer.from(block.toString('latin1'), 'utf16le')
  for (let at = 0; at < units.length; at += 2) if ((units[at] ?? 0) >= 0x80) units[at + 1] = 0xdc
  return units.toString('utf16le')
}

/** A text of a header for people: undecoded octets are read as UTF-8 if all of them are valid, else as Latin-1. */
export function textOf(text: string): string {
  if (!undecodedOctet.test(text)) return text
  if (nothingDecoded.test(text)) {
    const octets = Buffer.from(text, 'latin1')
    return octets.toString(isUtf8(octets) ? 'utf8' : 'latin1')
  }
  if (areRunsUtf8(text))
    return text.replace(undecodedRuns, (run) => Buffer.from(run, 'latin1').toString('utf8'))
  // As in `undecoded`.
  const units = Buffer.from(text, 'utf16le')
  for (let at = 0, isPair = false; at < units.length; at += 2) {
    const high = units[at + 1] ?? 0
    if (!isPair && high === 0xdc && (units[at] ?? 0) >= 0x80) units[at + 1] = 0
    isPair = high >= 0xd8 && high < 0xdc
  }
  return units.toString('utf16le')
}

/** Whether all octets are valid UTF-8. Decoded characters between them are valid, so each run is checked separately. */
function areRunsUtf8(text: string): boolean {
  for (const [run] of text.matchAll(undecodedRuns)) if (!isUtf8(Buffer.from(run, 'latin1'))) return false
  return true
}

/** The original octets of a text of a header. */
function octetsOf(text: string): Buffer {
  if (!undecodedOctet.test(text)) return Buffer.from(text)
  // This writes the lower byte of each code unit.
  if (nothingDecoded.test(text)) return Buffer.from(text, 'latin1')
  const octets = Buffer.allocUnsafe(text.length * 3)
  let size = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x80 || isUndecoded(code)) octets[size++] = code & 0xff
    else size += octets.write(char, size)
  }
  return octets.subarray(0, size)
}

function isUndecoded(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff
}

/**
 * The octets of a text that names its charset, one character for each octet. Raw Latin-1 in a text that names UTF-8 is read
 * as Latin-1.
 *
 * @param text  As `decodeOctets` returns it.
 */
export function rawOctets(text: string, charset: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const octets = octetsOf(text)
  const isCalledUtf8 = /^utf-?8$/i.test(charset)
  return (isCalledUtf8 && !isUtf8(octets) ? Buffer.from(textOf(text)) : octets).toString('latin1')
}
