import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../io-errors.ts'
import { type CheckpointDeps, writeCheckpoint } from './checkpoint.ts'
import { createMove, deadLogs } from './cleanup.ts'
import type { Flush } from './flush.ts'
import type { HeldLock } from '../lock/held-lock.ts'
import type { Log, LogPosition } from './log.ts'
import type { Maintenance } from '../medium.ts'
import type { Reserve } from './reserve.ts'
import { type SpaceAccounting, unitBytes } from './space.ts'
import { StartIndexes } from './start-indexes.ts'

/** Runs checkpoints and clean-up in the background. */
export interface MaintenanceRunner {
  /** Call it after each write, with the number of bytes added to the log and the position after them. */
  note(bytes: number, at: LogPosition & { readonly seq: number }): void
  /**
   * Await it before a new large file is written. Removes unused large files if they take too much space. Never rejects.
   * Usually there is nothing to wait for.
   */
  clear(): Promise<void> | undefined
  /** Stops after a last checkpoint, so that the next start has nothing to replay. */
  close(): Promise<void>
}

export interface MaintenanceDeps extends CheckpointDeps {
  readonly clock: Clock
  readonly lock: HeldLock
  readonly log: Log
  readonly space: SpaceAccounting
  readonly flush: Flush
  readonly reserve: Reserve
  readonly engine: Maintenance
  readonly seq: number
  readonly checkpointBytes?: number | undefined
}

/** Half a full log file. More is added while a checkpoint is written, so a start replays about one log file. */
const defaultCheckpointBytes = 16 * 1024 * 1024
/** How often to sync when commits do not sync themselves. A power cut loses at most this time plus the duration of a sync. */
const syncMs = 4000
/** Limit for moving blobs on a full disk: a larger move could use up the reserve and fail before it frees space. */
const mostLiveOnFullDisk = 1024 * 1024
/** If unused large files take more than this many bytes, new large files wait for their removal. */
const mostWaitingBytes = 48 * 1024 * 1024
/** A checkpoint follows this long after a commit, so that a person who opens the files sees recent changes. */
const quietMs = 5000

export function createMaintenance(deps: MaintenanceDeps): MaintenanceRunner {
  const { clock, log, space, reserve, engine, onNotice } = deps
  const { records } = engine
  const checkpointBytes = deps.checkpointBytes ?? defaultCheckpointBytes
  const moveLive = createMove(log, space, engine)
  const indexes = new StartIndexes(deps, records)
  let at = { ...log.end, seq: deps.seq }
  /** Bytes added to the log, and bytes of large files to remove, since the last checkpoint. */
  let bytesSince = 0
  let deadLargeSeen = 0
  let dueBytes = checkpointBytes
  /** The value of `space.freedBytes` when the last checkpoint began. */
  let freedSeen = 0
  let running: Promise<void> | null = null
  let cancelTimer: (() => void) | null = null
  let cancelSync: (() => void) | null = null
  let clearing: Promise<void> | null = null
  let closing = false
  let failing = false
  let syncFailing = false

  /**
   * Syncs all commits so far, then removes the large files that they made unused. That need not wait for a checkpoint:
   * its older files may name these large files, but a start applies the commits that follow before it looks for them.
   */
  async function flush(): Promise<void> {
    const unused = [...space.deadLarge.keys()]
    await deps.flush.run()
    for (const name of unused) {
      await deps.files.remove(deps.paths.large(name))
      space.removed(name)
    }
  }

  /** Writes a checkpoint, then removes the log files that are no longer needed. */
  async function checkpoint(): Promise<void> {
    const position = at
    freedSeen = space.freedBytes
    const logs = deadLogs(log, space, position.log)
    const bytes = bytesSince
    await deps.lock.check()
    await reserve.spend(() => writeCheckpoint(deps, records, position, flush))
    bytesSince -= bytes
    for (const number of logs) await log.remove(number)
    if (!closing) void indexes.write()
    if (!closing) await reserve.refill()
  }

  async function run(): Promise<void> {
    try {
      await checkpoint()
      dueBytes = checkpointBytes
      failing = false
      if (closing) return
      const mostLive = reserve.isOpen ? mostLiveOnFullDisk : Infinity
      const moved = await moveLive(at.log, mostLive, () => !closing)
      if (moved && !closing) await checkpoint()
    } catch (error) {
      // The log still has everything. Retrying at every commit would make a full or failing disk slower.
      dueBytes = bytesSince + checkpointBytes
      const reason = messageOf(error)
      if (failing) return
      failing = true
      onNotice(`The snapshot could not be written; the log still has everything. ${reason}`)
    }
  }

  function wait(): void {
    if (bytesSince > 0 && !running && !closing) cancelTimer ??= clock.after(quietMs, begin)
  }

  function begin(): void {
    cancelTimer?.()
    cancelTimer = null
    if (closing || log.fault) return
    running ??= run().finally(() => {
      running = null
      // Commits during the run did not start the timer.
      wait()
    })
  }

  async function sync(): Promise<void> {
    try {
      await flush()
      syncFailing = false
    } catch (error) {
      if (syncFailing) return
      syncFailing = true
      const reason = messageOf(error)
      onNotice(`A power cut now may lose more than the last 5 seconds. ${reason}`)
    }
  }

  return {
    note(bytes, position) {
      at = position
      if (!deps.durable && !closing)
        cancelSync ??= clock.after(syncMs, () => {
          cancelSync = null
          void sync()
        })
      bytesSince += bytes + space.deadLargeBytes - deadLargeSeen
      deadLargeSeen = space.deadLargeBytes
      const freed = space.freedBytes - freedSeen
      if (bytesSince >= dueBytes || freed >= unitBytes(space, checkpointBytes)) begin()
      else wait()
    },
    clear() {
      if (space.waitingBytes < mostWaitingBytes || closing) return undefined
      // If the disk fails, the commit reports it.
      return (clearing ??= sync().finally(() => (clearing = null)))
    },
    async close() {
      closing = true
      cancelTimer?.()
      cancelSync?.()
      await Promise.all([running, clearing, indexes.close()])
      if (!log.fault && (bytesSince > 0 || records.dirty.size > 0)) await run()
      if (!log.fault) await indexes.write(true)
    },
  }
}
