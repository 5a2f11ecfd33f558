import { join } from 'node:path'
import type { Stamp } from '../../core/files.ts'
import {
  type CheckpointDeps,
  deferSnapshot,
  readCheckpoint,
  readSnapshot,
  saveCheckpoint,
  writerOf,
} from './checkpoint.ts'
import type { Checkpoint, LogWriter } from './checkpoint-text.ts'
import { corrupt } from '../io-errors.ts'
import { assertNoData } from './folder.ts'
import type { Frame } from './frame.ts'
import { sweepLarge } from './large.ts'
import { numberOf } from './paths.ts'
import { newLockForm } from '../lock/lock-file.ts'
import { collectionNameForm } from '../names.ts'
import { BlobUsage, type WrittenLine } from '../packed.ts'
import { startFromIndex } from './start-from-index.ts'
import type { Segment } from '../collection-state.ts'
import type { Records } from '../records.ts'
import { checkPlaces } from './check-places.ts'
import type { Snapshot } from './snapshot-data.ts'
import { type Loss, replayLog, setAside } from './replay.ts'
import {
  assertNotOlder,
  collectionFolders,
  listSnapshot,
  missingFrom,
  missingFix,
  type SnapshotFile,
} from './snapshot-files.ts'
import { fillRecords } from './snapshot.ts'
import { isObject } from '../stored.ts'
import { toEntry } from './entries.ts'
import { nextTurn } from '../../core/machine.ts'

/** The result of loading a folder. */
export interface Loaded {
  /** The seq of the last commit. */
  readonly seq: number
  readonly checkpoint: Checkpoint
  /** The length of each log file. */
  readonly lengths: Map<number, number>
  /** The files in `large` that commits after the checkpoint refer to. They may not be synced yet, so a power cut could lose them. */
  readonly unsynced: ReadonlySet<string>
  /** Whether a person edited a file of records. */
  readonly isEdited: boolean
}

/**
 * Reads a folder into memory: first the snapshot, then the log from the checkpoint's position. Then checks that every
 * blob that a record refers to exists. A record whose blob is missing is loaded; reading that blob fails.
 *
 * @throws store_corrupt, store_newer_schema. In both cases no file was changed.
 */
export async function loadFolder(deps: CheckpointDeps, records: Records): Promise<Loaded> {
  const { files, paths } = deps
  const checkpoint = (await readCheckpoint(deps)) ?? (await beginFolder(deps))
  const found = await listSnapshot(deps)
  assertAllThere(deps, checkpoint, found)
  let isEdited = false
  const newest = new Map(found.map(({ collection, segment }) => [collection, segment]))
  for (const file of found) {
    const { name, path, segment, collection } = file
    const state = collection === null ? undefined : records.known(collection)
    const isTaken =
      state &&
      (state.readLater
        ? await deferSnapshot(deps, records, state, file, checkpoint)
        : await startFromIndex(deps, records, state, file, checkpoint))
    if (!isTaken) {
      const stamp = files.stampNow(path)
      const snapshot = await readSnapshot(deps, path)
      assertNotOlder(checkpoint, name, path, snapshot)
      isEdited ||= snapshot.edited === true
      fillRecords(records, snapshot, segment, path)
      if (collection !== null)
        adoptFile(
          records,
          records.stateOrUnknown(collection, true).segment(segment),
          path,
          snapshot,
          stamp,
          newest,
        )
    }
    records.files.set(name, checkpoint.contains[name] ?? 0)
    await nextTurn()
  }
  const unsynced = new Set<string>()
  const loss = lossOf(checkpoint.writer, deps.boot)
  const { seq, lengths, broken } = await replayLog(
    {
      files,
      paths,
      loss,
      apply: (frame, log) => applyFrame(deps, records, frame, log, unsynced),
    },
    checkpoint,
  )
  await readReplaced(records)
  records.settle(paths.folder)
  const named = await checkPlaces(deps, records, lengths)
  // Files are changed only from here on, after every check has passed.
  await sweepTemporaries(deps)
  if (broken) await setAside({ ...deps, loss }, broken, lengths)
  await sweepLarge(deps, named)
  return { checkpoint, seq, lengths, unsynced, isEdited }
}

/**
 * What may be missing from the end of a log. A power cut is assumed when the machine was restarted after the log was
 * written, or when this cannot be determined.
 */
export function lossOf(writer: LogWriter, boot: string): Loss {
  if (boot !== '' && writer.boot === boot) return 'prefix'
  return writer.durability === 'disk' ? 'tail' : 'pages'
}

