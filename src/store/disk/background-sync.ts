import type { Clock } from '../../core/clock.ts'
import { codeOf, messageOf } from '../../core/errors.ts'
import { withFile } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import type { LogPosition } from './log.ts'
import type { DataFolder } from './paths.ts'
import type { SpaceAccounting } from './space.ts'

interface BackgroundSyncDeps extends DataFolder {
  readonly clock: Clock
  readonly space: Readonly<SpaceAccounting>
  /** Whether each commit is synced at once. Then only the data found at the start has to be synced here, once. */
  readonly durable: boolean
  readonly onNotice: (text: string) => void
  endOfLog(): LogPosition
}

/** Syncs acknowledged commits in the background, for power cuts, and removes large files that they made unused. */
export class BackgroundSync {
  readonly #deps: BackgroundSyncDeps
  /** Names in `large` of files that may not be synced yet. */
  readonly #unsynced: Set<string>
  /** Up to here the log is synced. */
  #synced: LogPosition
  /** The number of the newest log file whose folder entry is synced. */
  #namedLog: number
  /** With `durable`: the one sync of what the start found, for all calls. Otherwise: the last sync of the chain. */
  #running: Promise<void> | null = null
  /** The run that `removeUnusedLarge` waits for. */
  #removing: Promise<void> | null = null
  #cancelTimer: (() => void) | null = null
  #isFailing = false
  #isClosed = false

  /** @param from  Up to here the log is synced. @param unsynced  Files in `large` that may not be synced yet. */
  constructor(deps: BackgroundSyncDeps, from: LogPosition, unsynced: Iterable<string>) {
    this.#deps = deps
    this.#unsynced = new Set(unsynced)
    this.#synced = from
    this.#namedLog = from.offset > 0 ? from.log : from.log - 1
  }

  /** Call it with each new large file, before the commit that refers to it. */
  noteLarge(name: string): void {
    if (!this.#deps.durable) this.#unsynced.add(name)
  }

  noteCommit(): void {
    if (this.#deps.durable || this.#isClosed) return
    this.#cancelTimer ??= this.#deps.clock.after(syncMs, () => {
      this.#cancelTimer = null
      void this.#runOrTell()
    })
  }

  /** Removes unused large files if they take too much space. Never rejects. Usually there is nothing to wait for. */
  removeUnusedLarge(): Promise<void> | undefined {
    if (this.#deps.space.deadLargeBytes < maxUnusedBytes || this.#isClosed) return undefined
    // If the disk fails, the commit reports it.
    return (this.#removing ??= this.#runOrTell().finally(() => (this.#removing = null)))
  }

  /**
   * Syncs all commits so far, then removes the large files that they made unused. The removal need not wait for a
   * checkpoint: its older files may name these large files, but a start applies the commits that follow before it looks
   * for them.
   */
  async run(): Promise<void> {
    const { files, paths, space } = this.#deps
    const unused = [...space.deadLarge.keys()]
    await this.#sync()
    for (const name of unused) {
      await files.remove(paths.large(name))
      space.forgetLarge(name)
    }
  }

  /** Ends the timer; `run` still works. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer?.()
    await this.#removing
  }

  async #runOrTell(): Promise<void> {
    try {
      await this.run()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        this.#deps.onNotice(`A power cut now may lose more than the last 5 seconds. ${messageOf(error)}`)
      this.#isFailing = true
    }
  }

  #sync(): Promise<void> {
    if (this.#deps.durable && this.#running) return this.#running
    // A running sync may have begun before the latest commit, so each call runs its own sync after it.
    const before = this.#running ?? Promise.resolve()
    this.#running = before
      .catch(() => {})
      .then(() => this.#syncOnce())
      .catch((error: unknown) => {
        throw storeFault(error, `Making ${this.#deps.paths.folder} safe against a power cut`)
      })
    return this.#running
  }

  /** Syncs first the large files, then the log that refers to them. */
  async #syncOnce(): Promise<void> {
    const { files, paths, endOfLog } = this.#deps
    const until = endOfLog()
    const names = [...this.#unsynced]
    const { log: from, offset } = this.#synced
    if (names.length === 0 && until.log === from && until.offset === offset) return
    await this.#syncLarges(names)
    if (names.length > 0) await files.syncFolder(paths.larges)
    // The log is synced with the commits that made files unused meanwhile.
    const last = endOfLog().log
    for (let log = from; log <= last; log++) await this.#syncFile(paths.log(log))
    if (last > this.#namedLog) await files.syncFolder(paths.logs)
    for (const name of names) this.#unsynced.delete(name)
    this.#namedLog = Math.max(this.#namedLog, last)
    this.#synced = until
  }

  /** Several at a time: a sync waits for the disk, and between two of them for the event loop. */
  async #syncLarges(names: readonly string[]): Promise<void> {
    const { paths, space } = this.#deps
    const left = names.values()
    const syncNext = async (): Promise<void> => {
      // Under a flood with `maxEmails`, many files are unused before their turn, and need no sync.
      for (const name of left) if (!space.deadLarge.has(name)) await this.#syncFile(paths.large(name))
    }
    await Promise.all(Array.from({ length: syncsAtOnce }, syncNext))
  }

  async #syncFile(path: string): Promise<void> {
    const { files } = this.#deps
    await withFile(files, path, 'r+', (fd) => files.sync(fd)).catch((error: unknown) => {
      // The file was removed meanwhile.
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }
}

/** A power cut loses at most the commits of this time plus the duration of a sync. */
const syncMs = 4000
/** If unused large files take more than this many bytes, new large files wait for their removal. */
const maxUnusedBytes = 48 * 1024 * 1024
/** Fewer than the four threads for files that Node has, so that mail is still written meanwhile. */
const syncsAtOnce = 3
