import { collectionNameForm } from '../names.ts'
import { footerLength, type Line, snapshotLines } from './snapshot-lines.ts'
import { parseIntactLine, sectionForm, type ParsedSnapshot, type SnapshotLine } from './snapshot-text.ts'

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
export function intactLines(
  bytes: Buffer,
  collection: string | null,
  isKnown: (name: string) => boolean,
): { snapshot: ParsedSnapshot; damaged: DamagedLine[]; isCut: boolean } {
  const sections = new Map<string, SnapshotLine[]>()
  const damaged: DamagedLine[] = []
  const begin = (name: string): SnapshotLine[] => {
    const section: SnapshotLine[] = []
    sections.set(name, section)
    return section
  }
  let section = collection === null ? null : begin(collection)
  for (const line of snapshotLines(bytes)) {
    const { number, at, end, hasRecord } = line
    const name = sectionForm.exec(bytes.toString('utf8', at, Math.min(end, at + 100)))?.[1]
    if (name !== undefined && collection === null)
      section = collectionNameForm.test(name) && isKnown(name) ? begin(name) : null
    else if (number > 1 && end - at > shortLine) {
      const intact = hasRecord ? parseIntactLine(bytes, at, end) : null
      // Without its keys, because the definitions of the indexes may be damaged, and so without the id and version beside them.
      if (intact && section) section.push({ text: intact.text, blobs: intact.blobs })
      else if (hasRecord || bytes[at] !== quote) damaged.push(damagedLine(bytes, line))
    }
  }
  return { snapshot: { indexes: new Map(), sections, edited: null }, damaged, isCut: !hasEnd(bytes) }
}

const quote = 34

/** Whether the last line has the checksum, possibly damaged, or is the bracket that an edit left. */
function hasEnd(bytes: Buffer): boolean {
  const line = bytes.toString('latin1', bytes.lastIndexOf('\n', -2) + 1).trimEnd()
  return line === '}' || (line.length === shortLine && !line.startsWith('{'))
}

function damagedLine(bytes: Buffer, { number, at, end }: Line): DamagedLine {
  const [, id, version] = identityForm.exec(bytes.toString('utf8', at, end)) ?? []
  return { line: number, id: id ?? null, version: version === undefined ? null : Number(version) }
}

const identityForm = /"id":"([^"\\]+)","version":(\d+)/

/** Lines up to this length are not records: the end of a section, and the checksum at the end of the file. */
const shortLine = footerLength - 1
