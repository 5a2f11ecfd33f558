import { join } from 'node:path'
import { isErrorOf } from '../../core/errors.ts'
import type { Segment } from '../collection-state.ts'
import type { Stamp } from '../../core/files.ts'
import { type CheckpointDeps, readCheckpoint, removeFolders, saveCheckpoint, writerOf } from './checkpoint.ts'
import type { Checkpoint, LogWriter } from './checkpoint-text.ts'
import { corrupt } from '../io-errors.ts'
import { assertNoData } from './folder.ts'
import { sweepLarge } from './large.ts'
import type { DataFolder } from './paths.ts'
import type { WrittenLine } from '../packed.ts'
import { startFromIndex } from './start-from-index.ts'
import type { Records } from '../records.ts'
import { checkPlaces } from './check-places.ts'
import { editedText } from './snapshot-edits.ts'
import { parseSnapshot, type ParsedSnapshot } from './snapshot-text.ts'
import { lossOf, replayLog } from './replay.ts'
import { setAside } from './set-aside.ts'
import { collectionFolders, isTemporary, listSnapshot, type SnapshotFile } from './snapshot-files.ts'
import { missingFile, missingFix, missingFrom, olderThan } from './snapshot-refusals.ts'
import { applyFrame, fillRecords } from './entries.ts'
import { nextTurn } from '../../core/machine.ts'
import { endLoading } from '../loading.ts'
import { splitCollectionName } from '../names.ts'
import { BlobUsage } from '../blob-usage.ts'

export interface Loaded {
  readonly seq: number
  readonly checkpoint: Checkpoint
  readonly lengths: Map<number, number>
  /**
   * The files in `large` that commits after the checkpoint refer to. They may not be synced yet, so a power cut could
   * lose them.
   */
  readonly unsynced: ReadonlySet<string>
  /** Whether a person edited a file of records. */
  readonly isEdited: boolean
  /** Segments that were loaded from their index: their files are still to be checked. */
  readonly unchecked: Set<Segment>
}

/**
 * Reads a folder into memory: first the snapshot, then the log from the checkpoint's position. Then checks that every
 * blob that a record refers to exists. A record whose blob is missing is loaded; reading that blob fails.
 *
 * @throws store_corrupt, store_newer_schema. In both cases no file was changed.
 */
export async function loadFolder(deps: CheckpointDeps, records: Records): Promise<Loaded> {
  const { paths } = deps
  const checkpoint = (await readCheckpoint(deps)) ?? (await beginFolder(deps))
  const found = await listSnapshot(deps)
  assertAllThere(deps, checkpoint, found)
  let isEdited = false
  const unchecked = new Set<Segment>()
  // The last file of a collection counts, which is its newest: `found` is in order.
  const newest = new Map(found.map(({ collection, segment }) => [collection, segment]))
  for (const file of found) {
    const { name, segment, collection } = file
    const isOld = records.resting.isOld(segment, newest.get(collection) ?? 0)
    const state = collection === null ? undefined : records.collections.stateIfKnown(collection)
    if (state && (await startFromIndex(deps, state, file, checkpoint))) unchecked.add(state.segment(segment))
    else isEdited = (await loadFile(deps, records, file, checkpoint, isOld)) || isEdited
    records.files.set(name, checkpoint.contains[name] ?? 0)
    await nextTurn()
  }
  const unsynced = new Set<string>()
  const loss = lossOf(checkpoint.writer, deps.boot)
  const { seq, lengths, broken } = await replayLog(deps, checkpoint, loss, (frame, log) =>
    applyFrame(paths, records, frame, log, unsynced),
  )
  await readReplaced(records)
  endLoading(records, paths.folder)
  const named = await checkPlaces(deps, records, lengths)
  // Files are changed only from here on, after every check has passed.
  await sweepTemporaries(deps, records)
  if (broken) await setAside(deps, loss, broken, lengths)
  await sweepLarge(deps, named)
  return { checkpoint, seq, lengths, unsynced, isEdited, unchecked }
}

/** Reads a file of records. @param isOld  Whether its records rest after the start. @returns Whether a person edited it. */
async function loadFile(
  { files, onNotice }: CheckpointDeps,
  records: Records,
  { name, path, segment, collection }: SnapshotFile,
  checkpoint: Checkpoint,
  isOld: boolean,
): Promise<boolean> {
  const stamp = files.stampNow(path)
  const bytes = await files.readAll(path)
  if (bytes === null) throw missingFile(path)
  const snapshot = parseSnapshot(bytes, path)
  if (snapshot.edited)
    onNotice(`${path} was changed since Localpost wrote it, and was loaded. ${editedText(snapshot.edited)}`)
  const older = olderThan(checkpoint, name, snapshot)
  if (older) throw corrupt(path, older.what, older.fix)
  fillRecords(records, snapshot, segment, path)
  if (collection !== null) {
    const state = records.collections.stateOrUnknown(collection, { large: true })
    const isInFile = notePlaces(records, state.segment(segment), path, snapshot, stamp)
    if (isInFile && isOld) records.resting.evict(state.segment(segment))
  }
  return snapshot.edited !== null
}

