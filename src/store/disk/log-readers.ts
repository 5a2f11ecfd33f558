import { readWhole } from '../../core/files.ts'
import type { DataFolder } from './paths.ts'

interface Reader {
  readonly fd: number
  users: number
  /** Whether the last of them closes the file. */
  isClosing: boolean
}

/** Reads from log files, and keeps those open that were read last. */
export class LogReaders {
  readonly #folder: DataFolder
  /** By the number of the log file. The most recently used one is last. */
  readonly #open: Map<number, Reader> = new Map()

  constructor(folder: DataFolder) {
    this.#folder = folder
  }

  /** Reads bytes of a log file. Its file stays open until all reads of it have ended, even if `close` is called meanwhile. */
  async read(log: number, at: number, length: number): Promise<Buffer> {
    const reader = this.#reader(log)
    reader.users++
    try {
      return await readWhole(this.#folder.files, reader.fd, at, length)
    } finally {
      reader.users--
      if (reader.isClosing && reader.users === 0) await this.#folder.files.close(reader.fd).catch(() => {})
    }
  }

  #reader(log: number): Reader {
    let reader = this.#open.get(log)
    if (reader) this.#open.delete(log)
    else {
      // Synchronous, because meanwhile the file could be removed, or be opened a second time.
      reader = { fd: this.#folder.files.openNow(this.#folder.paths.log(log)), users: 0, isClosing: false }
      for (const old of this.#open.keys()) {
        if (this.#open.size < maxOpen) break
        void this.close(old).catch(() => {})
      }
    }
    this.#open.set(log, reader)
    return reader
  }

  /** Closes a file once the reads that are running have ended. */
  async close(log: number): Promise<void> {
    const reader = this.#open.get(log)
    if (!reader) return
    this.#open.delete(log)
    reader.isClosing = true
    if (reader.users === 0) await this.#folder.files.close(reader.fd)
  }

  /** If a file cannot be closed, the others are closed nevertheless. */
  async closeAll(): Promise<void> {
    for (const log of this.#open.keys()) await this.close(log).catch(() => {})
  }
}

// Some systems allow few open files (256). A store of 2 GB has 64 log files.
const maxOpen = 64
