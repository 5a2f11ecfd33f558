import { join } from 'node:path'
import { type Checkpoint, checkpointText, type LogWriter, parseCheckpoint } from './checkpoint-text.ts'
import type { CommitPosition } from './log.ts'
import { type DataFolder, dbName, type ReadableFolder } from './paths.ts'
import { type CollectionState, type Segment, recordsIn } from '../collection-state.ts'
import type { Records } from '../records.ts'
import { writeSegment } from './segment-file.ts'
import { replaceFile } from './replace-file.ts'
import { snapshotPieces } from './snapshot-pieces.ts'
import { fileOf } from './snapshot-files.ts'
import { nextTurn } from '../../core/machine.ts'

export interface CheckpointDeps extends DataFolder {
  readonly durable: boolean
  /** Identifies the current boot of the machine. */
  readonly boot: string
  readonly onNotice: (text: string) => void
}

/**
 * Writes the segments that changed since the last checkpoint, then the log position that they belong to. Records may
 * change meanwhile: if a record in the snapshot is newer than the position, replaying the log leads to the same state.
 *
 * The files on the disk are consistent after a power cut at any moment: a file is renamed to its final name only when
 * all commits in it are synced in the log and in `large`, and `checkpoint.json` is written after all files that it names.
 *
 * @param at  The position after the last commit that was in memory when this was called.
 * @param flush  Syncs all commits so far to the disk.
 * @throws store_full, store_failed, store_read_only. The old position then stays valid and the segments stay dirty.
 */
export async function writeCheckpoint(
  deps: CheckpointDeps,
  records: Records,
  at: CommitPosition,
  flush: () => Promise<void>,
): Promise<void> {
  const dirty = new Set(records.dirty)
  records.dirty.clear()
  try {
    await flush()
    await removeEmpty(deps, records, dirty)
    await writeSegments(deps, records, dirty, at.seq, flush)
    // The first checkpoint always writes it, so that a missing `db.json` is recognized as lost.
    if ([...dirty].some((segment) => segment.number === 0) || !records.files.has(dbName))
      await writeDb(deps, records, at.seq, flush)
    const contains = Object.fromEntries([...records.files].sort())
    await saveCheckpoint(deps, { ...at, files: Object.keys(contains), contains, writer: writerOf(deps) })
  } catch (error) {
    for (const segment of dirty) records.dirty.add(segment)
    throw error
  }
  await records.resting.evictOld((segment) => records.dirty.has(segment))
  for (const name of records.collections.dropRetired(records.dirty)) await removeFolders(deps, name)
}

/** Removes the folders of a collection without files of records. What fails is left for the next start. */
export async function removeFolders({ files, paths }: DataFolder, name: string): Promise<void> {
  const indexes = paths.startIndexes(name)
  try {
    for (const file of await files.list(indexes)) await files.remove(join(indexes, file))
    for (const folder of [indexes, paths.collection(name)]) await files.removeFolder(folder)
  } catch {}
}

/**
 * Removes the files of segments that no longer have records. First it removes their names from the old checkpoint, whose
 * position stays. After a crash each of these files may exist or not: replaying the log removes their records in any case.
 */
async function removeEmpty(deps: CheckpointDeps, records: Records, dirty: Iterable<Segment>): Promise<void> {
  const { files, paths } = deps
  const empty = [...dirty].filter((segment) => segment.number > 0 && recordsIn(segment) === 0)
  const named = empty.filter((segment) => records.files.has(fileOf(segment)))
  if (named.length > 0) {
    const gone = new Set(named.map(fileOf))
    const old = await readCheckpoint(deps)
    const kept = [...records.files.keys()].filter((name) => !gone.has(name))
    if (old) await saveCheckpoint(deps, { ...old, files: kept.sort() })
    // Only now: if the write fails, the next checkpoint has to find the names here.
    for (const name of gone) records.files.delete(name)
  }
  for (const segment of empty) {
    const { state, number } = segment
    await files.remove(paths.segment(state.name, number))
    records.resting.release(segment)
    await files.remove(paths.startIndex(state.name, number)).catch(() => {})
    await nextTurn()
  }
  for (const name of new Set(named.map(({ state }) => state.name)))
    await files.syncFolder(paths.collection(name))
}

async function writeSegments(
  deps: CheckpointDeps,
  records: Records,
  dirty: ReadonlySet<Segment>,
  seq: number,
  flush: () => Promise<void>,
): Promise<void> {
  const { files, paths } = deps
  const folders = new Set<string>()
  for (const segment of dirty) {
    // A segment that became empty since `removeEmpty` still has its file: it is written, and the next checkpoint removes it.
    if (segment.number === 0 || (recordsIn(segment) === 0 && !records.files.has(fileOf(segment)))) continue
    const folder = paths.collection(segment.state.name)
    if (await files.makeFolder(folder)) folders.add(paths.folder)
    await writeSegment(deps, records, segment, seq, flush)
    folders.add(folder)
    records.files.set(fileOf(segment), seq)
    await nextTurn()
  }
  for (const folder of folders) await files.syncFolder(folder)
}

async function writeDb(
  { files, paths }: DataFolder,
  records: Records,
  seq: number,
  flush: () => Promise<void>,
): Promise<void> {
  const sections = [...records.collections.all()].filter(isInDb).map((state) => state.segment(0))
  const content = {
    seq,
    indexes: new Map(sections.map(({ state }) => [state.name, state.signature])),
    // Copies the list, not the records: entries may be added and removed while the lines are written.
    sections: new Map(sections.map(({ state, entries }) => [state.name, [...entries]])),
  }
  await replaceFile(files, paths.db, snapshotPieces(content), flush)
  records.files.set(dbName, seq)
}

/** Whether `db.json` has a list for a collection. Small collections of the main partition have one even if they are empty. */
function isInDb(state: CollectionState): boolean {
  return (!state.large && state.partition === '') || state.segment(0).entries.size > 0
}

export function writerOf({ boot, durable }: CheckpointDeps): LogWriter {
  return { boot, durability: durable ? 'disk' : 'process' }
}

export async function saveCheckpoint({ files, paths }: DataFolder, checkpoint: Checkpoint): Promise<void> {
  await replaceFile(files, paths.checkpoint, [Buffer.from(checkpointText(checkpoint))])
}

/** Records the boot and the durability of this process in the checkpoint. Call it after the whole log was synced to the disk. */
export async function claimLog(deps: CheckpointDeps, checkpoint: Checkpoint): Promise<void> {
  const writer = writerOf(deps)
  const { boot, durability } = checkpoint.writer
  if (boot === writer.boot && durability === writer.durability) return
  await saveCheckpoint(deps, { ...checkpoint, writer })
}

/** Reads `checkpoint.json`; null when it does not exist. @throws store_corrupt, store_newer_schema. */
export async function readCheckpoint({ files, paths }: ReadableFolder): Promise<Checkpoint | null> {
  const bytes = await files.readAll(paths.checkpoint)
  return bytes === null ? null : parseCheckpoint(bytes, paths.checkpoint)
}
