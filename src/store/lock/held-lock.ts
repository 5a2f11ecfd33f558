import { LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, isSameFile, type Stamp, stampOf } from '../../core/files.ts'
import { closedMark, type LockDeps, parseHolder, readLockText } from './lock-file.ts'
import { clearInterval, dateNow, monotonicNow, setInterval } from '../../core/machine.ts'

export interface HeldLockDeps extends Omit<LockDeps, 'processes'> {
  readonly text: string
  /** Whether the lock was taken over from a process that had not closed the folder. */
  readonly tookOver: boolean
}

/**
 * The right to write into a folder, while its lock file grants it. The lock is renewed until it is released or lost, and
 * neither is taken back.
 *
 * Only reading the lock file decides (`#look`): it alone says that the lock is lost, or that its text was seen. The checks
 * without reading (`#isThere`, `#isPlaced`) only save such a reading; if one of them fails, the file is read.
 */
export class HeldLock {
  readonly #deps: HeldLockDeps
  /** Set by `#look` alone, and never reset. */
  #lost: LocalpostError | null = null
  #isReleased = false

  /** When `#look` last began to read this process's text in the lock file. */
  #lastRead: Reading = readingNow()
  /** When `#isThere` last found the file of `#stamp` unchanged at the path, by the monotonic clock. */
  #thereAt = -Infinity
  /** When `#isPlaced` last found no open file replaced, by the monotonic clock. */
  #placedAt = -Infinity

  /** The lock file as this process found it at the start, or as it last renewed it: only `#renew` changes this. */
  #stamp: Stamp | null
  /** That file, kept open so that no other file gets its inode. */
  readonly #fd: number | null
  /** Whether `#renew` runs: the file may have its new time while `#stamp` still has the old one. */
  #isRenewing = false
  /** What `#beat` last read from that file: one byte more than the text, to notice a longer one. */
  readonly #bytes: Buffer

  /** The reading of the lock file that runs, for all callers that wait for it. */
  #checking: Promise<void> | null = null
  /** The heartbeat that runs; the next one is left out meanwhile. */
  #beating: Promise<void> | null = null
  readonly #timer: ReturnType<typeof setInterval>
  #misplaced: () => string | null = () => null

  constructor(deps: HeldLockDeps) {
    this.#deps = deps
    this.#stamp = stampOf(deps.files, deps.path)
    this.#fd = openNow(deps.files, deps.path)
    this.#bytes = Buffer.alloc(Buffer.byteLength(deps.text) + 1)
    // If the lock cannot be examined now, the next heartbeat does it, and the next write reads it. A slow disk may need
    // longer than one beat.
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat()
        .catch(() => {})
        .finally(() => (this.#beating = null))
    }, beatMs)
    this.#timer.unref()
  }

  get tookOver(): boolean {
    return this.#deps.tookOver
  }

  /**
   * From now on, the folder counts as lost too if an open file was replaced by another one.
   *
   * @param misplaced  The path of such a file, or null. Called at each heartbeat, before each checkpoint, and after writes, but
   *   then at most every ten milliseconds.
   */
  watchOpenFiles(misplaced: () => string | null): void {
    this.#misplaced = misplaced
  }

  /** Why this process no longer writes; null while it holds the lock. */
  get lost(): LocalpostError | null {
    return this.#lost
  }

