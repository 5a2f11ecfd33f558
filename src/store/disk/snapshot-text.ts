import type { LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'
import { assertKnownFormat } from './format.ts'
import { type Edits, editsOf } from './snapshot-edits.ts'
import { isLineIntact, snapshotLines, seqIn, untouchedCrc } from './snapshot-lines.ts'
import type { IndexKey } from '../queries.ts'
import { isRecord } from '../../core/members.ts'

/** The record of a line. `at` and `length` are both there or both absent; so are `id`, `version` and `keys`. */
export interface SnapshotLine {
  readonly text: string
  readonly blobs: unknown
  /** Where the line is in the file, without the comma. Absent in an edited file, and for a line that was read alone. */
  readonly at?: number
  readonly length?: number
  /** What the text stands for, if all of the line was parsed. */
  readonly record?: unknown
  /** The id and version in the text, and the index keys computed from it. Absent when the text has to be parsed first. */
  readonly id?: string
  readonly version?: number
  readonly keys?: readonly (IndexKey | null)[]
}

/** The content of one file of records; see `snapshot-lines.ts`. */
export interface ParsedSnapshot {
  /** The commit up to which the file contains all commits; absent if a person removed it. */
  readonly seq?: number | undefined
  /** By collection, the definition of its indexes that the keys were computed with. */
  readonly indexes: ReadonlyMap<string, string>
  readonly sections: ReadonlyMap<string, readonly SnapshotLine[]>
  /** The size and the checksum of the file; absent if a person edited it. */
  readonly file?: { readonly size: number; readonly crc: number }
  /** What a person edited; null if nothing. The next checkpoint then writes the file again with checksums. */
  readonly edited: Edits | null
}

/**
 * Reads a file of records. A file whose checksum matches is read line by line, and the text of each record is kept
 * without parsing it. A file without a checksum was edited by a person; it only has to be JSON with the same structure.
 * A file whose checksum does not match is damaged.
 *
 * @throws store_corrupt with the file, the line and the byte; store_newer_schema.
 */
export function parseSnapshot(bytes: Buffer, path: string): ParsedSnapshot {
  const schema = headForm.exec(bytes.toString('latin1', 0, maxHeadLength))?.[1]
  if (schema !== undefined) assertKnownFormat(Number(schema), path)
  const crc = schema === undefined ? null : untouchedCrc(bytes)
  const untouched = crc === null ? null : parseLines(bytes, path)
  if (crc !== null && untouched) return { ...untouched, file: { size: bytes.byteLength, crc } }
  const content = parseJson(bytes, path)
  if (isRecord(content) && 'crc' in content) {
    for (const { number, at, end, hasRecord } of snapshotLines(bytes))
      if (hasRecord && !isLineIntact(bytes, at, end)) throw damagedAt(path, number)
    throw corrupt(path, 'the file is not what Localpost wrote: its checksum does not fit.', restoreIt)
  }
  return fromJson(bytes, content, path)
}

const headForm = /^\{"schema":(\d+),\n/
const maxHeadLength = 32

export function damagedAt(path: string, line: number): LocalpostError {
  const what = `line ${line} is not what Localpost wrote: its checksum does not fit.`
  return corrupt(`${path}:${line}`, what, restoreIt)
}

/** Reads a file that a person edited; null for an unedited one. @throws store_corrupt, store_newer_schema */
export function parseEdited(bytes: Buffer, path: string): (ParsedSnapshot & { edited: Edits }) | null {
  return untouchedCrc(bytes) === null ? fromJson(bytes, parseJson(bytes, path), path) : null
}

/** Parses the file as JSON. Removing the checksum by hand leaves a comma before the last bracket, so it is allowed. */
function parseJson(bytes: Buffer, path: string): unknown {
  const text = bytes.toString('utf8').replace(/,\s*\}\s*$/, '}')
  try {
    return JSON.parse(text)
  } catch (error) {
    const { line, byte } = badPlace(bytes)
    throw corrupt(`${path}:${line}`, `line ${line} (byte ${byte}) is not valid JSON.`, restoreIt, error)
  }
}

/** The first line that is not as Localpost writes lines, or the end. The errors of `JSON.parse` often have no position. */
function badPlace(bytes: Buffer): { line: number; byte: number } {
  let line = 1
  for (const { number, at, end } of snapshotLines(bytes)) {
    if (number > 1 && !isSound(bytes.toString('utf8', at, end))) return { line: number, byte: at }
    line = number + 1
  }
  return { line, byte: bytes.byteLength }
}

function isSound(line: string): boolean {
  if (/^(?:\],?|"[^"]+":(?:\[|\{.*\},|\d+,|"[0-9a-f]{8}"\}))$/.test(line)) return true
  try {
    JSON.parse(line.replace(/,$/, ''))
    return true
  } catch {
    return false
  }
}

const restoreIt =
  'Restore the whole folder from one copy; if a person edited the file, run `localpost doctor --accept-edits`.'

/** The line that begins the records of a collection. */
export const sectionForm: RegExp = /^"([^"]+)":\[$/
const indexesForm = /^"indexes":(\{.*\}),$/

