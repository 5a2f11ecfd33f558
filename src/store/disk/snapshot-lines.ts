import { crc32 } from 'node:zlib'
import { writeHex } from './hex.ts'

// A snapshot file has one line per record, which begins with the checksum of that line.

/** The last line but one: the commit up to which a file contains all commits. */
const seqForm = /\n"seq":(\d{1,16}),\n"crc":"[0-9a-f]{8}"\}\n$/
export const seqEndLength: number = '\n"seq":0000000000000000,\n"crc":"00000000"}\n'.length

/** The commit up to which an untouched file contains all commits; undefined if the file does not say it. */
export function seqIn(bytes: Buffer): number | undefined {
  const end = bytes.toString('latin1', Math.max(bytes.byteLength - seqEndLength, 0))
  const seq = seqForm.exec(end)?.[1]
  return seq === undefined ? undefined : Number(seq)
}

/** The first line of a file, and the line that begins the records of a collection. */
export const headForm: RegExp = /^\{"schema":(\d+),$/
export const sectionForm: RegExp = /^"([^"]+)":\[$/

const newline = 10
const comma = 44
export const quote = 34
export const brace = 123

/** Where a line ends: at its line feed, or at the end of the file. */
export function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(newline, at)
  return end < 0 ? bytes.byteLength : end
}

export function lineAt(bytes: Buffer, at: number): string {
  return bytes.toString('utf8', at, endOfLine(bytes, at))
}

/** Where the record ends on a line that ends at `end`, without the comma. */
export function recordEnd(bytes: Buffer, end: number): number {
  return bytes[end - 1] === comma ? end - 1 : end
}

/** The line of a record, with zeros for the checksum that it begins with. */
export function unsignedLine(members: string): string {
  return `${lineStart}${members}}`
}

/** Writes the checksum of such a line. It covers the rest of the line without the final comma. */
export function setLineCrc(bytes: Buffer, start: number, end: number): void {
  writeHex(crc32(bytes.subarray(start + lineStartLength, end)), bytes, start + crcStart.length)
}

const lineForm = /^\{"crc":"([0-9a-f]{8})",$/
const crcStart = '{"crc":"'
const lineStart = `${crcStart}00000000",`
const lineStartLength = lineStart.length

/** Whether a record's line matches its checksum. */
export function isLineWhole(bytes: Buffer, at: number, end: number): boolean {
  const stored = lineForm.exec(bytes.toString('latin1', at, at + lineStartLength))?.[1]
  if (stored === undefined) return false
  return crc32(bytes.subarray(at + lineStartLength, end)) === Number.parseInt(stored, 16)
}

/** The first line of a record that does not match its checksum; null if there is none. The first line of the file is 1. */
export function firstDamaged(bytes: Buffer): number | null {
  let number = 1
  for (let at = 0; at < bytes.byteLength; number++) {
    const end = endOfLine(bytes, at)
    if (bytes[at] === brace && at > 0 && !isLineWhole(bytes, at, recordEnd(bytes, end))) return number
    at = end + 1
  }
  return null
}
