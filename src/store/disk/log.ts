import { errorTable, LocalpostError, messageOf } from '../../core/errors.ts'
import { misuse, storeFault } from '../io-errors.ts'
import { isSameFile, isShared, type Stamp, stampOf, writeWhole } from '../../core/files.ts'
import { LogReaders } from './log-readers.ts'
import type { DataFolder } from './paths.ts'

/** A position between two frames. Everything before it is valid. */
export interface LogPosition {
  readonly log: number
  readonly offset: number
}

/** A position after a commit, with the number of that commit. */
export interface CommitPosition extends LogPosition {
  readonly seq: number
}

interface LogDeps extends DataFolder {
  readonly durable: boolean
  /** The size at which the next file begins, unless a single commit is larger. */
  readonly fileBytes: () => number
  readonly onNotice: (text: string) => void
}

/** The files of the log: appends to the last one; {@link LogReaders} reads from all of them. */
export class Log {
  readonly #deps: LogDeps
  readonly #readers: LogReaders
  /** By number; only a complete write moves the end of the last file. */
  readonly #lengths: Map<number, number>

  /** Set by a failed write until `cutBack` succeeds: bytes of it may be behind the end meanwhile, so nothing is appended. */
  #fault: LocalpostError | null = null
  readonly #waitingForCut: (() => void)[] = []
  /** Whether a notice said that nothing can be written. */
  #isTold = false

  /** The last file. While it is open, this and the four members below are of the same file: only `#openFile` changes them. */
  #number: number
  /** Null before the first write, and once closed. */
  #fd: number | null = null
  /** Identifies the open file, to notice that another one has its path now. */
  #stamp: Stamp | null = null
  #path = ''
  /** Whether the open file got a second name, so that the next frames go into a new file. */
  #hasOtherName = false

  /** @param lengths  The existing files; the last one is continued. @param first  The first number, where none exists. */
  constructor(deps: LogDeps, lengths: Map<number, number>, first: number) {
    this.#deps = deps
    this.#readers = new LogReaders(deps)
    this.#lengths = lengths
    this.#number = Math.max(first, ...lengths.keys())
  }

  /** The length of the valid part of each file. */
  get lengths(): ReadonlyMap<number, number> {
    return this.#lengths
  }

  /** Set while nothing can be written, because what a failed write left could not be cut off yet; otherwise null. */
  get fault(): LocalpostError | null {
    return this.#fault
  }

