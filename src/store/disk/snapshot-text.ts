import { crc32 } from 'node:zlib'
import type { LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'
import { assertKnownFormat } from './format.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { type Edits, editsOf } from './snapshot-edits.ts'
import {
  brace,
  endOfLine,
  firstDamaged,
  headForm,
  lineAt,
  quote,
  recordEnd,
  seqIn,
} from './snapshot-lines.ts'
import type { IndexKey } from '../queries.ts'
import { isObject } from '../stored.ts'

/**
 * Reads a snapshot file. A file whose checksum matches is read line by line, and the text of each record is kept
 * without parsing it. A file without a checksum was edited by a person; it only has to be JSON with the same structure.
 * A file whose checksum does not match is damaged.
 *
 * @returns The snapshot, and what was edited; null if the file was not.
 * @throws store_corrupt with the file, the line and the byte; store_newer_schema.
 */
export function parseSnapshot(bytes: Buffer, path: string): { snapshot: Snapshot; edited: Edits | null } {
  const head = headForm.exec(lineAt(bytes, 0))
  if (head) assertKnownFormat(Number(head[1]), path)
  const untouched = head && isUntouched(bytes) ? parseLines(bytes) : null
  if (untouched) {
    // A checkpoint copies lines of records that rest, whether or not they are damaged.
    assertLines(bytes, path)
    const crc = storedCrc(bytes)
    if (crc !== null) untouched.file = { size: bytes.byteLength, crc }
    return { snapshot: untouched, edited: null }
  }
  const whole = parseWhole(bytes, path)
  if (isObject(whole) && 'crc' in whole) {
    assertLines(bytes, path)
    throw corrupt(path, 'the file is not what Localpost wrote: its checksum does not fit.', restoreIt)
  }
  return fromWhole(bytes, whole, path)
}

function assertLines(bytes: Buffer, path: string): void {
  const damaged = firstDamaged(bytes)
  if (damaged !== null) throw damagedAt(path, damaged)
}

/** The error of a line whose own checksum does not match. */
export function damagedAt(path: string, line: number): LocalpostError {
  const what = `line ${line} is not what Localpost wrote: its checksum does not fit.`
  return corrupt(`${path}:${line}`, what, restoreIt)
}

/**
 * Reads a file that a person edited, also where its checksum was left in it. Null when nothing was edited.
 *
 * @throws store_corrupt when the file is not JSON, or not a file of this store; store_newer_schema.
 */
export function parseEdited(bytes: Buffer, path: string): { snapshot: Snapshot; edited: Edits } | null {
  return isUntouched(bytes) ? null : fromWhole(bytes, parseWhole(bytes, path), path)
}

/** Parses the file as JSON. Removing the checksum by hand leaves a comma before the last bracket, so it is allowed. */
function parseWhole(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/,\s*\}\s*$/, '}'))
  } catch (error) {
    const { line, byte } = badPlace(bytes)
    const what = `line ${line} (byte ${byte}) is not valid JSON.`
    throw corrupt(`${path}:${line}`, what, restoreIt, error)
  }
}

const restoreIt =
  'Restore the whole folder from one copy; if a person edited the file, run `localpost doctor --accept-edits`.'
const footerForm = /"crc":"([0-9a-f]{8})"\}\n$/
export const footerLength: number = '"crc":"00000000"}\n'.length

/** Whether a file is unchanged since it was written, that is: its checksum matches. */
export function isUntouched(bytes: Buffer): boolean {
  const stored = storedCrc(bytes)
  return stored !== null && crc32(bytes.subarray(0, bytes.byteLength - footerLength)) === stored
}

/** The checksum in the last line of a file; null if there is none. @param end  The file or its last bytes. */
export function storedCrc(end: Buffer): number | null {
  const footer = footerForm.exec(end.toString('latin1', Math.max(end.byteLength - footerLength, 0)))
  return footer?.[1] === undefined ? null : Number.parseInt(footer[1], 16)
}

