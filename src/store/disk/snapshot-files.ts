import type { Checkpoint } from './checkpoint-text.ts'
import { corrupt } from '../io-errors.ts'
import type { Files } from '../../core/files.ts'
import { collectionNameForm } from '../names.ts'
import { numberOf, type Paths } from './paths.ts'
import type { Snapshot } from './snapshot-data.ts'
import type { Segment } from '../collection-state.ts'

/** Dependencies of listing a data folder. */
export interface FolderDeps {
  readonly files: Pick<Files, 'list' | 'size'>
  readonly paths: Paths
}

/** A snapshot file that exists in the folder. */
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
export async function listSnapshot(deps: FolderDeps): Promise<SnapshotFile[]> {
  const { files, paths } = deps
  const found: SnapshotFile[] = []
  if ((await files.size(paths.db)) !== null)
    found.push({ name: dbName, path: paths.db, segment: 0, collection: null })
  for (const folder of await collectionFolders(deps)) {
    const numbers = (await files.list(paths.collection(folder))).map((file) => numberOf(file, '.json'))
    for (const segment of numbers.filter((n) => n !== null && n > 0).sort((a, b) => Number(a) - Number(b))) {
      const number = Number(segment)
      const path = paths.segment(folder, number)
      found.push({ name: segmentName(folder, number), path, segment: number, collection: folder })
    }
  }
  return found
}

/** The names of the folders of large collections, sorted. */
export async function collectionFolders(deps: FolderDeps): Promise<string[]> {
  return (await deps.files.list(deps.paths.folder)).filter((name) => collectionNameForm.test(name)).sort()
}

/** The missing files among those that the checkpoint lists. */
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
  { seq }: Pick<Snapshot, 'seq'>,
): string | null {
  const needed = contains[name]
  if (needed === undefined || (seq !== undefined && seq >= needed)) return null
  if (seq === undefined)
    return `it may be older than the checkpoint, which needs commit ${needed}: its line \`"seq"\` is missing.`
  return `it is older than the checkpoint: it contains the commits up to ${seq}, but the checkpoint needs commit ${needed}.`
}

/** @throws store_corrupt if {@link olderThan} gives a reason. */
export function assertNotOlder(
  checkpoint: Checkpoint,
  name: string,
  path: string,
  snapshot: Pick<Snapshot, 'seq'>,
): void {
  const what = olderThan(checkpoint, name, snapshot)
  if (what === null) return
  const restore = 'Restore the whole folder from one copy.'
  const insert = `If the file is no older copy, put the line \`"seq":${checkpoint.contains[name]},\` before its last line, and replace the last line by \`}\`.`
  throw corrupt(path, what, snapshot.seq === undefined ? `${restore} ${insert}` : restore)
}

/** Advice about a missing file of records. */
export const missingFix: string = 'Restore it from a copy of the whole folder.'

/** A segment's file, as `checkpoint.json` names it. */
export function nameOf({ state, number }: Segment): string {
  return number === 0 ? dbName : segmentName(state.name, number)
}

/** The file of the small collections, as `checkpoint.json` names it. */
export const dbName = 'db.json'

function segmentName(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(6, '0')}.json`
}
