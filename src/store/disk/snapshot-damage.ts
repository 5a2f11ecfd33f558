import { collectionNameForm } from '../names.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { brace, endOfLine, isLineWhole, quote, recordEnd, sectionForm } from './snapshot-lines.ts'
import { parseLine } from './snapshot-text.ts'

/** A line that does not match its checksum. The first line is 1. */
export interface DamagedLine {
  readonly line: number
  /** The content as far as it can be read, which may be damaged too; null if it cannot be read. */
  readonly id: string | null
  readonly version: number | null
}

/**
 * Reads the intact lines of a damaged file.
 *
 * @param collection  The collection of a segment; null for `db.json`, which contains the names of its collections.
 * @param isKnown  Whether a collection of this name is known. Needed because the names in the file have no checksum.
 * @returns The records, the lines that are damaged, and whether the end of the file is missing.
 */
export function wholeLines(
  bytes: Buffer,
  collection: string | null,
  isKnown: (name: string) => boolean,
): { snapshot: Snapshot; damaged: DamagedLine[]; isCut: boolean } {
  const snapshot: Snapshot = { indexes: new Map(), sections: new Map() }
  const damaged: DamagedLine[] = []
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
      else if (bytes[at] === brace || bytes[at] !== quote) damaged.push(damagedLineAt(bytes, at, end, number))
    }
    at = end + 1
  }
  return { snapshot, damaged, isCut: !hasEnd(bytes) }
}

/** Whether the last line has the checksum, possibly damaged, or is the bracket that an edit left. */
function hasEnd(bytes: Buffer): boolean {
  const line = bytes.toString('latin1', bytes.lastIndexOf('\n', -2) + 1).trimEnd()
  return line === '}' || (line.length === shortLine && !line.startsWith('{'))
}

function damagedLineAt(bytes: Buffer, at: number, end: number, line: number): DamagedLine {
  const [, id, version] = identityForm.exec(bytes.toString('utf8', at, end)) ?? []
  return { line, id: id ?? null, version: version === undefined ? null : Number(version) }
}

const identityForm = /"id":"([^"\\]+)","version":(\d+)/

function readWhole(bytes: Buffer, at: number, end: number): SnapshotLine | null {
  if (!isLineWhole(bytes, at, end)) return null
  try {
    const line = parseLine(bytes, at, end)
    // The keys are left out: they belong to indexes whose definition may be damaged.
    return line && { text: line.text, blobs: line.blobs }
  } catch {
    return null
  }
}

/** Lines up to this length are not records: the end of a section, and the checksum at the end of the file. */
const shortLine = '"crc":"00000000"}'.length
