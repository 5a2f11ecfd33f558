import { Low } from 'lowdb'
import {
  type Checkpoint,
  checkpointText,
  type LogWriter,
  parseCheckpoint,
  type ReadCheckpoint,
} from './checkpoint-text.ts'
import type { Files } from '../../core/files.ts'
import type { LogPosition } from './log.ts'
import type { Schema } from './migrate.ts'
import type { Paths } from './paths.ts'
import type { CollectionState, Records, Segment } from '../records.ts'
import { Deferred } from '../deferred.ts'
import { createSnapshotFile, fillRecords, replaceFile } from './snapshot.ts'
import { isUntouched, parseSnapshot } from './snapshot-text.ts'
import { emptySnapshot, type Snapshot } from './snapshot-data.ts'
import { dbName, nameOf, type SnapshotFile } from './snapshot-files.ts'
import { nextTurn } from '../../core/machine.ts'

export interface CheckpointDeps {
  readonly files: Files
  readonly paths: Paths
  readonly durable: boolean
  /** Which run of the machine this is. */
  readonly boot: string
  readonly schema: Schema
  readonly onNotice: (text: string) => void
}

/**
 * Writes what changed since the last checkpoint, then the position that it belongs to. The records go on changing
 * meanwhile: a record that is newer in the snapshot than the position says is replayed to the same state.
 *
 * After a power cut at any moment the files on the disk fit together: a file takes its name only when all commits in
 * it are on the disk, in the log and in `large`, and the checkpoint comes after all that it names.
 *
 * @param at  The position behind the last commit that was in memory when this was called.
 * @param flush  Brings all commits so far to the disk.
 * @throws store_full, store_failed, store_read_only; then the old position stays and the changes are still noted.
 */
export async function writeCheckpoint(
  deps: CheckpointDeps,
  records: Records,
  at: LogPosition & { readonly seq: number },
  flush: () => Promise<void>,
): Promise<void> {
  const { files, paths, schema } = deps
  await records.readyForCheckpoint()
  const dirty = records.dirty
  records.dirty = new Set()
  try {
    await flush()
    await removeEmpty(deps, records, dirty)
    const folders = new Set<string>()
    for (const segment of dirty) {
      // One that was emptied since the beginning is removed by the next checkpoint.
      if (segment.number === 0 || (segment.entries.size === 0 && !records.files.has(nameOf(segment))))
        continue
      const folder = paths.collection(segment.state.name)
      if (await files.makeFolder(folder)) folders.add(paths.folder)
      await writeSnapshot(deps, paths.segment(segment.state.name, segment.number), [segment], flush)
      folders.add(folder)
      records.files.add(nameOf(segment))
      await nextTurn()
    }
    for (const folder of folders) await files.syncFolder(folder)
    // Behind the segments: records of a collection that became large leave it for them. Written by the first
    // checkpoint in any case, so that where it is missing it is known to be lost.
    if ([...dirty].some((segment) => segment.number === 0) || !records.files.has(dbName)) {
      const sections = [...records.collections.values()]
        .filter((state) => !state.large || state.segment(0).entries.size > 0)
        .map((state) => state.segment(0))
      await writeSnapshot(deps, paths.db, sections, flush)
      await files.syncFolder(paths.folder)
      records.files.add(dbName)
    }
    const { log, offset, seq } = at
    await saveCheckpoint(deps, {
      schema: schema.version,
      log,
      offset,
      seq,
      files: [...records.files].sort(),
      writer: writerOf(deps),
    })
  } catch (error) {
    for (const segment of dirty) records.dirty.add(segment)
    throw error
  }
}

/**
 * Removes the files of segments that have no records any more. They leave the old checkpoint first, at its old
 * position: a crash after that finds each of them there or not, and the log takes out again what it held.
 */
async function removeEmpty(
  deps: CheckpointDeps,
  records: Records,
  dirty: ReadonlySet<Segment>,
): Promise<void> {
  const { files, paths } = deps
  const empty = [...dirty].filter(({ number, entries }) => number > 0 && entries.size === 0)
  const named = empty.filter((segment) => records.files.delete(nameOf(segment)))
  if (named.length > 0) {
    const old = await readCheckpoint(deps)
    if (old) await saveCheckpoint(deps, { ...old, files: [...records.files].sort() })
  }
  for (const { state, number } of empty) {
    await files.remove(paths.segment(state.name, number))
    await nextTurn()
  }
  for (const name of new Set(named.map(({ state }) => state.name)))
    await files.syncFolder(paths.collection(name))
}

/** What a log says of its writer from now on. */
export function writerOf({ boot, durable }: CheckpointDeps): LogWriter {
  return { boot, durability: durable ? 'disk' : 'process' }
}

/** Writes `checkpoint.json`, whole or not at all. */
export async function saveCheckpoint(deps: CheckpointDeps, checkpoint: Checkpoint): Promise<void> {
  await replaceFile(deps.files, deps.paths.checkpoint, [Buffer.from(checkpointText(checkpoint))])
}

/**
 * Reads `checkpoint.json`.
 *
 * @returns null where there is none.
 * @throws store_corrupt, store_newer_schema.
 */
export async function readCheckpoint(deps: CheckpointDeps): Promise<ReadCheckpoint | null> {
  const { files, paths, schema } = deps
  const bytes = await files.readAll(paths.checkpoint)
  return bytes === null ? null : parseCheckpoint(bytes, paths.checkpoint, schema)
}

/**
 * Checks a file of a collection that is read later, and leaves the reading for then.
 *
 * @returns False where it has to be read now: it is of another form, or was edited.
 */
export async function deferSnapshot(
  deps: CheckpointDeps,
  records: Records,
  state: CollectionState,
  { path, segment }: SnapshotFile,
): Promise<boolean> {
  const { files, schema } = deps
  const bytes = await files.readAll(path)
  if (bytes === null || !isUntouched(bytes)) return false
  state.deferred ??= new Deferred()
  state.deferred.add(() =>
    fillRecords(records, parseSnapshot(bytes, path, schema).snapshot, segment, schema, path),
  )
  return true
}

/** Reads one file of the snapshot through lowdb; an empty snapshot where there is no file. */
export async function readSnapshot(deps: CheckpointDeps, path: string): Promise<Snapshot> {
  const db = new Low(createSnapshotFile({ ...deps, path, flush: async () => {} }), emptySnapshot())
  await db.read()
  return db.data
}

async function writeSnapshot(
  deps: CheckpointDeps,
  path: string,
  segments: readonly Segment[],
  flush: () => Promise<void>,
): Promise<void> {
  // A copy of the list, not of the records: entries may come and go while lines are made.
  const sections = new Map(segments.map(({ state, entries }) => [state.name, [...entries]]))
  const db = new Low<Snapshot>(createSnapshotFile({ ...deps, path, flush }), {
    schema: deps.schema.version,
    indexes: new Map(segments.map(({ state }) => [state.name, state.signature])),
    sections,
  })
  await db.write()
}
