import { guardOf, newLockForm } from '../lock/lock-file.ts'
import { collectionNameForm } from '../names.ts'
import { dbName, numbersIn, type ReadableFolder, segmentName } from './paths.ts'

export interface SnapshotFile {
  /** As `checkpoint.json` names it: `db.json`, `emails/000001.json`. */
  readonly name: string
  readonly path: string
  /** The segment's number; 0 for `db.json`, which has the small collections. */
  readonly segment: number
  /** The segment's collection; null for `db.json`. */
  readonly collection: string | null
}

/** Lists the existing ones of `db.json` and the segment files, in the order in which they are read. */
export async function listSnapshot(deps: ReadableFolder): Promise<SnapshotFile[]> {
  const { files, paths } = deps
  const found: SnapshotFile[] = []
  if ((await files.size(paths.db)) !== null)
    found.push({ name: dbName, path: paths.db, segment: 0, collection: null })
  for (const folder of await collectionFolders(deps)) {
    for (const segment of await numbersIn(files, paths.collection(folder), '.json')) {
      if (segment === 0) continue
      const path = paths.segment(folder, segment)
      found.push({ name: segmentName(folder, segment), path, segment, collection: folder })
    }
  }
  return found
}

/** The names of the folders of large collections, sorted. */
export async function collectionFolders(deps: ReadableFolder): Promise<string[]> {
  return (await deps.files.list(deps.paths.folder)).filter((name) => collectionNameForm.test(name)).sort()
}

/** Whether a file in a data folder was left half written by a crash. */
export function isTemporary(name: string): boolean {
  return temporaryForm.test(name) || newLockForm.test(name) || name === guardOf('lock')
}

/** What `temporaryOf` in replace-file.ts makes of the names in paths.ts: a new file that is replaced belongs here too. */
const temporaryForm = /^(?:(?:checkpoint|incomplete|db|\d{6,15})\.json|\d{6,15}\.log)\.tmp$/

/** The file of a segment, as `checkpoint.json` names it; number 0 is that of the small collections. */
export function fileOf({ state, number }: { state: { name: string }; number: number }): string {
  return number === 0 ? dbName : segmentName(state.name, number)
}
