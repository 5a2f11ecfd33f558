import { nextTurn } from '../../core/machine.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { fillRecords } from '../disk/entries.ts'
import type { ReadableFolder } from '../disk/paths.ts'
import { type DamagedLine, intactLines } from '../disk/snapshot-damage.ts'
import type { Edits } from '../disk/snapshot-edits.ts'
import { listSnapshot } from '../disk/snapshot-files.ts'
import { missingFile, olderThan } from '../disk/snapshot-refusals.ts'
import { parseSnapshot } from '../disk/snapshot-text.ts'
import { storeFault } from '../io-errors.ts'
import type { Records } from '../records.ts'

export interface DamagedFile {
  /** As `checkpoint.json` names it. */
  readonly name: string
  readonly path: string
  /** The damage of the file as a whole. */
  readonly what: string
  readonly lines: readonly DamagedLine[]
  /** Whether the file or its end is missing, so that records are lost without a damaged line. */
  readonly isCut: boolean
  /** If the file is intact but an older copy: the last commit that it contains, and advice. */
  readonly older?: { readonly contains: number; readonly fix: string }
}

export interface IntactRecords {
  readonly count: number
  readonly damaged: readonly DamagedFile[]
  readonly edited: readonly { readonly path: string; readonly edits: Edits }[]
}

/**
 * Reads every intact record of `db.json` and the segments into memory.
 *
 * @param checkpoint  Null if it is lost.
 * @param isKnown  As in `intactLines`.
 */
export async function readIntact(
  folder: ReadableFolder,
  checkpoint: Checkpoint | null,
  records: Records,
  isKnown: (name: string) => boolean,
): Promise<IntactRecords> {
  const damaged: DamagedFile[] = []
  const edited: { path: string; edits: Edits }[] = []
  const found = await listSnapshot(folder)
  for (const { name, path, segment, collection } of found) {
    let bytes: Buffer | null = null
    try {
      bytes = await folder.files.readAll(path)
      if (bytes === null) throw missingFile(path)
      const snapshot = parseSnapshot(bytes, path)
      if (snapshot.edited) edited.push({ path, edits: snapshot.edited })
      fillRecords(records, snapshot, segment, path)
      const older = checkpoint && olderThan(checkpoint, name, snapshot)
      if (older)
        damaged.push({
          name,
          path,
          what: `${path}: ${older.what}`,
          lines: [],
          isCut: false,
          older: { contains: snapshot.seq ?? 0, fix: older.fix },
        })
    } catch (error) {
      const intact = intactLines(bytes ?? Buffer.alloc(0), collection, isKnown)
      const { message } = storeFault(error, `Reading ${path}`)
      damaged.push({ name, path, what: message, lines: intact.damaged, isCut: intact.isCut })
      // A record that is loaded already is replaced by itself.
      fillRecords(records, intact.snapshot, segment, path)
    }
    await nextTurn()
  }
  return { count: found.length, damaged, edited }
}
