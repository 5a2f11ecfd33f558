import { storeFault } from '../io-errors.ts'
import { codeOf } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import type { LogPosition } from './log.ts'
import type { Paths } from './paths.ts'

/** Syncs commits in the background that were acknowledged before they were synced, so that they survive a power cut. */
export interface Flush {
  /** Call it with each new large file, before the commit that refers to it. */
  noteLarge(name: string): void
  /** Syncs everything that was committed before this call: first the large files, then the log that refers to them. */
  run(): Promise<void>
}

export interface FlushDeps {
  readonly files: Files
  readonly paths: Paths
  /** The current end of the log. */
  end(): LogPosition
  /** Whether a commit in the log has removed the last record that used this large file. */
  isUnused(large: string): boolean
  /** Whether each commit is synced at once. Then only the data found at the start has to be synced here, once. */
  readonly durable: boolean
}

/**
 * @param from  The log is synced up to this position.
 * @param larges  Files in `large` that may not be synced yet.
 */
export function createFlush(deps: FlushDeps, from: LogPosition, larges: Iterable<string>): Flush {
  const { files, paths, durable } = deps
  const unsynced = new Set(larges)
  let synced = from
  /** The number of the newest log file whose folder entry is synced. */
  let named = from.offset > 0 ? from.log : from.log - 1
  let running: Promise<void> = Promise.resolve()

  async function syncFile(path: string): Promise<void> {
    let fd: number
    try {
      fd = await files.open(path, 'r+')
    } catch (error) {
      // The file was removed meanwhile.
      if (codeOf(error) === 'ENOENT') return
      throw error
    }
    try {
      await files.sync(fd)
    } finally {
      await files.close(fd)
    }
  }

  /** Several at a time: a sync waits for the disk, and between two of them for the event loop. */
  async function syncLarges(names: readonly string[]): Promise<void> {
    const left = names.values()
    const syncNext = async (): Promise<void> => {
      // Under a flood with `maxEmails`, many files are unused before their turn, and need no sync.
      for (const name of left) if (!deps.isUnused(name)) await syncFile(paths.large(name))
    }
    await Promise.all(Array.from({ length: syncsAtOnce }, syncNext))
  }

  async function once(): Promise<void> {
    const end = deps.end()
    const names = [...unsynced]
    if (names.length === 0 && end.log === synced.log && end.offset === synced.offset) return
    await syncLarges(names)
    if (names.length > 0) await files.syncFolder(paths.larges)
    // The log is synced with the commits that made files unused meanwhile.
    const last = deps.end().log
    for (let log = synced.log; log <= last; log++) await syncFile(paths.log(log))
    if (last > named) await files.syncFolder(paths.logs)
    for (const name of names) unsynced.delete(name)
    named = Math.max(named, last)
    synced = end
  }

  let begun = false
  return {
    noteLarge(name) {
      if (!durable) unsynced.add(name)
    },
    run() {
      if (durable && begun) return running
      begun = true
      // A running sync may have begun before the latest commit, so each call runs its own sync after it.
      running = running
        .catch(() => {})
        .then(once)
        .catch((error: unknown) => {
          throw storeFault(error, `Making ${paths.folder} safe against a power cut`)
        })
      return running
    },
  }
}

/** Fewer than the four threads for files that Node has, so that mail is still written meanwhile. */
const syncsAtOnce = 3
