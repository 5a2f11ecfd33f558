import { codeOf } from '../../core/errors.ts'
import { withFile } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import type { LogPosition } from './log.ts'
import type { DataFolder } from './paths.ts'

export interface FlushDeps extends DataFolder {
  end(): LogPosition
  /** Whether a commit in the log has removed the last record that used this large file. */
  isUnused(large: string): boolean
  /** Whether each commit is synced at once. Then only the data found at the start has to be synced here, once. */
  readonly durable: boolean
}

/** Syncs commits in the background that were acknowledged before they were synced, so that they survive a power cut. */
export class Flush {
  readonly #deps: FlushDeps
  readonly #unsynced: Set<string>
  #synced: LogPosition
  /** The number of the newest log file whose folder entry is synced. */
  #named: number
  #running: Promise<void> | null = null

  /**
   * @param from  The log is synced up to this position.
   * @param larges  Files in `large` that may not be synced yet.
   */
  constructor(deps: FlushDeps, from: LogPosition, larges: Iterable<string>) {
    this.#deps = deps
    this.#unsynced = new Set(larges)
    this.#synced = from
    this.#named = from.offset > 0 ? from.log : from.log - 1
  }

  /** Call it with each new large file, before the commit that refers to it. */
  noteLarge(name: string): void {
    if (!this.#deps.durable) this.#unsynced.add(name)
  }

  /** Syncs everything that was committed before this call: first the large files, then the log that refers to them. */
  run(): Promise<void> {
    if (this.#deps.durable && this.#running) return this.#running
    // A running sync may have begun before the latest commit, so each call runs its own sync after it.
    const before = this.#running ?? Promise.resolve()
    this.#running = before
      .catch(() => {})
      .then(() => this.#once())
      .catch((error: unknown) => {
        throw storeFault(error, `Making ${this.#deps.paths.folder} safe against a power cut`)
      })
    return this.#running
  }

  async #once(): Promise<void> {
    const { files, paths, end } = this.#deps
    const until = end()
    const names = [...this.#unsynced]
    const { log: from, offset } = this.#synced
    if (names.length === 0 && until.log === from && until.offset === offset) return
    await this.#syncLarges(names)
    if (names.length > 0) await files.syncFolder(paths.larges)
    // The log is synced with the commits that made files unused meanwhile.
    const last = end().log
    for (let log = from; log <= last; log++) await this.#syncFile(paths.log(log))
    if (last > this.#named) await files.syncFolder(paths.logs)
    for (const name of names) this.#unsynced.delete(name)
    this.#named = Math.max(this.#named, last)
    this.#synced = until
  }

  /** Several at a time: a sync waits for the disk, and between two of them for the event loop. */
  async #syncLarges(names: readonly string[]): Promise<void> {
    const { paths, isUnused } = this.#deps
    const left = names.values()
    const syncNext = async (): Promise<void> => {
      // Under a flood with `maxEmails`, many files are unused before their turn, and need no sync.
      for (const name of left) if (!isUnused(name)) await this.#syncFile(paths.large(name))
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

/** Fewer than the four threads for files that Node has, so that mail is still written meanwhile. */
const syncsAtOnce = 3
