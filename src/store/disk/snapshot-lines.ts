import { crc32 } from 'node:zlib'

// A file of records has one line for each record, which begins with the checksum of that line. The last line is the
// checksum of everything before it.

export interface Line {
  /** The first line is 1. */
  readonly number: number
  readonly at: number
  /** Where it ends, without the line feed, and without the comma after a record. */
  readonly end: number
  readonly isRecord: boolean
}

export function* snapshotLines(bytes: Buffer): Generator<Line> {
  let number = 1
  for (let at = 0; at < bytes.byteLength; number++) {
    const feed = bytes.indexOf(newline, at)
    const end = feed < 0 ? bytes.byteLength : feed
    const isRecord = bytes[at] === brace && number > 1
    yield { number, at, end: isRecord && bytes[end - 1] === comma ? end - 1 : end, isRecord }
    at = end + 1
  }
}

const newline = 10
const comma = 44
const brace = 123

/** The last line but one: the commit up to which a file contains all commits. */
const seqForm = /\n"seq":(\d{1,16}),\n"crc":"[0-9a-f]{8}"\}\n$/
/** The length of the last two lines of a file. */
export const seqEndLength: number = '\n"seq":0000000000000000,\n"crc":"00000000"}\n'.length

/** The commit up to which an untouched file contains all commits; undefined if the file does not say it. */
export function seqIn(bytes: Buffer): number | undefined {
  const end = bytes.toString('latin1', Math.max(bytes.byteLength - seqEndLength, 0))
  const seq = seqForm.exec(end)?.[1]
  return seq === undefined ? undefined : Number(seq)
}

const footerForm = /"crc":"([0-9a-f]{8})"\}\n$/
const footerLength = '"crc":"00000000"}\n'.length

/** The checksum in the last line of a file; null if there is none. @param end  The file or its last bytes. */
export function storedCrc(end: Buffer): number | null {
  const footer = footerForm.exec(end.toString('latin1', Math.max(end.byteLength - footerLength, 0)))
  return footer?.[1] === undefined ? null : Number.parseInt(footer[1], 16)
}

/** The checksum of a file that is unchanged since it was written; otherwise null. */
export function untouchedCrc(bytes: Buffer): number | null {
  const stored = storedCrc(bytes)
  return stored !== null && crc32(bytes.subarray(0, bytes.byteLength - footerLength)) === stored
    ? stored
    : null
}

/** 32 bits as eight digits. */
export const hex = (value: number): string => value.toString(16).padStart(8, '0')

/** The line of a record. Its checksum covers the rest of the line without the final comma. */
export function signedLine(members: string): string {
  const rest = `${members}}`
  return `{"crc":"${hex(crc32(rest))}",${rest}`
}

const lineForm = /^\{"crc":"([0-9a-f]{8})",$/
const lineStartLength = '{"crc":"00000000",'.length

export function isLineWhole(bytes: Buffer, at: number, end: number): boolean {
  const stored = lineForm.exec(bytes.toString('latin1', at, at + lineStartLength))?.[1]
  if (stored === undefined) return false
  return crc32(bytes.subarray(at + lineStartLength, end)) === Number.parseInt(stored, 16)
}
