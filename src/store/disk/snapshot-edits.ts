import { crc32 } from 'node:zlib'
import { listed } from '../io-errors.ts'
import { isRecord } from '../../core/members.ts'
import { isLineIntact, snapshotLines } from './snapshot-lines.ts'

/** A record of an edited file that does not match its checksum: a person edited it, or it is damaged. */
export interface EditedRecord {
  readonly line: number
  readonly id: string
}

/** The differences between an edited file and the one that Localpost wrote. */
export interface Edits {
  readonly records: readonly EditedRecord[]
  /** The ids of the records that are no longer in the file; null if the file does not list its records. */
  readonly removed: readonly string[] | null
}

/** Compares an edited file, and its parsed content, with its own checksums and with its own list of records. */
export function editsOf(bytes: Buffer, content: unknown): Edits {
  const sections = isRecord(content) ? content : {}
  const arrays = Object.values(sections).filter((value): value is unknown[] => Array.isArray(value))
  return { records: editedRecords(bytes, arrays), removed: removedFrom(sections) }
}

function removedFrom(sections: Readonly<Record<string, unknown>>): string[] | null {
  const { ids } = sections
  if (!isRecord(ids)) return null
  const removed: string[] = []
  for (const [name, listedIds] of Object.entries(ids)) {
    const section = sections[name]
    const there = new Set(Array.isArray(section) ? section.map(idOf) : [])
    for (const id of Array.isArray(listedIds) ? listedIds : [])
      if (typeof id === 'string' && !there.has(id)) removed.push(id)
  }
  return removed
}

/** The records of a file that do not match their own checksums, or have none. */
function editedRecords(bytes: Buffer, sections: readonly (readonly unknown[])[]): EditedRecord[] {
  const items = sections.flat()
  const lines = [...snapshotLines(bytes)].filter(({ hasRecord }) => hasRecord)
  // An editor that formats JSON does not keep one record in a line.
  const isOneInEach = lines.length === items.length
  return items.flatMap((item, nth) => {
    const line = isOneInEach ? lines[nth] : undefined
    if (line ? isLineIntact(bytes, line.at, line.end) : isUnedited(item)) return []
    const id = idOf(item)
    return { line: line?.number ?? lineOf(bytes, id), id }
  })
}

export function editedText(edits: Edits, limit: number = 20): string {
  return `${recordsText(edits, limit)} ${removedText(edits, limit)}`
}

function recordsText({ records }: Edits, limit: number): string {
  if (records.length === 0) return 'Every record in it matches its checksum.'
  const names = records.map(({ line, id }) => `line ${line} (${id})`)
  return `Edited records (${names.length}): ${listed(names, limit)}. One that you did not edit is damaged: restore the whole folder from one copy.`
}

function removedText({ removed }: Edits, limit: number): string {
  if (removed === null)
    return 'Removed records cannot be noticed: compare the file with a copy if you removed none.'
  if (removed.length === 0) return 'No record was removed from it.'
  return `Removed records (${removed.length}): ${listed(removed, limit)}. If you did not remove them, restore the whole folder from one copy.`
}

function idOf(item: unknown): string {
  const { record } = isRecord(item) ? item : {}
  return isRecord(record) && typeof record.id === 'string' ? record.id : ''
}

/** Whether a parsed line matches its checksum when Localpost writes it again. */
function isUnedited(item: unknown): boolean {
  if (!isRecord(item) || typeof item.crc !== 'string') return false
  const { crc, ...members } = item
  return crc32(JSON.stringify(members).slice(1)) === Number.parseInt(crc, 16)
}

function lineOf(bytes: Buffer, id: string): number {
  const before = bytes.subarray(0, Math.max(bytes.indexOf(JSON.stringify(id)), 0))
  return before.toString('latin1').split('\n').length
}