  /**
   * Checks whether the open file still has its name. If it got a second one (a hard link), another process may read it there,
   * and the next frames go into a new file.
   *
   * @returns The path, if another file or none is there now; else null.
   */
  checkPlace(): string | null {
    if (this.#fd === null || this.#stamp === null) return null
    try {
      const found = this.#deps.files.stampNow(this.#path)
      if (!found || !isSameFile(found, this.#stamp)) return this.#path
      this.#hasOtherName ||= found.nlink > this.#stamp.nlink
      return null
    } catch {
      // The file cannot be examined now. The next call tries again.
      return null
    }
  }

  get end(): LogPosition {
    return { log: this.#number, offset: this.#lengths.get(this.#number) ?? 0 }
  }

  /** Prepares for appending about this many bytes: opens the file, or starts the next one, if that is needed. */
  async makeRoom(bytes: number): Promise<void> {
    await this.cutBack()
    if (this.#fault) throw this.#fault
    const { log, offset } = this.end
    const isFull = offset > 0 && offset + bytes > this.#deps.fileBytes()
    if (isFull || this.#hasOtherName) await this.#openFile(log + 1)
    else if (this.#fd === null) await this.#openFile(log)
  }

  /**
   * Appends whole frames. If the write fails, the file is cut back to its previous length. If that fails too, it is
   * retried before the next write. Call {@link Log.makeRoom} before each call: it opens the file, and throws while a
   * fault is left.
   *
   * @throws store_full, store_failed, store_read_only when nothing was stored; store_unknown when the file could not be
   *   cut back, so that the next start may find complete frames.
   */
  async append(bytes: Uint8Array): Promise<void> {
    const { log, offset } = this.end
    const fd = this.#fd
    if (fd === null) throw misuse('The log is appended to before makeRoom.')
    try {
      await writeWhole(this.#deps.files, fd, bytes, offset)
      if (this.#deps.durable) await this.#deps.files.sync(fd)
    } catch (error) {
      const failed = storeFault(error, `Writing ${this.#deps.paths.log(log)}`)
      this.#fault = failed
      await this.cutBack()
      if (this.#fault === null) throw failed
      const message = `Writing ${this.#deps.paths.log(log)} failed (${messageOf(error)}), and what was written could not be cut off, so it is not known whether this was stored: the next start may find it. ${errorTable.store_unknown.fix}`
      throw new LocalpostError('store_unknown', message, { cause: error })
    }
    this.#lengths.set(log, offset + bytes.byteLength)
  }

  /** Cuts off what a failed write may have left. `fault` is null afterwards if this succeeded. */
  async cutBack(): Promise<void> {
    const { log, offset } = this.end
    if (this.#fault === null || this.#fd === null) return
    try {
      await this.#deps.files.truncate(this.#fd, offset)
      if (this.#deps.durable) await this.#deps.files.sync(this.#fd)
    } catch (error) {
      const message = `A write to ${this.#deps.paths.log(log)} failed and could not be cut off (${messageOf(error)}). Nothing more can be written until this succeeds; each new commit tries it again.`
      this.#fault = new LocalpostError('store_read_only', message, { cause: error })
      if (!this.#isTold) this.#deps.onNotice(message)
      this.#isTold = true
      return
    }
    this.#fault = null
    if (this.#isTold) this.#deps.onNotice(`${this.#deps.paths.log(log)} can be written again.`)
    this.#isTold = false
    for (const run of this.#waitingForCut.splice(0)) run()
  }

  /** Runs the callback when no failed write is left to cut off: now, or later; never if the store closes before that. */
  afterCut(run: () => void): void {
    if (this.#fault) this.#waitingForCut.push(run)
    else run()
  }

  read(log: number, at: number, length: number): Promise<Buffer> {
    return this.#readers.read(log, at, length)
  }

  /** Removes a file that no record refers to any more. Reads that are running continue. */
  async remove(log: number): Promise<void> {
    await this.#deps.files.remove(this.#deps.paths.log(log))
    this.#lengths.delete(log)
    await this.#readers.close(log)
  }

  async close(): Promise<void> {
    await this.#readers.closeAll()
    const fd = this.#fd
    this.#fd = null
    if (fd === null) return
    await this.#deps.files.close(fd).catch((error: unknown) => {
      throw storeFault(error, `Closing ${this.#deps.paths.log(this.#number)}`)
    })
  }

  async #openFile(wanted: number): Promise<void> {
    // Another process may append to a file that another folder shares.
    const isTaken = this.#lengths.has(wanted) && isShared(this.#deps.files, this.#deps.paths.log(wanted))
    const log = isTaken ? wanted + 1 : wanted
    const path = this.#deps.paths.log(log)
    const isNew = !this.#lengths.has(log)
    try {
      const fd = await this.#deps.files.open(path, isNew ? 'w' : 'r+')
      try {
        if (isNew && this.#deps.durable) await this.#deps.files.syncFolder(this.#deps.paths.logs)
      } catch (error) {
        await this.#deps.files.close(fd)
        throw error
      }
      const old = this.#fd
      this.#fd = fd
      this.#stamp = stampOf(this.#deps.files, path)
      this.#path = path
      this.#hasOtherName = false
      this.#number = log
      if (isNew) this.#lengths.set(log, 0)
      if (old !== null) await this.#deps.files.close(old).catch(() => {})
    } catch (error) {
      throw storeFault(error, `Opening ${path}`)
    }
  }
}
