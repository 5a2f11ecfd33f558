import { isErrorOf } from '../../core/errors.ts'
import { nextTurn } from '../../core/machine.ts'
import { type Checkpoint, parseCheckpoint } from '../disk/checkpoint-text.ts'
import { type DamagedLine, wholeLines } from '../disk/snapshot-damage.ts'
import { editedText } from '../disk/snapshot-edits.ts'
import { listSnapshot, missingFrom, olderThan } from '../disk/snapshot-files.ts'
import { parseSnapshot } from '../disk/snapshot-text.ts'
import { fillRecords } from '../disk/snapshot.ts'
import { messageOf } from './findings.ts'
import { readOr, type SalvageReading } from './salvage-reading.ts'

/** A damaged or missing file of records. */
export interface DamagedFile {
  /** As `checkpoint.json` names it. */
  readonly name: string
  readonly path: string
  /** The damage of the file as a whole. */
  readonly what: string
  /** The damaged lines. */
  readonly lines: readonly DamagedLine[]
  /** Whether the file or its end is missing, so that records are lost without a damaged line. */
  readonly isCut: boolean
  /** If the file is intact but an older copy: the last commit that it contains. */
  readonly contains?: number
}

/**
 * Reads every intact record of `db.json` and the segments into memory.
 *
 * @returns The files that are missing or damaged.
 */
export async function salvageRecords(
  reading: SalvageReading,
  checkpoint: Checkpoint | null,
): Promise<DamagedFile[]> {
  const { files, paths, records } = reading
  const found = await listSnapshot({ files, paths })
  const damaged: DamagedFile[] = (checkpoint ? missingFrom(checkpoint, found) : []).map((name) => {
    const path = `${paths.folder}/${name}`
    return { name, path, what: `${path} is missing.`, lines: [], isCut: true }
  })
  for (const { name, path, segment } of found) {
    let fault = ''
    const bytes = await readOr(reading, path, (text) => (fault = `${path} ${text}.`))
    try {
      if (fault !== '') throw new Error(fault)
      const { snapshot, edited } = parseSnapshot(bytes, path)
      if (edited) reading.restored.push(`${path} was edited. ${editedText(edited)}`)
      fillRecords(records, snapshot, segment, path)
      const older = checkpoint ? olderThan(checkpoint, name, snapshot) : null
      if (older !== null)
        damaged.push({
          name,
          path,
          what: `${path}: ${older}`,
          lines: [],
          isCut: false,
          contains: snapshot.seq ?? 0,
        })
    } catch (error) {
      const collection = segment === 0 ? null : name.slice(0, name.indexOf('/'))
      const known = (section: string): boolean => records.known(section) !== undefined
      const { snapshot, damaged: lines, isCut } = wholeLines(bytes, collection, known)
      damaged.push({ name, path, what: messageOf(error), lines, isCut })
      fillRecords(records, snapshot, segment, path)
    }
    await nextTurn()
  }
  return damaged
}

/** The checkpoint, or null if it is damaged or missing. */
export async function salvageCheckpoint(reading: SalvageReading): Promise<Checkpoint | null> {
  const { paths, restored } = reading
  let fault: string | null = null
  const bytes = await readOr(reading, paths.checkpoint, (text) => (fault = `${paths.checkpoint} ${text}`))
  try {
    if (fault === null) return parseCheckpoint(bytes, paths.checkpoint)
  } catch (error) {
    if (isErrorOf(error, 'store_newer_schema', 'invalid_option')) throw error
    fault = `${paths.checkpoint} is damaged`
  }
  restored.push(`${fault}. A new one was written.`)
  return null
}
