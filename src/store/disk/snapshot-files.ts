import type { LocalpostError } from '../../core/errors.ts'
import type { Checkpoint } from './checkpoint-text.ts'
import { corrupt } from '../io-errors.ts'
import { newLockForm } from '../lock/lock-file.ts'
import { collectionNameForm } from '../names.ts'
import { numbersIn, type ReadableFolder } from './paths.ts'
import type { ParsedSnapshot } from './snapshot-text.ts'
import type { Segment } from '../collection-state.ts'

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
  return temporaryForm.test(name) || newLockForm.test(name)
}

const temporaryForm =
  /^(?:(?:checkpoint|incomplete|db|\d{6,15})\.json\.tmp|\d{6,15}\.log\.tmp|lock\.takeover)$/

export function missingFrom(checkpoint: Checkpoint, found: readonly SnapshotFile[]): string[] {
  const names = new Set(found.map(({ name }) => name))
  return checkpoint.files.filter((name) => !names.has(name))
}

/**
 * Why a file is refused as an older copy; null if it contains every commit that the checkpoint needs. A newer file is
 * normal: a checkpoint may have been interrupted. A file that does not say what it contains is refused too, because it
 * could be an older copy.
 */
export function olderThan(
  { contains }: Checkpoint,
  name: string,
  { seq }: Pick<ParsedSnapshot, 'seq'>,
): { what: string; fix: string } | null {
  const needed = contains[name]
  if (needed === undefined || (seq !== undefined && seq >= needed)) return null
  const restore = 'Restore the whole folder from one copy.'
  if (seq !== undefined)
    return {
      what: `it is older than the checkpoint: it contains the commits up to ${seq}, but the checkpoint needs commit ${needed}.`,
      fix: restore,
    }
  return {
    what: `it may be older than the checkpoint, which needs commit ${needed}: its line \`"seq"\` is missing.`,
    fix: `${restore} If the file is no older copy, put the line \`"seq":${needed},\` before its last line, and replace the last line by \`}\`.`,
  }
}

/** @throws store_corrupt if {@link olderThan} gives a reason. */
export function assertNotOlder(
  checkpoint: Checkpoint,
  name: string,
  path: string,
  snapshot: Pick<ParsedSnapshot, 'seq'>,
): void {
  const older = olderThan(checkpoint, name, snapshot)
  if (older) throw corrupt(path, older.what, older.fix)
}

export const missingFix: string = 'Restore it from a copy of the whole folder.'

export function missingFile(path: string): LocalpostError {
  return corrupt(path, 'this file of records is missing.', missingFix)
}

/** A segment's file, as `checkpoint.json` names it. */
export function fileOf({ state, number }: Segment): string {
  return number === 0 ? dbName : segmentName(state.name, number)
}

/** The file of the small collections, as `checkpoint.json` names it. */
export const dbName = 'db.json'

function segmentName(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(6, '0')}.json`
}
