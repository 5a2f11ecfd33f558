import { isObject } from '../stored.ts'
import { collectionNameForm } from './names.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { brace, endOfLine, headForm, isLineWhole, quote, recordEnd, sectionForm } from './snapshot-lines.ts'
import { parseLine } from './snapshot-text.ts'

/**
 * Takes the lines of a damaged file that are whole. Records that were written without a checksum of their own count
 * as whole where they can be read.
 *
 * @param collection  What a segment holds; null for `db.json`, which says it itself.
 * @param isKnown  Whether a collection of this name is known: a name has no checksum.
 * @returns The records, and the lines that are damaged.
 */
export function wholeLines(
  bytes: Buffer,
  collection: string | null,
  isKnown: (name: string) => boolean,
): { snapshot: Snapshot; damaged: number[] } {
  const schema = Number(headForm.exec(bytes.toString('latin1', 0, endOfLine(bytes, 0)))?.[1] ?? 1)
  const snapshot: Snapshot = { schema, indexes: new Map(), sections: new Map() }
  const damaged: number[] = []
  const open = (name: string): SnapshotLine[] => {
    const section: SnapshotLine[] = []
    snapshot.sections.set(name, section)
    return section
  }
  let section = collection === null ? null : open(collection)
  let number = 2
  for (let at = endOfLine(bytes, 0) + 1; at < bytes.byteLength; number++) {
    const end = endOfLine(bytes, at)
    const name = sectionForm.exec(bytes.toString('utf8', at, Math.min(end, at + 100)))?.[1]
    if (name !== undefined && collection === null)
      section = collectionNameForm.test(name) && isKnown(name) ? open(name) : null
    else if (end - at > shortLine) {
      const line = bytes[at] === brace ? readWhole(bytes, at, recordEnd(bytes, end)) : null
      if (line && section) section.push(line)
      else if (bytes[at] === brace || bytes[at] !== quote) damaged.push(number)
    }
    at = end + 1
  }
  return { snapshot, damaged }
}

function readWhole(bytes: Buffer, at: number, end: number): SnapshotLine | null {
  const isWhole = isLineWhole(bytes, at, end)
  if (isWhole === false) return null
  try {
    const line = parseLine(bytes, at, end)
    if (isWhole === null && line && !isRecord(JSON.parse(line.text))) return null
    // The keys were made for indexes that the damaged file may not name.
    return line && { text: line.text, blobs: line.blobs }
  } catch {
    return null
  }
}

/** What closes a section, and the checksum at the end, are no records. */
const shortLine = '"crc":"00000000"}'.length

function isRecord(value: unknown): boolean {
  return isObject(value) && typeof value.id === 'string' && typeof value.version === 'number'
}
