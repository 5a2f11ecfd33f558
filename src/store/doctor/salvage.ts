import { mkdir } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { invalidOption, LocalpostError, messageOf } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import { readLock } from '../lock/lock.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import { dataIn, foreignFilesIn } from '../disk/folder.ts'
import { readMark } from '../disk/marker.ts'
import type { LargeDeps } from '../disk/large.ts'
import { fillLogStore } from '../disk/open.ts'
import { createPaths, type DataFolder, type Paths } from '../disk/paths.ts'
import type { Entry } from '../entry.ts'
import type { CollectionState } from '../collection-state.ts'
import { Records } from '../records.ts'
import { type Collection, put, type Store, type StoredRecord } from '../store.ts'
import { describeUnfinished } from '../unfinished.ts'
import { faultWords, readBlobs, toBlob } from './salvage-blobs.ts'
import { type History, readHistory } from './salvage-history.ts'
import { mergeHistory } from './salvage-merge.ts'
import { salvageCheckpoint, salvageRecords, type SalvageReading } from './salvage-read.ts'
import { nodeFiles } from '../../core/node-files.ts'

export interface SalvageOptions {
  /** The damaged folder, which is only read. */
  readonly dir: string
  /** Where to write what is intact: a folder that is new or empty, or that an interrupted salvage of the same folder began. */
  readonly to: string
  readonly collections: readonly Collection<StoredRecord>[]
  readonly clock: Clock
  /** Default: the machine's. */
  readonly processes?: Processes
}

export interface Salvage {
  readonly folder: string
  readonly to: string
  /** How many records were written, by collection. */
  readonly saved: Readonly<Record<string, number>>
  /** The lost data, one sentence each. */
  readonly lost: readonly string[]
  /** Damaged files whose content was found elsewhere, one sentence each. */
  readonly restored: readonly string[]
}

/**
 * Writes a new folder with all intact data of a damaged one. A record is taken from its file, or from the log if its
 * line is damaged. An email whose message or content is damaged is saved without it, and listed.
 *
 * The new folder is marked as incomplete until everything is on the disk. If the salvage was interrupted, the same call
 * writes all records again.
 *
 * @throws store_in_use while a process uses the folder; invalid_option if `to` is not empty or is within `dir`;
 *   store_incomplete if other work has marked `to`.
 */
export async function salvageFolder(options: SalvageOptions): Promise<Salvage> {
  const { collections, clock, processes = systemProcesses } = options
  const files = nodeFiles
  const paths = createPaths(resolve(options.dir))
  const to = resolve(options.to)
  if ((await files.size(paths.folder)) === null) throw invalidOption(`There is no folder ${paths.folder}.`)
  const { folder } = paths
  if (to === folder || to.startsWith(folder + sep) || folder.startsWith(to + sep))
    throw invalidOption(`${to} must be outside ${folder}. Choose another folder for --to.`)
  await assertEmpty({ files, paths: createPaths(to) })
  await assertUnused(files, paths, processes)
  const records = new Records(collections, { hold() {}, release() {} })
  const lost: string[] = []
  const restored: string[] = []
  const reading = { files, paths, collections, records, lost, restored }
  const mark = await readMark(reading)
  if (mark)
    lost.push(
      `${describeUnfinished(paths.folder, mark).message} Records that it had not stored yet are missing here too.`,
    )
  const checkpoint = await salvageCheckpoint(reading)
  const damaged = await salvageRecords(reading, checkpoint)
  const history = await readHistory(reading, checkpoint)
  mergeHistory(reading, checkpoint, damaged, history)
  await mkdir(to, { recursive: true, mode: 0o700 })
  const states = [...records.collections.all()]
  const filling = await fillLogStore(
    { dir: to, collections: states.map(asCollection), clock, durability: 'disk' },
    { by: 'salvage', from: paths.folder },
  )
  const { store } = filling
  const writing = { reading, history, store, target: { files, paths: createPaths(to), durable: true } }
  const saved: Record<string, number> = {}
  try {
    await filling.begin()
    for (const state of states) {
      const count = await saveAll(writing, state)
      if (count > 0) saved[state.name] = count
      await compareCount(store, state, count)
    }
    await filling.finish()
  } finally {
    await store.close()
  }
  return { folder: paths.folder, to, saved, lost, restored }
}

interface Writing {
  readonly reading: SalvageReading
  readonly history: History
  readonly store: Store
  readonly target: LargeDeps
}

/**
 * Saves the records of a collection in their order, a few at a time, so that they share the syncs of the disk.
 *
 * @returns How many.
 */
async function saveAll(writing: Writing, state: CollectionState): Promise<number> {
  const entries = [...state.byId.values()]
  let count = 0
  for (let at = 0; at < entries.length; at += savedAtOnce) {
    const done = await Promise.all(
      entries.slice(at, at + savedAtOnce).map((entry) => saveRecord(writing, state, entry)),
    )
    count += done.filter(Boolean).length
  }
  return count
}

/** Each may hold a large message in memory. */
const savedAtOnce = 8

/** @returns Whether the record was saved; if not, it is listed as lost. */
async function saveRecord(
  { reading, history, store, target }: Writing,
  state: CollectionState,
  entry: Entry,
): Promise<boolean> {
  const { lost } = reading
  try {
    const found = await readBlobs(reading, entry, history)
    const blobs = await Promise.all(found.map((one) => toBlob(one, target)))
    for (const one of found) if ('fault' in one) lost.push(`${state.name} ${entry.id}: ${faultWords(one)}`)
    await store.commit([put(asCollection(state), JSON.parse(entry.text) as StoredRecord)], blobs)
    return true
  } catch (error) {
    if (error instanceof LocalpostError && error.code.startsWith('store_')) throw error
    lost.push(`${state.name} ${entry.id}: ${messageOf(error)}`)
    return false
  }
}

/** @throws store_failed if the new folder has records that this salvage did not store. */
async function compareCount(store: Store, state: CollectionState, saved: number): Promise<void> {
  const stored = await store.count(asCollection(state))
  if (stored === saved) return
  throw new LocalpostError(
    'store_failed',
    `The new folder has ${stored} records of ${state.name}, and ${saved} were saved: the damaged folder has changed since the salvage began. Remove the new folder and run the salvage again.`,
  )
}

/** Accepts a new folder, and that of a salvage that was interrupted. */
async function assertEmpty(target: DataFolder): Promise<void> {
  if ((await readMark(target)) !== null) return
  // The files of a start that stored nothing are those of a salvage that was killed before its first write.
  const hasData =
    (await target.files.size(target.paths.checkpoint)) !== null || (await dataIn(target)).length > 0
  if (hasData || (await foreignFilesIn(target)).length > 0)
    throw invalidOption(`${target.paths.folder} is not empty. Choose a new folder for --to.`)
}

async function assertUnused(files: Files, { folder, lock }: Paths, processes: Processes): Promise<void> {
  // If the lock cannot be read, it is not known to belong to a running process.
  const found = await readLock(files, lock, processes).catch(() => null)
  if (found?.lives === true)
    throw new LocalpostError(
      'store_in_use',
      `The folder ${folder} is in use by process ${found.pid}. Stop it first.`,
    )
}

function asCollection({ name, large, indexes }: CollectionState): Collection<StoredRecord> {
  return {
    name,
    large,
    indexes: Object.fromEntries(indexes.map((index) => [index.name, { on: index.on, unique: index.unique }])),
  }
}
