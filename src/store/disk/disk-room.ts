import type { Files } from '../../core/files.ts'
import { clearTimeout, monotonicNow, setTimeout } from '../../core/machine.ts'
import { storeFault } from '../io-errors.ts'
import type { LowDisk } from '../store.ts'
import type { Paths } from './paths.ts'

/** Knows whether the disk has little room left, before the reserve is needed. */
export interface DiskRoom {
  /** To be called when something new was written. */
  noteWritten(): void
  /** To be called when writing something new failed. @returns The error. */
  noteFailed(error: unknown): unknown
  /** The same files. It is noted when a write fails. */
  noting(files: Files): Files
  /** As `Store.lowDisk`. Looks at the disk at most once per second. */
  low(): Promise<LowDisk | null>
}

/**
 * @param bytes  Below this much free space the disk counts as low.
 */
export function createDiskRoom(deps: { files: Files; paths: Paths; bytes: number }): DiskRoom {
  const { files, paths, bytes } = deps
  /** Whether the last new thing did not fit. */
  let isFull = false
  /** As last seen; null if the system does not say. */
  let free: number | null = null
  let lookedAt = -Infinity
  let looking: Promise<void> | null = null

  async function look(): Promise<void> {
    free = await files.freeBytes(paths.folder).catch(() => null)
    looking = null
  }

  function noteFailed(error: unknown): unknown {
    isFull ||= storeFault(error, '').code === 'store_full'
    return error
  }

  return {
    noteWritten() {
      isFull = false
    },
    noteFailed,
    noting: (all) => ({
      ...all,
      async write(fd, part, at) {
        try {
          return await all.write(fd, part, at)
        } catch (error) {
          throw noteFailed(error)
        }
      },
    }),
    async low() {
      const now = monotonicNow()
      if (now - lookedAt >= lookMs) {
        lookedAt = now
        looking ??= look()
      }
      if (looking) await atMost(looking, lookMs)
      if (free === null || free >= bytes) return null
      const left = `${Math.floor(free / 1024)} KB are free`
      const message = isFull
        ? `The disk of ${paths.folder} is full: the last mail did not fit, and ${left}. Free some space or remove mail, then send it again.`
        : `The disk of ${paths.folder} is almost full: ${left}. Mail that does not fit is refused. Free some space or remove mail.`
      return { isFull, message }
    },
  }
}

const lookMs = 1000

/** Waits for work, but no longer than this many milliseconds: the disk of a network volume may not answer. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let stop = (): void => {}
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    stop = () => clearTimeout(timer)
  })
  await Promise.race([work, late])
  stop()
}
