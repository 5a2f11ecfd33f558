import { LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import type { Files, Stamp } from '../../core/files.ts'
import { beatMs, freshMs } from './heartbeat.ts'
import { parseHolder, readText } from './lock-file.ts'
import { clearInterval, dateNow, monotonicNow, setInterval } from '../../core/machine.ts'

/** The right to write into a folder, as long as its lock file says so. */
export interface HeldLock {
  /** Whether the lock of another process had to be taken over: that one did not close the folder. */
  readonly tookOver: boolean
  /**
   * Reads the lock file where that was not done recently: the process may have been stopped, and another one
   * may have the folder since. Most often there is nothing to wait for.
   *
   * @throws store_read_only when the lock is lost; store_failed when it cannot be read.
   */
  assertHeld(): Promise<void> | undefined
  /**
   * To be called after a write, before it counts as done. Another process takes the lock before it reads the folder: if
   * the lock is still this one after the write, every later reader sees what was written.
   *
   * @throws The same.
   */
  assertKept(): Promise<void> | undefined
  /** Reads the lock file in any case. */
  check(): Promise<void>
  /** Gives the folder back, with a mark that it was closed; leaves the lock of another process alone. */
  release(): Promise<void>
}

export interface HeldLockDeps {
  readonly files: Files
  readonly path: string
  readonly folder: string
  /** What the lock file says while it is this one. */
  readonly text: string
  readonly tookOver: boolean
  readonly onNotice: (text: string) => void
}

/** Renews the lock until it is released or lost. */
export function holdLock({ files, path, folder, text, tookOver, onNotice }: HeldLockDeps): HeldLock {
  let lost: LocalpostError | null = null
  let released = false
  let checking: Promise<void> | null = null
  let seenAt = monotonicNow()
  /** The wall clock too, since the monotonic clock stops while the machine is suspended. */
  let seenAtWall = dateNow()
  /** The file that has the name of the lock, and had this process's text when that was read last. */
  let stamp: Stamp | null = null
  /** When that file was last seen there. */
  let stampAt = -Infinity
  let touching = false

  async function look(): Promise<void> {
    if (lost) throw lost
    const now = monotonicNow()
    const wall = dateNow()
    let found: string | null
    try {
      const before = files.stampNow(path)
      found = await readText(files, path)
      if (found === text) {
        stamp = before
        touching = true
        await files.touch(path)
        const after = files.stampNow(path)
        if (after?.ino === before?.ino) stamp = after
      }
    } catch (error) {
      throw storeFault(error, `Checking the lock file ${path}`)
    } finally {
      touching = false
    }
    if (released) return
    if (found !== text) {
      lost = lostTo(found, folder, path)
      clearInterval(timer)
      onNotice(lost.message)
      throw lost
    }
    seenAt = now
    seenAtWall = wall
  }

  /** Whether the same file is still there, unchanged by others: that costs some microseconds. */
  function isThere(now: number): boolean {
    let found: Stamp | null = null
    try {
      found = files.stampNow(path)
    } catch {
      // Reading it says why.
    }
    if (!found || !stamp || found.ino !== stamp.ino) return false
    if (found.mtimeMs !== stamp.mtimeMs && !touching) return false
    stampAt = now
    return true
  }

  const check = (): Promise<void> => (checking ??= look().finally(() => (checking = null)))

  // A lock that cannot be read now is read again: by the next beat, and before the next write.
  const timer = setInterval(() => void check().catch(() => {}), beatMs)
  timer.unref()

  return {
    tookOver,
    assertHeld() {
      if (lost) return Promise.reject(lost)
      const now = monotonicNow()
      if (now - seenAt >= freshMs || Math.abs(dateNow() - seenAtWall) >= freshMs) return check()
      return now - stampAt < recentMs || isThere(now) ? undefined : check()
    },
    assertKept() {
      if (lost) return Promise.reject(lost)
      if (isThere(monotonicNow())) return undefined
      // A check that runs may have read the lock before the write.
      return checking ? checking.catch(() => {}).then(check) : check()
    },
    check,
    async release() {
      released = true
      clearInterval(timer)
      await checking?.catch(() => {})
      if (!lost && (await readText(files, path)) === text) await files.rename(path, closedMark(path))
    },
  }
}

/** A write shortly after the last look needs no look of its own before it. */
const recentMs = 5

/** The file that a process leaves in the place of its lock when it has closed the folder. */
export const closedMark = (path: string): string => `${path}.closed`

function lostTo(found: string | null, folder: string, path: string): LocalpostError {
  const holder = found === null ? null : parseHolder(found)
  const what = holder
    ? `Process ${holder.pid} on the host ${JSON.stringify(holder.host)} took the folder ${folder} over`
    : `The lock file ${path} was ${found === null ? 'removed' : 'damaged'}, so another process may use the folder`
  const message = `${what}. This process writes nothing more into it. Start it again when no other process uses the folder.`
  return new LocalpostError('store_read_only', message)
}

/** The same files, in which nothing can be changed once the lock is lost. */
export function fencedFiles(files: Files, lock: Pick<HeldLock, 'assertHeld' | 'assertKept'>): Files {
  const fenced =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      const checking = lock.assertHeld()
      return checking ? checking.then(() => run(...args)) : run(...args)
    }
  const open = fenced(files.open)
  const write = fenced(files.write)
  return {
    ...files,
    open: (path, flags) => (flags === 'r' ? files.open(path, flags) : open(path, flags)),
    async write(fd, bytes, at) {
      const taken = await write(fd, bytes, at)
      const checking = lock.assertKept()
      if (checking) await checking
      return taken
    },
    truncate: fenced(files.truncate),
    rename: fenced(files.rename),
    remove: fenced(files.remove),
    makeFolder: fenced(files.makeFolder),
    link: fenced(files.link),
  }
}