/** Reads the line layout that this store writes; null when the file has another layout. */
function parseLines(bytes: Buffer): Snapshot | null {
  const snapshot: Snapshot = { seq: seqIn(bytes), indexes: new Map(), sections: new Map() }
  let section: SnapshotLine[] = []
  for (let at = endOfLine(bytes, 0) + 1; at < bytes.byteLength;) {
    const end = endOfLine(bytes, at)
    const first = bytes[at]
    if (first === quote) {
      const [, name, indexes] = /^"([^"]+)":(?:\[|(\{.*\}),)$/.exec(bytes.toString('utf8', at, end)) ?? []
      // The other object, the list of ids, is only needed once the file was edited.
      if (name === 'indexes' && indexes !== undefined) snapshot.indexes = parseIndexes(JSON.parse(indexes))
      else if (name !== undefined && indexes === undefined) snapshot.sections.set(name, (section = []))
    } else if (first === brace) {
      const lineEnd = recordEnd(bytes, end)
      const line = parseLine(bytes, at, lineEnd)
      if (!line) return null
      section.push({ ...line, at, length: lineEnd - at })
    }
    at = end + 1
  }
  return snapshot
}

/** Parses the members before `record` and keeps the record as text, because parsing the record takes most of the time. */
export function parseLine(bytes: Buffer, at: number, end: number): SnapshotLine | null {
  const headEnd = bytes.indexOf(recordMark, at)
  if (headEnd < 0 || headEnd >= end) return fromObject(JSON.parse(bytes.toString('utf8', at, end)))
  const head: unknown = JSON.parse(`${bytes.toString('utf8', at, headEnd)}}`)
  if (!isObject(head)) return null
  const { id, version, keys, blobs = null } = head
  const text = bytes.toString('utf8', headEnd + recordMark.length, end - 1)
  return typeof id === 'string' && typeof version === 'number' && isKeys(keys)
    ? { text, blobs, id, version, keys }
    : { text, blobs }
}

// A quote inside a JSON string is escaped, so the first match is the member name itself.
const recordMark = Buffer.from(',"record":')

function isKeys(value: unknown): value is (IndexKey | null)[] {
  return Array.isArray(value) && value.every((key) => key === null || Array.isArray(key))
}

function parseIndexes(value: unknown): Snapshot['indexes'] {
  const entries = isObject(value) ? Object.entries(value) : []
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function fromObject(line: unknown): SnapshotLine | null {
  if (!isObject(line) || !isObject(line.record)) return null
  return { text: JSON.stringify(line.record), blobs: line.blobs ?? null, record: line.record }
}

/** The members that are not collections. */
const ownMembers = new Set(['schema', 'seq', 'indexes', 'ids', 'crc'])

function fromWhole(bytes: Buffer, whole: unknown, path: string): { snapshot: Snapshot; edited: Edits } {
  const other = corrupt(path, 'it is JSON, but not a file of this store.', restoreIt)
  if (!isObject(whole) || typeof whole.schema !== 'number') throw other
  assertKnownFormat(whole.schema, path)
  const seq = typeof whole.seq === 'number' ? whole.seq : undefined
  const snapshot: Snapshot = { seq, edited: true, indexes: new Map(), sections: new Map() }
  for (const [name, value] of Object.entries(whole)) {
    if (ownMembers.has(name)) continue
    if (!Array.isArray(value)) throw other
    const lines = value.map(fromObject)
    if (!lines.every((line) => line !== null)) throw other
    snapshot.sections.set(name, lines)
  }
  return { snapshot, edited: editsOf(bytes, whole) }
}

/** The first line that cannot be parsed, or the last one when the file is truncated. The first line is 1. */
function badPlace(bytes: Buffer): { line: number; byte: number } {
  let line = 1
  for (let at = 0; at < bytes.byteLength; at = endOfLine(bytes, at) + 1, line++) {
    const text = lineAt(bytes, at)
    if (line > 1 && !isSound(text)) return { line, byte: at }
  }
  return { line, byte: bytes.byteLength }
}

function isSound(line: string): boolean {
  if (
    line === '],' ||
    line === ']' ||
    /^"[^"]+":(?:\[|\{.*\},|\d+,)$/.test(line) ||
    footerForm.test(`${line}\n`)
  )
    return true
  try {
    JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)
    return true
  } catch {
    return false
  }
}
