import { errorTable, LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, readWhole, writeWhole } from '../../core/files.ts'
import type { Paths } from './paths.ts'

/** A place between two frames: everything before it is known to be in order. */
export interface LogPosition {
  readonly log: number
  readonly offset: number
}

/** The largest a log file gets, unless one commit alone is larger. */
const logFileBytes = 32 * 1024 * 1024

/** The log's files: appended to at one end, read anywhere. */
export class Log {
  /** The length of each file, as far as it is good. */
  readonly lengths: Map<number, number>
  /** Why nothing can be written now: a write that failed could not be cut off yet. Null while all is well. */
  fault: LocalpostError | null = null
  /** Called after a partial write was cut off. */
  readonly #afterCut: (() => void)[] = []
  readonly #files: Files
  readonly #paths: Paths
  readonly #durable: boolean
  readonly #fileBytes: number
  readonly #readers: Map<number, { fd: number; users: number; gone: boolean }> = new Map()
  #number: number
  #fd: number | null = null

  /**
   * @param lengths  The files that are there; the last one is appended to.
   * @param first  The number of the first file where there is none yet.
   */
  constructor(
    deps: { files: Files; paths: Paths; durable: boolean; fileBytes?: number | undefined },
    lengths: Map<number, number>,
    first: number,
  ) {
    this.#files = deps.files
    this.#paths = deps.paths
    this.#durable = deps.durable
    this.#fileBytes = deps.fileBytes ?? logFileBytes
    this.lengths = lengths
    this.#number = Math.max(first, ...lengths.keys())
  }

  /** Where the next frame goes. */
  get end(): LogPosition {
    return { log: this.#number, offset: this.lengths.get(this.#number) ?? 0 }
  }

  /** Makes ready to append about this many bytes: opens the file, or begins the next one; most often nothing is to do. */
  makeRoom(bytes: number): Promise<void> | undefined {
    if (this.fault) return this.#cutFirst(bytes)
    const { log, offset } = this.end
    if (offset > 0 && offset + bytes > this.#fileBytes) return this.#openFile(log + 1)
    return this.#fd === null ? this.#openFile(log) : undefined
  }

  /**
   * Appends whole frames. After a rejection the file ends where it ended before; where it cannot be cut back, that is
   * tried again before the next write.
   *
   * @throws store_full, store_failed, store_read_only when nothing was stored; store_unknown when it could not be cut
   *   back, so that a start may find the frames whole.
   */
  async append(bytes: Uint8Array): Promise<void> {
    const { log, offset } = this.end
    const fd = this.#fd
    if (fd === null) throw new Error('makeRoom comes before append')
    try {
      await writeWhole(this.#files, fd, bytes, offset)
      if (this.#durable) await this.#files.sync(fd)
    } catch (error) {
      const failed = storeFault(error, `Writing ${this.#paths.log(log)}`)
      this.fault = failed
      await this.cutBack()
      if (this.fault === null) throw failed
      throw unknownOutcome(error, this.#paths.log(log))
    }
    this.lengths.set(log, offset + bytes.byteLength)
  }

  /** Cuts off what a failed write may have left; `fault` says whether that is still to do. */
  async cutBack(): Promise<void> {
    const { log, offset } = this.end
    if (this.fault === null || this.#fd === null) return
    try {
      await this.#files.truncate(this.#fd, offset)
      if (this.#durable) await this.#files.sync(this.#fd)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `A write to ${this.#paths.log(log)} failed and could not be cut off (${reason}). Nothing more is written before that works; each new commit tries it again.`
      this.fault = new LocalpostError('store_read_only', message, { cause: error })
      return
    }
    this.fault = null
    for (const run of this.#afterCut.splice(0)) run()
  }

  /** Runs this as soon as nothing of a failed write is in the file; a store that ends before never runs it. */
  afterCut(run: () => void): void {
    if (this.fault) this.#afterCut.push(run)
    else run()
  }

  async read(log: number, at: number, length: number): Promise<Buffer> {
    const reader = this.#reader(log)
    reader.users++
    try {
      return await readWhole(this.#files, reader.fd, at, length)
    } finally {
      reader.users--
      if (reader.gone && reader.users === 0) await this.#files.close(reader.fd).catch(() => {})
    }
  }

  /** Removes a file that no record refers to any more; open readers continue. */
  async remove(log: number): Promise<void> {
    await this.#files.remove(this.#paths.log(log))
    this.lengths.delete(log)
    await this.#letGo(log)
  }

  async close(): Promise<void> {
    // What was read is read: a reader that cannot be closed must not keep the others open.
    for (const log of this.#readers.keys()) await this.#letGo(log).catch(() => {})
    const fd = this.#fd
    this.#fd = null
    if (fd === null) return
    await this.#files.close(fd).catch((error: unknown) => {
      throw storeFault(error, `Closing ${this.#paths.log(this.#number)}`)
    })
  }

  async #openFile(log: number): Promise<void> {
    const path = this.#paths.log(log)
    const isNew = !this.lengths.has(log)
    try {
      const fd = await this.#files.open(path, isNew ? 'w' : 'r+')
      try {
        if (isNew && this.#durable) await this.#files.syncFolder(this.#paths.logs)
      } catch (error) {
        await this.#files.close(fd)
        throw error
      }
      const old = this.#fd
      this.#fd = fd
      this.#number = log
      if (isNew) this.lengths.set(log, 0)
      if (old !== null) await this.#files.close(old).catch(() => {})
    } catch (error) {
      throw storeFault(error, `Opening ${path}`)
    }
  }

  async #cutFirst(bytes: number): Promise<void> {
    await this.cutBack()
    if (this.fault) throw this.fault
    await this.makeRoom(bytes)
  }

  #reader(log: number): { fd: number; users: number; gone: boolean } {
    let reader = this.#readers.get(log)
    if (reader) {
      // Most recently used last, so that the one to close is first.
      this.#readers.delete(log)
    } else {
      reader = { fd: this.#files.openNow(this.#paths.log(log)), users: 0, gone: false }
      for (const old of this.#readers.keys()) {
        if (this.#readers.size < maxReaders) break
        void this.#letGo(old).catch(() => {})
      }
    }
    this.#readers.set(log, reader)
    return reader
  }

  async #letGo(log: number): Promise<void> {
    const reader = this.#readers.get(log)
    if (!reader) return
    this.#readers.delete(log)
    reader.gone = true
    if (reader.users === 0) await this.#files.close(reader.fd)
  }
}

function unknownOutcome(error: unknown, path: string): LocalpostError {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `Writing ${path} failed (${reason}), and what was written could not be cut off, so it is not known whether this was stored: the next start may find it. ${errorTable.store_unknown.fix}`
  return new LocalpostError('store_unknown', message, { cause: error })
}

// Open files are few on some systems (256); a 2 GB store has 64 log files.
const maxReaders = 64
