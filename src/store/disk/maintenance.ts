import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { HeldLock } from '../lock/held-lock.ts'
import type { MaintainedEngine } from '../medium.ts'
import type { BackgroundSync } from './background-sync.ts'
import { BlobMover } from './blob-mover.ts'
import { type CheckpointDeps, writeCheckpoint } from './checkpoint.ts'
import type { Loaded } from './load.ts'
import type { CommitPosition, Log } from './log.ts'
import type { Reserve } from './reserve.ts'
import { type SpaceAccounting, unitBytes } from './space.ts'
import { StartIndexes } from './start-indexes.ts'

interface MaintenanceDeps extends CheckpointDeps {
  readonly clock: Clock
  readonly lock: HeldLock
  readonly log: Log
  readonly space: Readonly<SpaceAccounting>
  readonly sync: BackgroundSync
  readonly reserve: Reserve
  readonly engine: MaintainedEngine
  /** See {@link Loaded}. */
  readonly unchecked: Loaded['unchecked']
  readonly checkpointBytes?: number | undefined
}

/** Decides when a checkpoint is written, and cleans up after it: removes log files, and moves the last blobs out of others. */
export class FolderMaintenance {
  readonly #deps: MaintenanceDeps
  readonly #checkpointBytes: number
  readonly #mover: BlobMover
  readonly #indexes: StartIndexes
  /** The position after the last commit. */
  #position: CommitPosition
  /**
   * Bytes added to the log, and bytes of large files to remove, since the last checkpoint. Only `noteWrite` adds to it.
   * A checkpoint subtracts, once it is written, what was there when it began: the rest is of commits during it.
   */
  #bytesSince = 0
  /** With this many `#bytesSince`, the next checkpoint is due. A failed run raises it, the next successful one resets it. */
  #dueBytes: number
  /** `space.deadLargeBytesEver` at the last commit. */
  #deadLargeSeen = 0
  /** `space.freedBytesEver` when the last checkpoint began, even if that failed. */
  #freedSeen = 0
  #running: Promise<void> | null = null
  #cancelTimer: (() => void) | null = null
  #isFailing = false
  #isClosing = false

  constructor(deps: MaintenanceDeps, position: CommitPosition) {
    this.#deps = deps
    this.#position = position
    this.#checkpointBytes = this.#dueBytes = deps.checkpointBytes ?? defaultCheckpointBytes
    this.#mover = new BlobMover(deps)
    this.#indexes = new StartIndexes(deps, deps.engine.records)
  }

  /** Call it after each write, with the number of bytes added to the log. */
  noteWrite(bytes: number, position: CommitPosition): void {
    const { space, sync } = this.#deps
    this.#position = position
    sync.noteCommit()
    this.#bytesSince += bytes + space.deadLargeBytesEver - this.#deadLargeSeen
    this.#deadLargeSeen = space.deadLargeBytesEver
    const freed = space.freedBytesEver - this.#freedSeen
    if (this.#bytesSince >= this.#dueBytes || freed >= unitBytes(space, this.#checkpointBytes)) this.#begin()
    else this.#beginLater()
  }

  /** Stops after a last checkpoint, so that the next start has nothing to replay. */
  async close(): Promise<void> {
    const { log, sync, engine } = this.#deps
    this.#isClosing = true
    this.#cancelTimer?.()
    await Promise.all([this.#running, sync.close(), this.#indexes.stopChecks()])
    if (!log.fault && (this.#bytesSince > 0 || engine.records.dirty.size > 0)) await this.#run()
    if (!log.fault) await this.#indexes.write({ newestToo: true })
  }

  #beginLater(): void {
    if (this.#bytesSince > 0 && !this.#running && !this.#isClosing)
      this.#cancelTimer ??= this.#deps.clock.after(quietMs, () => this.#begin())
  }

  #begin(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    if (this.#isClosing || this.#deps.log.fault) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      // Commits during the run did not start the timer.
      this.#beginLater()
    })
  }

  async #run(): Promise<void> {
    try {
      await this.#checkpoint()
      this.#dueBytes = this.#checkpointBytes
      this.#isFailing = false
      if (this.#isClosing) return
      const maxLive = this.#deps.reserve.isGivenUp ? maxLiveOnFullDisk : Infinity
      const hasMoved = await this.#mover.move(this.#position.log, maxLive, () => !this.#isClosing)
      if (hasMoved && !this.#isClosing) await this.#checkpoint()
    } catch (error) {
      // The log still has everything. Retrying at every commit would make a full or failing disk slower.
      this.#dueBytes = this.#bytesSince + this.#checkpointBytes
      const message = `The snapshot could not be written; the log still has everything. ${messageOf(error)}`
      if (!this.#isFailing) this.#deps.onNotice(message)
      this.#isFailing = true
    }
  }

  /** Writes a checkpoint, then removes the log files that are no longer needed. */
  async #checkpoint(): Promise<void> {
    const { engine, lock, log, reserve, space, sync } = this.#deps
    const position = this.#position
    this.#freedSeen = space.freedBytesEver
    const logs = deadLogs(log, space, position.log)
    const bytes = this.#bytesSince
    await lock.check()
    await reserve.spend(() => writeCheckpoint(this.#deps, engine.records, position, () => sync.run()))
    this.#bytesSince -= bytes
    for (const number of logs) await log.remove(number)
    if (this.#isClosing) return
    void this.#indexes.write()
    await reserve.refill()
  }
}

/** The log files before the given number that no live record refers to. */
function deadLogs(log: Log, space: Readonly<SpaceAccounting>, before: number): number[] {
  return [...log.lengths.keys()].filter((number) => number < before && (space.live.get(number) ?? 0) === 0)
}

/** Half a full log file. More is added while a checkpoint is written, so a start replays about one log file. */
const defaultCheckpointBytes = 16 * 1024 * 1024
/** Limit for moving blobs on a full disk: a larger move could use up the reserve and fail before it frees space. */
const maxLiveOnFullDisk = 1024 * 1024
/** A checkpoint follows this long after a commit, so that a person who opens the files sees recent changes. */
const quietMs = 5000
