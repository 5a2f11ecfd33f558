import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createBudget } from '../../core/byte-budget.ts'
import type { Clock } from '../../core/clock.ts'
import type { LocalpostError } from '../../core/errors.ts'
import { crcOf, damagedError, toBlobError, isWhole } from './blob-crc.ts'
import { HeldBlobWriter } from '../blob-writer.ts'
import { type CheckpointDeps, claimLog, writeCheckpoint } from './checkpoint.ts'
import type { LogPlace, BlobPlace } from '../entry.ts'
import { misuse, storeFault } from '../io-errors.ts'
import type { HeldLock } from '../lock/held-lock.ts'
import { largeBlobBytes, type LargeDeps, openLarge, openSpool, type SpooledFile } from './large.ts'
import { needsFile, takeBlob } from './take-blob.ts'
import type { DiskRoom } from './disk-room.ts'
import { BackgroundSync } from './background-sync.ts'
import { createLineReader } from './line-reader.ts'
import { type Loaded, loadFolder, sealEdits, tellRestart } from './load.ts'
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

/** The states in which nothing new is stored. Each has a case in test/server/refusing.test.ts. */
export type RefusalReason = 'lost_lock' | 'failed_write' | 'full_disk'
/** What a medium has once its folder is loaded. */
interface LoadedParts extends Pick<Loaded, 'unchecked'> {
  readonly log: Log
  readonly sync: BackgroundSync
}

/** A medium that stores files in a folder. This process must hold the folder's lock. */
export function createLogMedium(deps: LogMediumDeps): Medium {
  const space = new SpaceAccounting()
  const held = createBudget(deps.heldBytes ?? 32 * 1024 * 1024)
  const frames = new FrameWriter(deps.durable)
  const larges: LargeDeps = { ...deps, onFailed: (error) => deps.room.noteFailed(error) }
  /** Null until `load`. */
  let loaded: LoadedParts | null = null
  /** Null until `start`. */
  let maintenance: FolderMaintenance | null = null
  /** The number of the last commit. */
  let seq = 0
  /** The size of the last batch in the log, until it is applied. */
  let writtenBytes = 0

  function parts(): LoadedParts {
    if (!loaded) throw misuse('The store is used before it is loaded.')
    return loaded
  }

  const position = (): CommitPosition => ({ ...parts().log.end, seq })

  async function spool(id: BlobId): Promise<SpooledFile> {
    deps.reserve.assertWhole()
    await parts().sync.removeUnusedLarge()
    return await openSpool(larges, id)
  }

  async function read(place: BlobPlace, start: number, end: number): Promise<Buffer> {
    if (start === end) return Buffer.alloc(0)
    if ('log' in place) {
      const bytes = await readLog(place, start, end)
      if (bytes.byteLength === place.size && !isWhole(place, bytes)) throw damagedError(deps.paths, place)
      return bytes
    }
    if (!('large' in place)) throw misuse('A store in a folder holds no bytes in memory.')
    const bytes = await buffer(openLarge(deps, place, start, end))
    if (bytes.byteLength === end - start) return bytes
    throw damagedError(deps.paths, place)
  }

  async function readLog(place: LogPlace, start: number, end: number): Promise<Buffer> {
    try {
      return await parts().log.read(place.log, place.at + start, end - start)
    } catch (error) {
      throw toBlobError(error, deps.paths, place)
    }
  }

  return {
    async load(records) {
      const { resting } = records
      resting.useFiles({
        lines: createLineReader(deps.files),
        awakeSegments: deps.awakeSegments,
        onDamaged: (error) => deps.onNotice(error.message),
      })
      const found = await loadFolder(deps, records)
      seq = found.seq
      const fileBytes = (): number => deps.logFileBytes ?? unitBytes(space, maxFileBytes)
      const log = new Log({ ...deps, fileBytes }, found.lengths, found.checkpoint.log)
      deps.lock.watchOpenFiles(() => log.checkPlace())
      if (deps.lock.tookOver) tellRestart(deps, found.checkpoint.writer, seq)
      const sync = new BackgroundSync(
        { ...deps, space, endOfLog: () => log.end },
        found.checkpoint,
        found.unsynced,
      )
      loaded = { log, sync, unchecked: found.unchecked }
      await sync.run()
      const writeEdits = (): Promise<void> =>
        deps.reserve.spend(() => writeCheckpoint(deps, records, position(), () => sync.run()))
      await claimLog(deps, await sealEdits(deps, found, writeEdits))
      await deps.reserve.refill()
      return seq
    },
    start(engine) {
      maintenance = new FolderMaintenance({ ...deps, ...parts(), space, engine }, position())
    },
    createBlob: (id) => new HeldBlobWriter(id, largeBlobBytes, held, spool),
    take: (blob, name) =>
      takeBlob(
        larges,
        blob,
        name,
        (large) => parts().sync.noteLarge(large),
        (work) => parts().log.afterCut(work),
      ),
    waitForSpace: (blobs) => (blobs.some(needsFile) ? parts().sync.removeUnusedLarge() : undefined),
    assertRoom: () => deps.reserve.assertWhole(),
    refusal() {
      // If several apply, the first one is reported.
      const refusals: Readonly<Record<RefusalReason, LocalpostError | null>> = {
        lost_lock: deps.lock.lost,
        failed_write: loaded?.log.fault ?? null,
        full_disk: deps.reserve.refusal,
      }
      return Object.values(refusals).find((one) => one !== null) ?? null
    },
    usedBytes: () => space.liveBytes + space.largeBytes,
    lowDisk: () => deps.room.low(),
    placeHeld: (bytes, size, at) => ({ log: 0, at, size, crc: crcOf(bytes) }),
    async write(batch, mayUseReserve) {
      const { log } = parts()
      const spend = <T>(run: () => Promise<T>): Promise<T> =>
        mayUseReserve ? deps.reserve.spend(run) : run()
      await deps.lock.assertHeld()
      try {
        await spend(() => log.makeRoom(roughSize(batch)))
        const bytes = await frames.encode(batch, log.end)
        await spend(() => log.append(bytes))
        writtenBytes = bytes.byteLength
      } catch (error) {
        if (!mayUseReserve) deps.room.noteFailed(error)
        throw error
      }
      if (!mayUseReserve) deps.room.noteWritten()
      seq = batch.at(-1)?.seq ?? seq
    },
    applied() {
      maintenance?.noteWrite(writtenBytes, position())
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
        const { log } = parts()
        await log.cutBack()
        try {
          await maintenance?.close()
        } finally {
          await log.close()
        }
        await deps.onClosed()
      } finally {
        await deps.lock.release().catch((error: unknown) => {
          throw storeFault(error, 'Releasing the data folder')
        })
      }
    },
  }
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
