import { dirname, resolve } from 'node:path'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import { isErrorOf } from '../../core/errors.ts'
import { createStore } from '../engine.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, ignoreNoPermission } from '../../core/files.ts'
import { DiskRoom } from './disk-room.ts'
import { claimFolder } from './folder.ts'
import { takeLock } from '../lock/lock.ts'
import type { HeldLock } from '../lock/held-lock.ts'
import { createLogMedium, type LogMediumOptions } from './medium.ts'
import { namingFiles } from './naming-files.ts'
import { createPaths, type Paths } from './paths.ts'
import { openMarker } from './marker.ts'
import { defaultReserveBytes, releaseReserve, Reserve } from './reserve.ts'
import { replaceFile } from './replace-file.ts'
import type { Collection, StoredRecord } from '../store.ts'
import type { PartitionedStore } from '../partitioned-store.ts'
import type { Filling, Mark } from '../unfinished.ts'
import { fencedFiles } from '../lock/fenced-files.ts'
import { nodeFiles } from '../../core/node-files.ts'

export interface LogStoreOptions extends LogMediumOptions {
  /** The folder, made where it is missing. One store at a time uses it. */
  readonly dir: string
  /** Every collection that will be used. What the folder holds of others is kept. */
  readonly collections: readonly Collection<StoredRecord>[]
  /** What a commit survives. `process`: the end of this process. `disk`: also a power loss, with a sync per write. */
  readonly durability: 'process' | 'disk'
  /** Called with operational warnings, one or two sentences each. Default: none. */
  readonly onNotice?: (text: string) => void
  /** The file system; tests inject faults here. Default: the machine's. */
  readonly files?: Files
  /** Default: the machine's. */
  readonly processes?: Processes
  /** The boot id of the machine; `""` if it is not known. Default: the one of the system. */
  readonly boot?: string
  /** How many bytes may wait to be stored before new records are refused. Default: 64 MiB. */
  readonly pendingBytes?: number
  /** How much room is kept for removing mail on a full disk, in bytes. Default: 4 MiB. */
  readonly reserveBytes?: number
}

/**
 * Opens the store in a folder: records in JSON files that a person can read, commits and messages in a log.
 *
 * @throws store_in_use when another process has the folder, store_corrupt when a file cannot be read,
 *   store_newer_schema when a newer Localpost wrote it, store_incomplete when a copy or a salvage into it was interrupted,
 *   store_read_only, store_full, store_failed; invalid_option when `dir` belongs to something else.
 * @example
 * const store = await openLogStore({ dir: '.localpost', collections, clock: systemClock, durability: 'process' })
 */
export async function openLogStore(options: LogStoreOptions): Promise<PartitionedStore> {
  const { files = nodeFiles } = options
  const paths = createPaths(resolve(options.dir))
  try {
    return (await openFolder(options, paths)).store
  } catch (error) {
    // Even the lock needs space on the disk.
    if (!isErrorOf(error, 'store_full') || !(await releaseReserve(files, paths).catch(() => false)))
      throw error
    return (await openFolder(options, paths, { isFull: true })).store
  }
}

/**
 * Opens the store in a folder to fill it. A new folder is marked before anything is stored in it; {@link openLogStore}
 * and `inspectFolder` refuse it until `finish`. A marked one is opened again for the same work.
 *
 * @param options  With the durability `disk`, so that the mark is removed only after all data is on the disk.
 * @throws store_incomplete if other work has marked it; the errors of openLogStore.
 */
export async function fillLogStore(
  options: LogStoreOptions & { readonly durability: 'disk' },
  mark: Mark,
): Promise<Filling> {
  return await openFolder(options, createPaths(resolve(options.dir)), { mark })
}

async function openFolder(
  options: LogStoreOptions,
  paths: Paths,
  { isFull = false, mark = null }: { isFull?: boolean; mark?: Mark | null } = {},
): Promise<Filling> {
  // `claimFolder` and the lock take the raw ones: they run before the lock is held, and explain such errors themselves.
  const { files: raw = nodeFiles, processes, onNotice = () => {} } = options
  let lock: HeldLock | null = null
  try {
    const isNew = await claimFolder(raw, paths)
    lock = await takeLock({ files: raw, path: paths.lock, folder: paths.folder, processes, onNotice })
    const files = fencedFiles(namingFiles(raw), lock)
    const marker = await openMarker({ files, paths }, mark)
    if (isNew) await replaceFile(files, paths.gitignore, [Buffer.from('*\n')])
    await files.makeFolder(paths.logs)
    await files.makeFolder(paths.larges)
    // Even if they exist already: an earlier start may have ended before it synced them.
    await files.syncFolder(dirname(paths.folder)).catch(ignoreNoPermission)
    for (const path of [paths.folder, paths.logs]) await files.syncFolder(path)
    const bytes = options.reserveBytes ?? defaultReserveBytes
    let isWhole = false
    const medium = createLogMedium({
      ...options,
      files,
      paths,
      onNotice,
      lock,
      reserve: new Reserve({ files, paths, bytes, onNotice }, isFull),
      room: new DiskRoom({ files, paths }, bytes),
      onClosed: async () => {
        if (isWhole) await marker.remove()
      },
      durable: options.durability === 'disk',
      boot: options.boot ?? (await systemProcesses.pidSpace()).boot,
    })
    const store = await createStore(options.collections, medium, options.pendingBytes)
    return {
      store,
      get isMarked() {
        return marker.isSet
      },
      begin: () => marker.set(),
      async finish() {
        isWhole = true
        await store.close()
      },
    }
  } catch (error) {
    await lock?.release().catch(() => {})
    throw storeFault(error, `Opening the data folder ${paths.folder}`)
  }
}
