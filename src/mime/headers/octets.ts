import { isUtf8 } from 'node:buffer'
import { decodeText } from './charset.ts'

/**
 * Decodes the lines of a header that are valid UTF-8 (RFC 6532), or Japanese text in ISO-2022-JP. In other lines the charset
 * of octets beyond ASCII depends on the part that contains them, such as an encoded word. These octets become half
 * surrogates, which {@link textOf} and {@link octetsOf} read.
 */
export function decodeOctets(block: Buffer): string {
  const text = textOrOctets(block)
  if (!block.includes(escape)) return text
  // Before the value is split, because an octet of a Japanese character may be that of a quote or a comma.
  const lines = text.split('\n')
  return lines.map((line) => (hasEscape.test(line) ? decodeText(Buffer.from(line), null) : line)).join('\n')
}

/** Text with it may be Japanese (ISO-2022-JP), whose octets are ASCII. */
export const escape: number = 0x1b
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
  if (areRunsUtf8(text)) {
    return text.replace(undecodedRuns, (run) => Buffer.from(run, 'latin1').toString('utf8'))
  }
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
export function octetsOf(text: string): Buffer {
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