/** Reads the layout that this store writes; null for another. @throws store_corrupt for a damaged line. */
function parseLines(bytes: Buffer, path: string): ParsedSnapshot | null {
  const sections = new Map<string, SnapshotLine[]>()
  let indexes: ParsedSnapshot['indexes'] = new Map()
  let section: SnapshotLine[] = []
  for (const { number, at, end, hasRecord } of snapshotLines(bytes)) {
    if (hasRecord) {
      if (!isLineIntact(bytes, at, end)) throw damagedAt(path, number)
      const line = parseLine(bytes, at, end)
      if (!line) return null
      section.push({ ...line, at, length: end - at })
    } else if (bytes[at] === quote) {
      const text = bytes.toString('utf8', at, end)
      // The list of ids is only needed once the file was edited.
      const name = sectionForm.exec(text)?.[1]
      if (name !== undefined) sections.set(name, (section = []))
      else indexes = parseIndexes(text) ?? indexes
    }
  }
  return { seq: seqIn(bytes), indexes, sections, edited: null }
}

const quote = 34

/** The record of a line; null if the line does not match its checksum. */
export function parseIntactLine(bytes: Buffer, at: number, end: number): SnapshotLine | null {
  return isLineIntact(bytes, at, end) ? parseLine(bytes, at, end) : null
}

/** Parses the members before `record` and keeps the record as text, because parsing the record takes most of the time. */
function parseLine(bytes: Buffer, at: number, end: number): SnapshotLine | null {
  const headEnd = bytes.indexOf(recordMark, at)
  if (headEnd < 0 || headEnd >= end) return fromObject(JSON.parse(bytes.toString('utf8', at, end)))
  const head: unknown = JSON.parse(`${bytes.toString('utf8', at, headEnd)}}`)
  if (!isRecord(head)) return null
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

function parseIndexes(line: string): ParsedSnapshot['indexes'] | null {
  const text = indexesForm.exec(line)?.[1]
  if (text === undefined) return null
  const value: unknown = JSON.parse(text)
  const entries = isRecord(value) ? Object.entries(value) : []
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function fromObject(line: unknown): SnapshotLine | null {
  if (!isRecord(line) || !isRecord(line.record)) return null
  return { text: JSON.stringify(line.record), blobs: line.blobs ?? null, record: line.record }
}

/** No collection may have one of these names: see `collectionNameForm`. */
const ownMembers = new Set(['schema', 'seq', 'indexes', 'ids', 'crc'])

function fromJson(bytes: Buffer, content: unknown, path: string): ParsedSnapshot & { edited: Edits } {
  const foreign = (): LocalpostError => corrupt(path, 'it is JSON, but not a file of this store.', restoreIt)
  if (!isRecord(content) || typeof content.schema !== 'number') throw foreign()
  assertKnownFormat(content.schema, path)
  const seq = typeof content.seq === 'number' ? content.seq : undefined
  const sections = new Map<string, SnapshotLine[]>()
  for (const [name, value] of Object.entries(content)) {
    if (ownMembers.has(name)) continue
    if (!Array.isArray(value)) throw foreign()
    const lines = value.map(fromObject)
    if (!lines.every((line) => line !== null)) throw foreign()
    sections.set(name, lines)
  }
  return { seq, indexes: new Map(), sections, edited: editsOf(bytes, content) }
}
