import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createBudget } from '../../core/byte-budget.ts'
import type { Clock } from '../../core/clock.ts'
import { isErrorOf, type LocalpostError } from '../../core/errors.ts'
import { crcOf, damaged, damagedBy, isWhole } from './blob-crc.ts'
import { HeldBlobWriter } from '../blob-writer.ts'
import { type CheckpointDeps, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { Checkpoint, LogWriter } from './checkpoint-text.ts'
import type { LogPlace, BlobPlace } from '../entry.ts'
import { misuse, storeFault } from '../io-errors.ts'
import type { HeldLock } from '../lock/held-lock.ts'
import { largeBlobBytes, type LargeDeps, openLarge, openSpool, type SpooledFile } from './large.ts'
import { needsFile, takeBlob } from './take-blob.ts'
import type { DiskRoom } from './disk-room.ts'
import { BackgroundSync } from './background-sync.ts'
import { createLineReader } from './line-reader.ts'
import { claimLog, type Loaded, loadFolder } from './load.ts'
import { type CommitPosition, Log } from './log.ts'
import type { Medium, StagedCommit } from '../medium.ts'
import type { BlobId } from '../names.ts'
import type { Reserve } from './reserve.ts'
import { FolderMaintenance } from './maintenance.ts'
import { SpaceAccounting, unitBytes } from './space.ts'
import { FrameWriter } from './frame-writer.ts'

export interface LogMediumOptions {
  readonly clock: Clock
  /** How many bytes unfinished blobs hold in memory, all together; beyond, they are spooled. Default: 32 MiB. */
  readonly heldBytes?: number | undefined
  /** The size of a log file in bytes. Default: half of what is in use, from 4 to 32 MiB. */
  readonly logFileBytes?: number | undefined
  /** After how many bytes of log a checkpoint is written, at the latest. Default: 16 MiB. */
  readonly checkpointBytes?: number | undefined
  /** How many files of 1,000 records of each collection, the newest ones, stay in memory. Default: 4. */
  readonly awakeSegments?: number | undefined
}

interface LogMediumDeps extends CheckpointDeps, LogMediumOptions {
  readonly lock: HeldLock
  /** Disk space kept free so that mail can be removed when the disk is full. */
  readonly reserve: Reserve
  readonly room: DiskRoom
  /** Called when everything is on the disk, before the lock is released. */
  onClosed(): Promise<void>
}

/** A state in which nothing new is stored. */
export type RefusalReason = 'lost_lock' | 'failed_write' | 'full_disk'

/** All reasons. If several apply, the first one is reported. */
export const refusalReasons: readonly RefusalReason[] = ['lost_lock', 'failed_write', 'full_disk']

/** A medium that stores files in a folder. This process must hold the folder's lock. */
export function createLogMedium(deps: LogMediumDeps): Medium {
  const space = new SpaceAccounting()
  const held = createBudget(deps.heldBytes ?? 32 * 1024 * 1024)
  const frames = new FrameWriter(deps.durable)
  const larges: LargeDeps = { ...deps, onFailed: (error) => deps.room.noteFailed(error) }
  /** Null until `load`. */
  let log: Log | null = null
  let sync: BackgroundSync | null = null
  /** Null until `start`. */
  let maintenance: FolderMaintenance | null = null
  /** The number of the last commit. */
  let seq = 0
  /** The size of the last batch in the log, until it is applied. */
  let writtenBytes = 0

  const refusals: Readonly<Record<RefusalReason, () => LocalpostError | null>> = {
    lost_lock: () => deps.lock.lost,
    failed_write: () => log?.fault ?? null,
    full_disk: () => deps.reserve.refusal,
  }

  function loadedLog(): Log {
    if (!log) throw misuse('The store is used before it is loaded.')
    return log
  }

  const position = (): CommitPosition => ({ ...loadedLog().end, seq })

  async function spool(id: BlobId): Promise<SpooledFile> {
    deps.reserve.assertWhole()
    await sync?.clear()
    return await openSpool(larges, id)
  }

  async function read(place: BlobPlace, start: number, end: number): Promise<Buffer> {
    if (start === end) return Buffer.alloc(0)
    if ('log' in place) {
      const bytes = await readLog(place, start, end)
      if (bytes.byteLength === place.size && !isWhole(place, bytes)) throw damaged(deps.paths, place)
      return bytes
    }
    if (!('large' in place)) throw misuse('A store in a folder holds no bytes in memory.')
    const bytes = await buffer(openLarge(deps, place, start, end))
    if (bytes.byteLength === end - start) return bytes
    throw damaged(deps.paths, place)
  }

  async function readLog(place: LogPlace, start: number, end: number): Promise<Buffer> {
    try {
      return await loadedLog().read(place.log, place.at + start, end - start)
    } catch (error) {
      throw damagedBy(error, deps.paths, place)
    }
  }

  return {
    async load(records) {
      const { resting } = records
      resting.useFiles({
        reader: createLineReader(deps.files),
        awakeSegments: deps.awakeSegments,
        onDamaged: (error) => deps.onNotice(error.message),
      })
      const loaded = await loadFolder(deps, records)
      seq = loaded.seq
      const fileBytes = (): number => deps.logFileBytes ?? unitBytes(space, maxFileBytes)
      const target = new Log({ ...deps, fileBytes }, loaded.lengths, loaded.checkpoint.log)
      log = target
      deps.lock.watchOpenFiles(() => target.checkPlace())
      if (deps.lock.tookOver) tellRestart(deps, loaded.checkpoint.writer, seq)
      const syncing = new BackgroundSync(
        { ...deps, space, endOfLog: () => target.end },
        loaded.checkpoint,
        loaded.unsynced,
      )
      sync = syncing
      await syncing.run()
      const writeEdits = (): Promise<void> =>
        deps.reserve.spend(() => writeCheckpoint(deps, records, position(), () => syncing.run()))
      await claimLog(deps, await sealEdits(deps, loaded, writeEdits))
      await deps.reserve.refill()
      return seq
    },
    start(engine) {
      if (!sync) return
      maintenance = new FolderMaintenance({ ...deps, log: loadedLog(), sync, space, engine }, position())
    },
    createBlob: (id) => new HeldBlobWriter(id, largeBlobBytes, held, spool),
    take: (blob, name) =>
      takeBlob(
        larges,
        blob,
        name,
        (large) => sync?.noteLarge(large),
        (work) => loadedLog().afterCut(work),
      ),
    clear: (blobs) => (blobs.some(needsFile) ? sync?.clear() : undefined),
    assertRoom: () => deps.reserve.assertWhole(),
    refusal() {
      for (const reason of refusalReasons) {
        const refusal = refusals[reason]()
        if (refusal) return refusal
      }
      return null
    },
    usedBytes: () => space.liveBytes + space.largeBytes,
    lowDisk: () => deps.room.low(),
    placeHeld: (bytes, size, at) => ({ log: 0, at, size, crc: crcOf(bytes) }),
    async write(batch, mayUseReserve) {
      const target = loadedLog()
      const spend = <T>(run: () => Promise<T>): Promise<T> =>
        mayUseReserve ? deps.reserve.spend(run) : run()
      await deps.lock.assertHeld()
      try {
        await spend(() => target.makeRoom(roughSize(batch)))
        const bytes = await frames.encode(batch, target.end)
        await spend(() => target.append(bytes))
        writtenBytes = bytes.byteLength
      } catch (error) {
        if (!mayUseReserve) deps.room.noteFailed(error)
        throw error
      }
      if (!mayUseReserve) deps.room.noteWritten()
      seq = batch.at(-1)?.seq ?? seq
    },
    applied() {
      maintenance?.note(writtenBytes, position())
      writtenBytes = 0
    },
    hold: (places, without) => space.hold(places, without),
    release: (places, without) => space.release(places, without),
    read,
    async open(place, start, end) {
      if ('large' in place) return openLarge(deps, place, start, end)
      // Blobs in the log are small. Reading the whole blob now means that a slow reader keeps no file open.
      return Readable.from(start === end ? [] : [await read(place, start, end)], { objectMode: false })
    },
    async close() {
      try {
        const target = loadedLog()
        await target.cutBack()
        try {
          await maintenance?.close()
        } finally {
          await target.close()
        }
        await deps.onClosed()
      } finally {
        await deps.lock.release().catch((error: unknown) => {
          throw storeFault(error, 'Letting go of the data folder')
        })
      }
    },
  }
}

/**
 * Gives edited files their checksums now, so that later damage is found. If the disk is full, the next checkpoint does it.
 *
 * @returns The checkpoint that is on the disk. One that failed may have changed it already.
 */
async function sealEdits(
  deps: LogMediumDeps,
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
function tellRestart(deps: LogMediumDeps, writer: LogWriter, seq: number): void {
  if (writer.durability !== 'process' || writer.boot === '' || deps.boot === '' || writer.boot === deps.boot)
    return
  deps.onNotice(
    `The machine was restarted while Localpost used ${deps.paths.folder}. What was stored in the last 5 seconds before that may be lost; the last commit that is there is number ${seq}. With --durability disk nothing is lost.`,
  )
}

/** Estimates the size of a batch in bytes, to choose the log file. */
function roughSize(batch: readonly StagedCommit[]): number {
  let size = 0
  for (const { payloadSize, effects } of batch) {
    size += payloadSize + frameBytes
    for (const effect of effects) size += frameBytes + (effect.op === 'put' ? effect.draft.text.length : 0)
  }
  return size
}

const frameBytes = 100
const maxFileBytes = 32 * 1024 * 1024
