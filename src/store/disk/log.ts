import { LocalpostError } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, readWhole, writeWhole } from '../../core/files.ts'
import type { Paths } from './paths.ts'

/** A place between two frames: everything before it is known to be in order. */
export interface LogPosition {
  readonly log: number
  readonly offset: number
}

/** The largest a log file gets, unless one commit alone is larger. */
export const logFileBytes: number = 32 * 1024 * 1024

/** The log's files: appended to at one end, read anywhere. */
export class Log {
  /** The length of each file, as far as it is good. */
  readonly lengths: Map<number, number>
  /** Why nothing more can be written until a restart; null while all is well. */
  fault: LocalpostError | null = null
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
    parts: { files: Files; paths: Paths; durable: boolean; fileBytes?: number | undefined },
    lengths: Map<number, number>,
    first: number,
  ) {
    this.#files = parts.files
    this.#paths = parts.paths
    this.#durable = parts.durable
    this.#fileBytes = parts.fileBytes ?? logFileBytes
    this.lengths = lengths
    this.#number = Math.max(first, ...lengths.keys())
  }

  /** Where the next frame goes. */
  get end(): LogPosition {
    return { log: this.#number, offset: this.lengths.get(this.#number) ?? 0 }
  }

  /** Makes ready to append about this many bytes: opens the file, or begins the next one; most often nothing is to do. */
  makeRoom(bytes: number): Promise<void> | undefined {
    if (this.fault) throw this.fault
    const { log, offset } = this.end
    if (offset > 0 && offset + bytes > this.#fileBytes) return this.#openFile(log + 1)
    return this.#fd === null ? this.#openFile(log) : undefined
  }

  /**
   * Appends whole frames. After a rejection the file ends where it ended before; where it cannot be cut back, the
   * log takes nothing more.
   */
  async append(bytes: Uint8Array): Promise<void> {
    const { log, offset } = this.end
    const fd = this.#fd
    if (fd === null) throw new Error('makeRoom comes before append')
    try {
      await writeWhole(this.#files, fd, bytes, offset)
      if (this.#durable) await this.#files.sync(fd)
    } catch (error) {
      const fault = storeFault(error, `Writing ${this.#paths.log(log)}`)
      await this.#cutBack(fd, offset, fault)
      throw fault
    }
    this.lengths.set(log, offset + bytes.byteLength)
  }

  async read(log: number, at: number, length: number): Promise<Buffer> {
    const reader = this.#reader(log)
    reader.users++
    try {
      return await readWhole(this.#files, reader.fd, at, length)
    } finally {
      reader.users--
      if (reader.gone && reader.users === 0) await this.#files.close(reader.fd)
    }
  }

  /** Removes a file that no record names any more; who reads it reads on. */
  async remove(log: number): Promise<void> {
    await this.#files.remove(this.#paths.log(log))
    this.lengths.delete(log)
    await this.#letGo(log)
  }

  async close(): Promise<void> {
    for (const log of this.#readers.keys()) await this.#letGo(log)
    const fd = this.#fd
    this.#fd = null
    if (fd !== null) await this.#files.close(fd)
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

  async #cutBack(fd: number, length: number, cause: LocalpostError): Promise<void> {
    try {
      await this.#files.truncate(fd, length)
      if (this.#durable) await this.#files.sync(fd)
    } catch (error) {
      const path = this.#paths.log(this.#number)
      const reason = error instanceof Error ? error.message : String(error)
      const message = `${cause.message} What was half written to ${path} could not be cut off (${reason}), so nothing more is written until Localpost is started again.`
      this.fault = new LocalpostError('store_read_only', message, { cause })
    }
  }

  #reader(log: number): { fd: number; users: number; gone: boolean } {
    let reader = this.#readers.get(log)
    if (reader) {
      // The one used last stands last, so that the one to close stands first.
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

// Open files are few on some systems (256); a 2 GB store has 64 log files.
const maxReaders = 64
