import { LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import type { Files } from '../../core/files.ts'
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
  /** Looks at the lock file in any case. */
  check(): Promise<void>
  /** Gives the folder back; leaves the lock of another process alone. */
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

  async function look(): Promise<void> {
    if (lost) throw lost
    const now = monotonicNow()
    const wall = dateNow()
    let found: string | null
    try {
      found = await readText(files, path)
      if (found === text) await files.touch(path)
    } catch (error) {
      throw storeFault(error, `Checking the lock file ${path}`)
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

  const check = (): Promise<void> => (checking ??= look().finally(() => (checking = null)))

  // A lock that cannot be read now is read again: by the next beat, and before the next write.
  const timer = setInterval(() => void check().catch(() => {}), beatMs)
  timer.unref()

  return {
    tookOver,
    assertHeld() {
      if (lost) return Promise.reject(lost)
      if (monotonicNow() - seenAt < freshMs && Math.abs(dateNow() - seenAtWall) < freshMs) return undefined
      return check()
    },
    check,
    async release() {
      released = true
      clearInterval(timer)
      await checking?.catch(() => {})
      if (!lost && (await readText(files, path)) === text) await files.remove(path)
    },
  }
}

function lostTo(found: string | null, folder: string, path: string): LocalpostError {
  const holder = found === null ? null : parseHolder(found)
  const what = holder
    ? `Process ${holder.pid} on the host ${JSON.stringify(holder.host)} took the folder ${folder} over`
    : `The lock file ${path} was ${found === null ? 'removed' : 'damaged'}, so another process may use the folder`
  const message = `${what}. This process writes nothing more into it. Start it again when no other process uses the folder.`
  return new LocalpostError('store_read_only', message)
}

/** The same files, in which nothing can be changed once the lock is lost. */
export function fencedFiles(files: Files, lock: Pick<HeldLock, 'assertHeld'>): Files {
  const fenced =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      const checking = lock.assertHeld()
      return checking ? checking.then(() => run(...args)) : run(...args)
    }
  const open = fenced(files.open)
  return {
    ...files,
    open: (path, flags) => (flags === 'r' ? files.open(path, flags) : open(path, flags)),
    write: fenced(files.write),
    truncate: fenced(files.truncate),
    rename: fenced(files.rename),
    remove: fenced(files.remove),
    makeFolder: fenced(files.makeFolder),
    link: fenced(files.link),
  }
}