/** Notes where the records of a segment are in its file. @returns Whether all of them are there as they are in memory. */
function notePlaces(
  { dirty, resting }: Records,
  segment: Segment,
  path: string,
  { sections, file }: ParsedSnapshot,
  stamp: Stamp | null,
): boolean {
  const { state } = segment
  // The records of a segment that has to be written again stay in memory until then.
  if (dirty.has(segment)) return false
  const lines: WrittenLine[] = []
  const usage = new BlobUsage()
  for (const { id, at, length } of sections.get(state.name) ?? []) {
    if (id === undefined || at === undefined || length === undefined) return false
    lines.push({ id, at, length })
    usage.add(state.byId.get(id)?.blobs ?? null)
  }
  const packed =
    file && stamp ? { ...file, ino: stamp.ino, mtimeMs: stamp.mtimeMs, usage, index: null } : null
  const logs = new Set(usage.logs.keys())
  return resting.adopt(segment, path, lines, { logs, usage }, packed) !== null
}

/** Reads the places of the blobs of records that the log replaced, so that these blobs do not count as used. */
async function readReplaced({ replaced, resting }: Records): Promise<void> {
  for (const one of replaced) {
    const [record] = await resting.reader.readRows(one.pack, [one.row])
    one.blobs = record?.blobs ?? null
  }
}

/**
 * Gives edited files their checksums now, so that later damage is found. If the disk is full, the next checkpoint does it.
 *
 * @returns The checkpoint that is on the disk. One that failed may have changed it already.
 */
export async function sealEdits(
  deps: CheckpointDeps,
  { isEdited, checkpoint }: Loaded,
  writeEdits: () => Promise<void>,
): Promise<Checkpoint> {
  if (!isEdited) return checkpoint
  try {
    await writeEdits()
  } catch (error) {
    if (!isErrorOf(error, 'store_full')) throw error
    deps.onNotice(`The edited files have no checksums yet. ${error.message}`)
  }
  return (await readCheckpoint(deps)) ?? checkpoint
}

/** Warns that a power cut may have lost commits without a visible sign: the log may just end earlier. */
export function tellRestart(deps: CheckpointDeps, writer: LogWriter, seq: number): void {
  if (writer.durability !== 'process' || writer.boot === '' || deps.boot === '' || writer.boot === deps.boot)
    return
  deps.onNotice(
    `The machine was restarted while Localpost used ${deps.paths.folder}. What was stored in the last 5 seconds before that may be lost; the last commit that is there is number ${seq}. With --durability disk nothing is lost.`,
  )
}

async function beginFolder(deps: CheckpointDeps): Promise<Checkpoint> {
  await assertNoData(deps)
  const checkpoint = { log: 1, offset: 0, seq: 0, files: [], contains: {}, writer: writerOf(deps) }
  await saveCheckpoint(deps, checkpoint)
  return checkpoint
}

function assertAllThere({ paths }: CheckpointDeps, needed: Checkpoint, found: readonly SnapshotFile[]): void {
  const [first, ...others] = missingFrom(needed, found)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and so are ${others.length} others`
  const what = `this file of records is missing${more}; ${paths.checkpoint} lists it.`
  throw corrupt(join(paths.folder, first), what, missingFix)
}

async function sweepTemporaries({ files, paths }: DataFolder, { collections }: Records): Promise<void> {
  const sweep = async (folder: string): Promise<void> => {
    for (const name of await files.list(folder)) if (isTemporary(name)) await files.remove(join(folder, name))
  }
  await sweep(paths.folder)
  await sweep(paths.logs)
  const folders = await collectionFolders({ files, paths })
  for (const name of folders) await sweep(paths.collection(name))
  // A kill during the removal of a partition may leave one of its folders, with indexes. This removes those of any partition
  // without files of records: the next mail makes them again. Other empty folders may be the user's.
  for (const name of new Set([...folders, ...(await files.list(paths.derived))])) {
    const isOfPartition = collections.isKnown(name) && splitCollectionName(name).partition !== ''
    if (isOfPartition && (await files.list(paths.collection(name))).length === 0)
      await removeFolders({ files, paths }, name)
  }
}