  /**
   * Reads the lock file if the last reading is some time ago: the process may have been suspended, and another one may
   * have taken the folder over.
   *
   * @throws store_read_only when the lock is lost; store_failed when it cannot be read.
   */
  async assertHeld(): Promise<void> {
    if (this.#lost) throw this.#lost
    const now = monotonicNow()
    const { elapsed, wall } = this.#lastRead
    const isOld = now - elapsed >= freshMs || Math.abs(dateNow() - wall) >= freshMs
    if (isOld || (now - this.#thereAt >= recentMs && !this.#isThere(now))) await this.check()
  }

  /**
   * Call it after a write and before the write is acknowledged. Another process takes the lock before it reads the
   * folder, so if the lock is unchanged after the write, every later reader sees the written data.
   *
   * @throws As {@link HeldLock.assertHeld}.
   */
  async assertKept(): Promise<void> {
    if (this.#lost) throw this.#lost
    const now = monotonicNow()
    if (this.#isThere(now) && this.#isPlaced(now)) return
    // A check that is already running may have read the lock before the write, so another one follows it.
    await this.#checking?.catch(() => {})
    await this.check()
  }

  /** Reads the lock file, even if it was read recently. */
  check(): Promise<void> {
    return (this.#checking ??= this.#look().finally(() => (this.#checking = null)))
  }

  /** Replaces the lock by a mark that the folder was closed. Does not change the lock of another process. */
  async release(): Promise<void> {
    const { files, path, text } = this.#deps
    this.#isReleased = true
    clearInterval(this.#timer)
    await this.#beating
    await this.#checking?.catch(() => {})
    if (this.#fd !== null) await files.close(this.#fd).catch(() => {})
    if (!this.#lost && (await readLockText(files, path)) === text) await files.rename(path, closedMark(path))
  }

  /**
   * Renews the open file first, which does no harm if another file has the name by now: one call in the thread pool, because
   * this also runs in an idle process. Then it reads that file and checks that the path still leads to it; both are
   * synchronous, since the disk has just answered.
   */
  async #beat(): Promise<void> {
    const { files, text } = this.#deps
    if (this.#fd === null || this.#stamp === null) return await this.check()
    try {
      await this.#renew(this.#fd, this.#stamp)
    } catch {
      // Windows renews a file only by its path.
      return await this.check()
    }
    if (this.#isReleased || this.#lost) return
    const count = await files.read(this.#fd, this.#bytes, 0)
    const isSame = this.#bytes.toString('utf8', 0, count) === text && this.#isThere(monotonicNow())
    if (!isSame || this.#misplaced() !== null) await this.check()
  }

  /** Gives the lock file the current time. @param found  The same file before it. */
  async #renew(file: string | number, found: Stamp): Promise<void> {
    this.#isRenewing = true
    try {
      const mtimeMs = await this.#deps.files.touch(file, found.mtimeMs)
      const { dev, ino, nlink } = found
      this.#stamp = { dev, ino, nlink, mtimeMs }
    } finally {
      this.#isRenewing = false
    }
  }

  /** Reads the lock file, and renews it if it has this process's text; otherwise the lock is lost. */
  async #look(): Promise<void> {
    const { files, path, folder, text, onNotice } = this.#deps
    if (this.#lost) throw this.#lost
    // The time before it, because another process may take the lock over right after it was read.
    const began = readingNow()
    let found: string | typeof copied | null
    try {
      const before = files.stampNow(path)
      found = await readLockText(files, path)
      // A copy of the lock has the same text. It belongs to a copy of the folder, and this process writes to the original.
      if (before && this.#stamp && !isSameFile(before, this.#stamp)) found = found === text ? copied : found
      if (found === text && before) await this.#renew(path, before)
    } catch (error) {
      throw storeFault(error, `Checking the lock file ${path}`)
    }
    if (this.#isReleased) return
    const misplaced = found === text ? this.#misplaced() : null
    if (found !== text || misplaced !== null) {
      this.#lost = misplaced === null ? lostTo(found, folder, path) : lostFile(misplaced)
      clearInterval(this.#timer)
      onNotice(this.#lost.message)
      throw this.#lost
    }
    this.#lastRead = began
  }

  /** Whether the file is still the same and was not changed by others. This takes some microseconds. */
  #isThere(now: number): boolean {
    // If the file cannot be examined, `check` reads it and reports the reason.
    const found = stampOf(this.#deps.files, this.#deps.path)
    if (!found || !this.#stamp || !isSameFile(found, this.#stamp)) return false
    if (found.mtimeMs !== this.#stamp.mtimeMs && !this.#isRenewing) return false
    this.#thereAt = now
    return true
  }

  /** Whether no open file was replaced. Checked again after some milliseconds. */
  #isPlaced(now: number): boolean {
    if (now - this.#placedAt < placeMs) return true
    if (this.#misplaced() !== null) return false
    this.#placedAt = now
    return true
  }
}

/** A time by both clocks, in milliseconds: `elapsed` stops while the machine is suspended, `wall` can be set. */
interface Reading {
  readonly elapsed: number
  readonly wall: number
}

const readingNow = (): Reading => ({ elapsed: monotonicNow(), wall: dateNow() })

function openNow(files: Files, path: string): number | null {
  try {
    return files.openNow(path)
  } catch {
    return null
  }
}

/** A holder renews its lock this often, in milliseconds: twice within the time after which others take it over. */
const beatMs = 2400

/** A holder that has not read its lock for this long reads it before it writes. */
const freshMs = 2500

/** A write needs no check before it if the last check is this recent. */
const recentMs = 5

/** If a file is replaced, at most this many milliseconds of acknowledged mail are written to it. */
const placeMs = 10

const copied = Symbol('copied')

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
