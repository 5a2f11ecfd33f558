import { Low } from 'lowdb'
import { corrupt } from '../io-errors.ts'
import type { Files } from '../../core/files.ts'
import type { LogPosition } from './log.ts'
import type { Schema } from './migrate.ts'
import type { Paths } from './paths.ts'
import type { Records, Segment } from '../records.ts'
import { createSnapshotFile, emptySnapshot, replaceFile, type Snapshot } from './snapshot.ts'
import { dbName, nameOf } from './snapshot-files.ts'
import { isObject } from '../stored.ts'
import { nextTurn } from '../../core/machine.ts'

/** What `checkpoint.json` says: the snapshot holds every commit up to here. */
export interface Checkpoint extends LogPosition {
  readonly schema: number
  readonly seq: number
  /**
   * The files of the snapshot that must be there, as paths within the folder: one that is gone was not empty, it is
   * lost. Absent in checkpoints of before they were named.
   */
  readonly files?: readonly string[] | undefined
}

export interface CheckpointParts {
  readonly files: Files
  readonly paths: Paths
  readonly durable: boolean
  readonly schema: Schema
  readonly onNotice: (text: string) => void
}

/**
 * Writes what changed since the last checkpoint, then the position that it belongs to. The records go on changing
 * meanwhile: a record that is newer in the snapshot than the position says is replayed to the same state.
 *
 * @param at  The position behind the last commit that was in memory when this was called.
 * @throws store_full, store_failed, store_read_only; then the old position stands and what changed is still noted.
 */
export async function writeCheckpoint(
  parts: CheckpointParts,
  records: Records,
  at: LogPosition & { readonly seq: number },
): Promise<void> {
  const { files, paths, schema } = parts
  const dirty = records.dirty
  records.dirty = new Set()
  try {
    await removeEmpty(parts, records, dirty)
    // Written by the first checkpoint in any case, so that where it is missing it is known to be lost.
    if ([...dirty].some((segment) => segment.number === 0) || !records.files.has(dbName)) {
      const sections = [...records.collections.values()]
        .filter((state) => !state.large || state.segment(0).entries.size > 0)
        .map((state) => state.segment(0))
      await writeSnapshot(parts, paths.db, sections)
      records.files.add(dbName)
    }
    for (const segment of dirty) {
      // One that was emptied since the beginning is removed by the next checkpoint.
      if (segment.number === 0 || (segment.entries.size === 0 && !records.files.has(nameOf(segment))))
        continue
      await files.makeFolder(paths.collection(segment.state.name))
      await writeSnapshot(parts, paths.segment(segment.state.name, segment.number), [segment])
      records.files.add(nameOf(segment))
      await nextTurn()
    }
    const { log, offset, seq } = at
    await saveCheckpoint(parts, {
      schema: schema.version,
      log,
      offset,
      seq,
      files: [...records.files].sort(),
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
  parts: CheckpointParts,
  records: Records,
  dirty: ReadonlySet<Segment>,
): Promise<void> {
  const { files, paths, durable } = parts
  const empty = [...dirty].filter(({ number, entries }) => number > 0 && entries.size === 0)
  const named = empty.filter((segment) => records.files.delete(nameOf(segment)))
  if (named.length > 0) {
    const old = await readCheckpoint(parts)
    if (old) await saveCheckpoint(parts, { ...old, files: [...records.files].sort() })
  }
  for (const { state, number } of empty) {
    await files.remove(paths.segment(state.name, number))
    await nextTurn()
  }
  if (durable)
    for (const name of new Set(named.map(({ state }) => state.name)))
      await files.syncFolder(paths.collection(name))
}

/** Writes `checkpoint.json`, whole or not at all. */
export async function saveCheckpoint(parts: CheckpointParts, checkpoint: Checkpoint): Promise<void> {
  const text = `${JSON.stringify(checkpoint)}\n`
  await replaceFile(parts.files, parts.paths.checkpoint, parts.durable, [Buffer.from(text)])
}

/**
 * Reads `checkpoint.json`.
 *
 * @returns null where there is none.
 * @throws store_corrupt, store_newer_schema.
 */
export async function readCheckpoint(parts: CheckpointParts): Promise<Checkpoint | null> {
  const { files, paths, schema } = parts
  const bytes = await files.readAll(paths.checkpoint)
  if (bytes === null) return null
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw corrupt(`${paths.checkpoint}:1`, 'it is not valid JSON.', 'Restore it from a copy.', error)
  }
  if (!isObject(value)) throw corrupt(paths.checkpoint, 'it is not an object.', 'Restore it from a copy.')
  const { log, offset, seq, files: named } = value
  const known = schema.assertKnown(value.schema, paths.checkpoint)
  if (typeof log !== 'number' || typeof offset !== 'number' || typeof seq !== 'number') {
    throw corrupt(paths.checkpoint, '`log`, `offset` or `seq` is missing.', 'Restore it from a copy.')
  }
  if (named !== undefined && !isNames(named)) {
    throw corrupt(paths.checkpoint, '`files` is no list of names.', 'Restore it from a copy.')
  }
  return { schema: known, log, offset, seq, files: named }
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** Reads one file of the snapshot through lowdb; an empty snapshot where there is no file. */
export async function readSnapshot(parts: CheckpointParts, path: string): Promise<Snapshot> {
  const db = new Low(createSnapshotFile({ ...parts, path }), emptySnapshot())
  await db.read()
  return db.data
}

async function writeSnapshot(
  parts: CheckpointParts,
  path: string,
  segments: readonly Segment[],
): Promise<void> {
  // A copy of the list, not of the records: entries may come and go while lines are made.
  const sections = new Map(segments.map(({ state, entries }) => [state.name, [...entries]]))
  const db = new Low<Snapshot>(createSnapshotFile({ ...parts, path }), {
    schema: parts.schema.version,
    indexes: new Map(segments.map(({ state }) => [state.name, state.signature])),
    sections,
  })
  await db.write()
}
