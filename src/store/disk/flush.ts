import { storeFault } from '../io-errors.ts'
import { codeOf } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import type { LogPosition } from './log.ts'
import type { Paths } from './paths.ts'

/** Makes commits survive a power loss, beside the commits: those that were acknowledged from memory of the system. */
export interface Flush {
  /** Says that a large blob has a file, before the commit that names it. */
  noteLarge(name: string): void
  /** Syncs all that was committed before this call: large files first, then the log that names them. */
  run(): Promise<void>
}

export interface FlushDeps {
  readonly files: Files
  readonly paths: Paths
  /** Where the log ends now. */
  end(): LogPosition
  /** Whether commits sync themselves, so that only what is there at the beginning is left to do. */
  readonly durable: boolean
}

/**
 * @param from  What is known to be on the disk already.
 * @param larges  Files of `large` that may not be.
 */
export function createFlush(deps: FlushDeps, from: LogPosition, larges: Iterable<string>): Flush {
  const { files, paths, durable } = deps
  const unsynced = new Set(larges)
  let synced = from
  /** The number of the newest file of the log whose name is on the disk. */
  let named = from.offset > 0 ? from.log : from.log - 1
  let running: Promise<void> = Promise.resolve()

  async function syncFile(path: string): Promise<void> {
    let fd: number
    try {
      fd = await files.open(path, 'r+')
    } catch (error) {
      // Removed meanwhile.
      if (codeOf(error) === 'ENOENT') return
      throw error
    }
    try {
      await files.sync(fd)
    } finally {
      await files.close(fd)
    }
  }

  async function once(): Promise<void> {
    const end = deps.end()
    const names = [...unsynced]
    if (names.length === 0 && end.log === synced.log && end.offset === synced.offset) return
    for (const name of names) await syncFile(paths.large(name))
    if (names.length > 0) await files.syncFolder(paths.larges)
    for (let log = synced.log; log <= end.log; log++) await syncFile(paths.log(log))
    if (end.log > named) await files.syncFolder(paths.logs)
    for (const name of names) unsynced.delete(name)
    named = Math.max(named, end.log)
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
      // One after the other: what the one before had begun with may be older than this call.
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
