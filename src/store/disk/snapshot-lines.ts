import { crc32 } from 'node:zlib'

/*
 * A file of records: `db.json`, or one segment of a large collection. It is JSON with one record in each line:
 *
 * ```text
 * {"schema":1,
 * "indexes":{"domains":"name:name"},
 * "domains":[
 * {"crc":"ac735def","id":"dom_1","version":1,"keys":[["a.test"]],"record":{"id":"dom_1","name":"a.test"}},
 * {"crc":"0b31f2aa","id":"dom_2","version":1,"keys":[["b.test"]],"record":{"id":"dom_2","name":"b.test"}}
 * ],
 * "ids":{"domains":["dom_1","dom_2"]},
 * "seq":3,
 * "crc":"4412ed04"}
 * ```
 *
 * The checksum of a record covers the rest of its line without the comma. The checksum in the last line covers everything
 * before that line. `seq` is the commit up to which the file contains all commits. `snapshot-pieces.ts` writes the
 * lines around the records.
 */

export interface Line {
  /** The first line is 1. */
  readonly number: number
  readonly at: number
  /** Where it ends, without the line feed, and without the comma after a record. */
  readonly end: number
  readonly hasRecord: boolean
}

export function* snapshotLines(bytes: Buffer): Generator<Line> {
  let number = 1
  for (let at = 0; at < bytes.byteLength; number++) {
    const feed = bytes.indexOf(newline, at)
    const end = feed < 0 ? bytes.byteLength : feed
    // The first line begins with a brace too.
    const hasRecord = bytes[at] === brace && number > 1
    yield { number, at, end: hasRecord && bytes[end - 1] === comma ? end - 1 : end, hasRecord }
    at = end + 1
  }
}

const newline = 10
const comma = 44
const brace = 123

/** The last line but one. */
export const seqLine = (seq: number): string => `"seq":${seq},\n`
/** The last line. @param crc  The checksum of everything before it. */
export const footer = (crc: number): string => `"crc":"${hex(crc)}"}\n`

const seqForm = /\n"seq":(\d{1,16}),\n"crc":"[0-9a-f]{8}"\}\n$/
const footerForm = /"crc":"([0-9a-f]{8})"\}\n$/
export const footerLength: number = footer(0).length
/** The length of the longest last two lines, and of the line feed before them. */
export const seqEndLength: number = `\n${seqLine(Number.MAX_SAFE_INTEGER)}`.length + footerLength

/** The commit up to which an untouched file contains all commits; undefined if the file does not say it. */
export function seqIn(bytes: Buffer): number | undefined {
  const end = bytes.toString('latin1', Math.max(bytes.byteLength - seqEndLength, 0))
  const seq = seqForm.exec(end)?.[1]
  return seq === undefined ? undefined : Number(seq)
}

/** The checksum in the last line of a file; null if there is none. @param end  The file or its last bytes. */
export function storedCrc(end: Buffer): number | null {
  const digits = footerForm.exec(end.toString('latin1', Math.max(end.byteLength - footerLength, 0)))?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}

/** The checksum of a file that is unchanged since it was written; otherwise null. */
export function untouchedCrc(bytes: Buffer): number | null {
  const stored = storedCrc(bytes)
  return stored !== null && crc32(bytes.subarray(0, bytes.byteLength - footerLength)) === stored
    ? stored
    : null
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}

/** How the line of a record begins. @param crc  The checksum of the rest of the line without the final comma. */
const lineStart = (crc: number): string => `{"crc":"${hex(crc)}",`
const lineStartForm = /^\{"crc":"([0-9a-f]{8})",$/
const lineStartLength = lineStart(0).length

/** The line of a record. */
export function signedLine(members: string): string {
  const rest = `${members}}`
  return lineStart(crc32(rest)) + rest
}

/** Whether the line of a record matches its checksum. */
export function isLineIntact(bytes: Buffer, at: number, end: number): boolean {
  const stored = lineStartForm.exec(bytes.toString('latin1', at, at + lineStartLength))?.[1]
  if (stored === undefined) return false
  return crc32(bytes.subarray(at + lineStartLength, end)) === Number.parseInt(stored, 16)
}