/** Notes where the records of a segment are in its file. Takes them out of memory, except those of the newest segments. */
function adoptFile(
  records: Records,
  segment: Segment,
  path: string,
  { sections, file }: Snapshot,
  stamp: Stamp | null,
  newest: ReadonlyMap<string | null, number>,
): void {
  const { state, number } = segment
  const { resting } = records
  // The records of a segment that has to be written again stay in memory until then.
  if (records.dirty.has(segment)) return
  const lines: WrittenLine[] = []
  const usage = new BlobUsage()
  for (const { id, at, length } of sections.get(state.name) ?? []) {
    if (id === undefined || at === undefined || length === undefined) return
    lines.push({ id, at, length })
    usage.add(state.byId.get(id)?.blobs ?? null)
  }
  const pack = resting.adopt(
    segment,
    path,
    lines,
    new Set(usage.logs.keys()),
    file && stamp ? { ...file, ino: stamp.ino, mtimeMs: stamp.mtimeMs, usage, index: null } : null,
  )
  if (!pack) return
  pack.usage = usage
  if (number <= (newest.get(state.name) ?? 0) - resting.awakeSegments) resting.rest(segment)
}

/** Reads the places of the blobs of records that the log replaced, so that these blobs do not count as used. */
async function readReplaced({ resting }: Records): Promise<void> {
  for (const replaced of resting.replaced) {
    const [record] = (await resting.reader?.read(replaced.pack, [replaced.row])) ?? []
    replaced.blobs = record?.blobs ?? null
  }
}

/** Records the boot and the durability of this process in the checkpoint. Call it after the whole log was synced to the disk. */
export async function claimLog(deps: CheckpointDeps, checkpoint: Checkpoint): Promise<void> {
  const writer = writerOf(deps)
  const { boot, durability } = checkpoint.writer
  if (boot === writer.boot && durability === writer.durability) return
  await saveCheckpoint(deps, { ...checkpoint, writer })
}

async function beginFolder(deps: CheckpointDeps): Promise<Checkpoint> {
  await assertNoData(deps)
  const checkpoint = { log: 1, offset: 0, seq: 0, files: [], contains: {}, writer: writerOf(deps) }
  await saveCheckpoint(deps, checkpoint)
  return checkpoint
}

function assertAllThere(
  { paths }: CheckpointDeps,
  checkpoint: Checkpoint,
  found: readonly SnapshotFile[],
): void {
  const [first, ...others] = missingFrom(checkpoint, found)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and so are ${others.length} others`
  const what = `this file of records is missing${more}; ${paths.checkpoint} lists it.`
  throw corrupt(join(paths.folder, first), what, missingFix)
}

/** Removes temporary files that a crash left behind. */
async function sweepTemporaries(deps: CheckpointDeps): Promise<void> {
  const { files, paths } = deps
  await files.remove(`${paths.lock}.takeover`)
  for (const name of await files.list(paths.folder))
    if (newLockForm.test(name)) await files.remove(join(paths.folder, name))
  await files.remove(`${paths.checkpoint}.tmp`)
  await files.remove(`${paths.incomplete}.tmp`)
  await files.remove(`${paths.db}.tmp`)
  for (const name of await files.list(paths.logs)) {
    const number = numberOf(name, '.log.tmp')
    if (number !== null) await files.remove(`${paths.log(number)}.tmp`)
  }
  for (const folder of await collectionFolders(deps)) {
    for (const name of await files.list(paths.collection(folder))) {
      const number = numberOf(name, '.json.tmp')
      if (number !== null) await files.remove(`${paths.segment(folder, number)}.tmp`)
    }
  }
}

/**
 * Applies one frame of the log to the records in memory.
 *
 * @param log  The number of the log file that the frame is in.
 * @param larges  Collects the files in `large` that the frame refers to.
 * @throws store_corrupt.
 */
export function applyFrame(
  deps: CheckpointDeps,
  records: Records,
  frame: Frame,
  log: number,
  larges?: Set<string>,
): void {
  for (const op of frame.ops) {
    if (!isObject(op) || typeof op.in !== 'string' || !collectionNameForm.test(op.in))
      throw unknownOp(deps, frame, log)
    const { segment = 0 } = op
    if (typeof segment !== 'number') throw unknownOp(deps, frame, log)
    const state = records.stateOrUnknown(op.in, segment > 0)
    const inOrder = (run: () => void): void => (state.deferred ? state.deferred.addCommit(run) : run())
    if (op.op === 'remove' && typeof op.id === 'string') {
      const { id } = op
      inOrder(() => records.forget(state, id))
      continue
    }
    if (op.op === 'clear') {
      inOrder(() => records.forgetAll(state))
      continue
    }
    const entry = op.op === 'put' ? toEntry(state, segment, { record: op.record, blobs: op.blobs }) : null
    if (!entry) throw unknownOp(deps, frame, log)
    for (const place of Object.values(entry.blobs ?? {})) {
      if ('large' in place) larges?.add(place.large)
      if (!('log' in place) || place.log !== 0) continue
      place.log = log
      place.at += frame.payloadAt
    }
    inOrder(() => records.restore(state, entry))
    records.dirty.add(state.segment(segment))
  }
}

function unknownOp(deps: CheckpointDeps, frame: Frame, log: number): Error {
  const what = `commit ${frame.seq}, whose first line ends at byte ${frame.payloadAt}, has a change that this version does not know.`
  return corrupt(
    deps.paths.log(log),
    what,
    'Use the Localpost that wrote it, or restore the whole folder from one copy.',
  )
}
