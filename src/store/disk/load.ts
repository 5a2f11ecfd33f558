import { join } from 'node:path'
import {
  type Checkpoint,
  type CheckpointParts,
  readCheckpoint,
  readSnapshot,
  saveCheckpoint,
} from './checkpoint.ts'
import { corrupt } from '../io-errors.ts'
import { assertNoData } from './folder.ts'
import type { Frame } from './frame.ts'
import { sweepLarge } from './large.ts'
import { numberOf } from './paths.ts'
import { newLockForm } from '../lock/lock-file.ts'
import { collectionNameForm } from './names.ts'
import type { Records } from '../records.ts'
import { replayLog } from './replay.ts'
import {
  collectionFolders,
  listSnapshot,
  missingFrom,
  missingMend,
  type SnapshotFile,
} from './snapshot-files.ts'
import { fillRecords } from './snapshot.ts'
import { isObject, toEntry } from '../stored.ts'
import { nextTurn } from '../../core/machine.ts'

/** What a folder held. */
export interface Loaded {
  /** The seq of the last commit. */
  readonly seq: number
  readonly checkpoint: Checkpoint
  /** The length of each log file. */
  readonly lengths: Map<number, number>
}

/**
 * Reads a folder into memory: the snapshot, then the log from its position on, then whether every blob that a
 * record names is there.
 *
 * @throws store_corrupt, store_newer_schema; then nothing was changed but temporary files of a crash swept.
 */
export async function loadFolder(parts: CheckpointParts, records: Records): Promise<Loaded> {
  const { files, paths, schema } = parts
  const checkpoint = (await readCheckpoint(parts)) ?? (await beginFolder(parts))
  const found = await listSnapshot(parts)
  assertAllThere(parts, checkpoint, found)
  await sweepTemporaries(parts)
  for (const { name, path, segment } of found) {
    fillRecords(records, await readSnapshot(parts, path), segment, schema, path)
    records.files.add(name)
    await nextTurn()
  }
  const replayed = await replayLog(
    {
      files,
      paths,
      onNotice: parts.onNotice,
      apply: (frame, log) => applyFrame(parts, records, checkpoint.schema, frame, log),
    },
    checkpoint,
    checkpoint.seq,
  )
  records.settle(paths.folder)
  await checkPlaces(parts, records, replayed.lengths)
  return { checkpoint, ...replayed }
}

async function beginFolder(parts: CheckpointParts): Promise<Checkpoint> {
  await assertNoData(parts)
  const checkpoint: Checkpoint = { schema: parts.schema.version, log: 1, offset: 0, seq: 0, files: [] }
  await saveCheckpoint(parts, checkpoint)
  return checkpoint
}

function assertAllThere(
  { paths }: CheckpointParts,
  checkpoint: Checkpoint,
  found: readonly SnapshotFile[],
): void {
  const [first, ...others] = missingFrom(checkpoint, found)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, like ${others.length} more`
  const what = `this file of records is missing${more}; ${paths.checkpoint} says that it must be there.`
  throw corrupt(join(paths.folder, first), what, missingMend)
}

/** Removes what a crash left half written. */
async function sweepTemporaries(parts: CheckpointParts): Promise<void> {
  const { files, paths } = parts
  await files.remove(`${paths.lock}.takeover`)
  for (const name of await files.list(paths.folder))
    if (newLockForm.test(name)) await files.remove(join(paths.folder, name))
  await files.remove(`${paths.checkpoint}.tmp`)
  await files.remove(`${paths.db}.tmp`)
  for (const folder of await collectionFolders(parts)) {
    for (const name of await files.list(paths.collection(folder))) {
      const number = numberOf(name, '.json.tmp')
      if (number !== null) await files.remove(`${paths.segment(folder, number)}.tmp`)
    }
  }
}

/** Brings one frame of the log into memory. @throws store_corrupt. */
export function applyFrame(
  parts: CheckpointParts,
  records: Records,
  from: number,
  frame: Frame,
  log: number,
): void {
  for (const op of frame.ops) {
    if (!isObject(op) || typeof op.in !== 'string' || !collectionNameForm.test(op.in))
      throw unknownOp(parts, frame, log)
    const { segment = 0 } = op
    if (typeof segment !== 'number') throw unknownOp(parts, frame, log)
    const state = records.stateOrUnknown(op.in, segment > 0)
    if (op.op === 'remove' && typeof op.id === 'string') {
      records.forget(state, op.id)
      continue
    }
    const entry =
      op.op === 'put'
        ? toEntry(state, segment, { record: op.record, blobs: op.blobs }, { schema: parts.schema, from })
        : null
    if (!entry) throw unknownOp(parts, frame, log)
    for (const place of Object.values(entry.blobs ?? {})) {
      if (!('log' in place) || place.log !== 0) continue
      place.log = log
      place.at += frame.payloadAt
    }
    records.restore(state, entry)
    records.dirty.add(state.segment(segment))
  }
}

function unknownOp(parts: CheckpointParts, frame: Frame, log: number): Error {
  const what = `commit ${frame.seq}, whose bytes begin at ${frame.payloadAt}, holds a change that this version does not know.`
  return corrupt(
    parts.paths.log(log),
    what,
    'Use the Localpost that wrote it, or restore the file from a copy.',
  )
}

async function checkPlaces(
  parts: CheckpointParts,
  records: Records,
  lengths: ReadonlyMap<number, number>,
): Promise<void> {
  const { files, paths } = parts
  const large = new Set<string>()
  for (const state of records.collections.values()) {
    for (const entry of state.byId.values()) {
      for (const name in entry.blobs) {
        const place = entry.blobs[name]
        if (
          place &&
          'log' in place &&
          place.size > 0 &&
          (lengths.get(place.log) ?? -1) < place.at + place.size
        ) {
          throw missing(
            paths.log(place.log),
            `${entry.id}/${name}`,
            `${place.size} bytes from byte ${place.at}`,
          )
        }
        if (!place || !('large' in place)) continue
        large.add(place.large)
        if ((await files.size(paths.large(place.large))) !== place.size) {
          throw missing(paths.large(place.large), `${entry.id}/${name}`, `${place.size} bytes`)
        }
      }
    }
  }
  await sweepLarge(parts, large)
}

function missing(path: string, blob: string, wanted: string): Error {
  return corrupt(
    path,
    `the blob ${blob} should have ${wanted} in it, which are not there.`,
    'Restore the file from a copy.',
  )
}
