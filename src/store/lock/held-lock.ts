import { LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, isSameFile, type Stamp } from '../../core/files.ts'
import { beatMs, freshMs } from './heartbeat.ts'
import { parseHolder, readText } from './lock-file.ts'
import { clearInterval, dateNow, monotonicNow, setInterval } from '../../core/machine.ts'

/** The right to write into a folder, while its lock file grants it. */
export interface HeldLock {
  /** Whether the lock was taken over from a process that had not closed the folder. */
  readonly tookOver: boolean
  /** Why this process no longer writes; null while it holds the lock. */
  readonly lost: LocalpostError | null
  /**
   * Called at each heartbeat, before each checkpoint, and after writes, but at most every ten milliseconds. Returns the
   * path of an open file that was replaced by another one, or null. If a file was replaced, the folder counts as lost.
   */
  misplaced: () => string | null
  /**
   * Reads the lock file if the last reading is some time ago: the process may have been suspended, and another one may
   * have taken the folder over. Usually there is nothing to wait for.
   *
   * @throws store_read_only when the lock is lost; store_failed when it cannot be read.
   */
  assertHeld(): Promise<void> | undefined
  /**
   * Call it after a write and before the write is acknowledged. Another process takes the lock before it reads the
   * folder, so if the lock is unchanged after the write, every later reader sees the written data.
   *
   * @throws As {@link HeldLock.assertHeld}.
   */
  assertKept(): Promise<void> | undefined
  /** Reads the lock file, even if it was read recently. */
  check(): Promise<void>
  /** Replaces the lock by a mark that the folder was closed. Does not change the lock of another process. */
  release(): Promise<void>
}

export interface HeldLockDeps {
  readonly files: Files
  readonly path: string
  readonly folder: string
  /** The text of the lock file while this lock is held. */
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
  /** The same by the wall clock, because the monotonic clock stops while the machine is suspended. */
  let seenAtWall = dateNow()
  /** The state of the lock file when this process last read its own text in it. */
  let stamp: Stamp | null = stampOf(files, path)
  /** Kept open, so that no other file gets its inode. */
  const fd = openNow(files, path)
  /** When that file was last seen there. */
  let stampAt = -Infinity
  /** When `misplaced` was last called. */
  let placedAt = -Infinity
  let touching = false

  async function look(): Promise<void> {
    if (lost) throw lost
    const now = monotonicNow()
    const wall = dateNow()
    let found: string | typeof copied | null
    try {
      const before = files.stampNow(path)
      found = await readText(files, path)
      // A copy of the lock has the same text. It belongs to a copy of the folder, and this process writes to the original.
      if (before && stamp && !isSameFile(before, stamp)) found = found === text ? copied : found
      if (found === text) {
        stamp = before
        touching = true
        await files.touch(path)
        const after = files.stampNow(path)
        if (before && isSameFile(after, before)) stamp = after
      }
    } catch (error) {
      throw storeFault(error, `Checking the lock file ${path}`)
    } finally {
      touching = false
    }
    if (released) return
    const misplaced = found === text ? held.misplaced() : null
    if (found !== text || misplaced !== null) {
      lost = misplaced === null ? lostTo(found, folder, path) : lostFile(misplaced)
      clearInterval(timer)
      onNotice(lost.message)
      throw lost
    }
    seenAt = now
    seenAtWall = wall
  }

  /** Whether the file is still the same and was not changed by others. This takes some microseconds. */
  function isThere(now: number): boolean {
    let found: Stamp | null = null
    try {
      found = files.stampNow(path)
    } catch {
      // `check` reads the file and reports the reason.
    }
    if (!found || !stamp || !isSameFile(found, stamp)) return false
    if (found.mtimeMs !== stamp.mtimeMs && !touching) return false
    stampAt = now
    return true
  }

  /** Whether no open file was replaced. Checked again after some milliseconds. */
  function isPlaced(now: number): boolean {
    if (now - placedAt < placeMs) return true
    if (held.misplaced() !== null) return false
    placedAt = now
    return true
  }

  const check = (): Promise<void> => (checking ??= look().finally(() => (checking = null)))

  // If the lock cannot be read now, it is read again by the next heartbeat and before the next write.
  const timer = setInterval(() => void check().catch(() => {}), beatMs)
  timer.unref()

  const held: HeldLock = {
    tookOver,
    get lost() {
      return lost
    },
    misplaced: () => null,
    assertHeld() {
      if (lost) return Promise.reject(lost)
      const now = monotonicNow()
      if (now - seenAt >= freshMs || Math.abs(dateNow() - seenAtWall) >= freshMs) return check()
      return now - stampAt < recentMs || isThere(now) ? undefined : check()
    },
    assertKept() {
      if (lost) return Promise.reject(lost)
      const now = monotonicNow()
      if (isThere(now) && isPlaced(now)) return undefined
      // A check that is already running may have read the lock before the write, so another one follows it.
      return checking ? checking.catch(() => {}).then(check) : check()
    },
    check,
    async release() {
      released = true
      clearInterval(timer)
      await checking?.catch(() => {})
      if (fd !== null) await files.close(fd).catch(() => {})
      if (!lost && (await readText(files, path)) === text) await files.rename(path, closedMark(path))
    },
  }
  return held
}

function stampOf(files: Files, path: string): Stamp | null {
  try {
    return files.stampNow(path)
  } catch {
    // The first check reports why.
    return null
  }
}

function openNow(files: Files, path: string): number | null {
  try {
    return files.openNow(path)
  } catch {
    return null
  }
}

/** Represents the text of a lock that is a copy of this process's lock. */
const copied = Symbol('copied')

/** A write needs no check before it if the last check is this recent. */
const recentMs = 5

/** If a file is replaced, at most this many milliseconds of acknowledged mail are written to it. */
const placeMs = 10

/** The file that replaces the lock when a process closes the folder. */
export const closedMark = (path: string): string => `${path}.closed`

function lostTo(found: string | typeof copied | null, folder: string, path: string): LocalpostError {
  if (found === copied) return lostFile(path)
  const holder = found === null ? null : parseHolder(found)
  const what = holder
    ? `Process ${holder.pid} on the host ${JSON.stringify(holder.host)} took the folder ${folder} over`
    : `The lock file ${path} was ${found === null ? 'removed' : 'damaged'}, so another process may use the folder`
  const message = `${what}. This process writes nothing more into it. Start it again when no other process uses the folder.`
  return new LocalpostError('store_read_only', message)
}

function lostFile(path: string): LocalpostError {
  const message = `The file ${path} was removed, or replaced by another one, perhaps together with its folder, so the next start would not find what this process writes. This process writes nothing more into it. Start it again once the right folder is in its place.`
  return new LocalpostError('store_read_only', message)
}

/** The same files, but every change fails once the lock is lost. */
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
