import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { toBlobError, verifiedStream } from './blob-crc.ts'
import type { Spool } from '../blob-writer.ts'
import type { LargePlace } from '../entry.ts'
import { misuse, storeFault } from '../io-errors.ts'
import { writeWhole } from '../../core/files.ts'
import { type DataFolder, largeNameForm } from './paths.ts'
import type { Blob } from '../store.ts'
import type { BlobId } from '../names.ts'

/** Blobs larger than this are stored in a separate file. */
export const largeBlobBytes: number = 256 * 1024

/** The file of a large blob that is not committed yet. */
export class SpooledFile implements Spool {
  readonly #deps: LargeDeps
  readonly #name: string
  readonly #whole: Whole | undefined
  #fd: number | null
  #size = 0
  #crc = 0
  /** True while a commit uses the file, and permanently once the commit succeeded. */
  #isTaken = false

  constructor(deps: LargeDeps, name: string, fd: number, whole?: Whole) {
    this.#deps = deps
    this.#name = name
    this.#fd = fd
    this.#whole = whole
  }

  get place(): LargePlace {
    return { large: this.#name, ...(this.#whole ?? { size: this.#size, crc: this.#crc }) }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#fd === null) throw misuse('A large blob that is closed takes no more bytes.')
    try {
      await writeWhole(this.#deps.files, this.#fd, bytes, this.#size)
      this.#size += bytes.byteLength
      this.#crc = crc32(bytes, this.#crc)
    } catch (error) {
      this.#deps.onFailed?.(error)
      throw storeFault(error, `Writing ${this.#deps.paths.large(this.#name)}`)
    }
  }

  async finish(): Promise<SpooledFile> {
    const { files, paths, durable } = this.#deps
    const fd = this.#fd
    this.#fd = null
    if (fd === null) return this
    try {
      try {
        if (durable) await files.sync(fd)
      } finally {
        await files.close(fd)
      }
      if (durable) await files.syncFolder(paths.larges)
    } catch (error) {
      throw storeFault(error, `Writing ${paths.large(this.#name)}`)
    }
    return this
  }

  /** Call it when a commit begins to use the file. @returns False if one does already. */
  take(): boolean {
    if (this.#isTaken) return false
    this.#isTaken = true
    return true
  }

  /** Call it when that commit failed. */
  letGo(): void {
    this.#isTaken = false
  }

  async discard(): Promise<void> {
    if (this.#isTaken) return
    const { files, paths } = this.#deps
    const fd = this.#fd
    this.#fd = null
    // If removing fails, the next start removes the file.
    if (fd !== null) await files.close(fd).catch(() => {})
    await files.remove(paths.large(this.#name)).catch(() => {})
  }
}

type Whole = Pick<LargePlace, 'size' | 'crc'>

export interface LargeDeps extends DataFolder {
  readonly durable: boolean
  readonly onFailed?: (error: unknown) => void
}

/** @param whole  The size and the checksum of a blob of which only a part is left, so that reading it is `store_corrupt`. */
export async function openSpool(deps: LargeDeps, id: BlobId, whole?: Whole): Promise<SpooledFile> {
  const name = largeName(id)
  try {
    return new SpooledFile(deps, name, await deps.files.open(deps.paths.large(name), 'wx'), whole)
  } catch (error) {
    throw storeFault(error, `Opening ${deps.paths.large(name)}`)
  }
}

export async function spoolBlob(deps: LargeDeps, blob: Blob): Promise<SpooledFile> {
  const spool = await openSpool(deps, blob.id)
  try {
    for (const part of blob.parts ?? [])
      for (let at = 0; at < part.byteLength; at += spoolPieceBytes)
        await spool.write(part.subarray(at, at + spoolPieceBytes))
    return await spool.finish()
  } catch (error) {
    await spool.discard()
    throw error
  }
}

// The checksum of this much takes about a millisecond.
const spoolPieceBytes = 1024 * 1024

/** A stream of a part of a file, even of one that is removed meanwhile. The whole file is checked at its end. */
export function openLarge(deps: DataFolder, place: LargePlace, start: number, end: number): Readable {
  if (start === end) return Readable.from([], { objectMode: false })
  let fd: number
  try {
    fd = deps.files.openNow(deps.paths.large(place.large))
  } catch (error) {
    throw toBlobError(error, deps.paths, place)
  }
  const stream = deps.files.stream(fd, start, end)
  return start === 0 && end === place.size ? verifiedStream(stream, deps.paths, place) : stream
}

/** Removes the files that no record refers to. They remain after a crash or after a commit that never happened. */
export async function sweepLarge({ files, paths }: DataFolder, named: ReadonlySet<string>): Promise<void> {
  for (const name of await files.list(paths.larges))
    if (!named.has(name) && largeNameForm.test(name)) await files.remove(paths.large(name))
}

/** A file name that is safe in every file system, contains the blob's id, and is never used twice. */
function largeName(id: BlobId): string {
  const safe = id.replaceAll(/[^A-Za-z0-9_]+/g, '-').slice(0, 80)
  return `${safe}-${randomBytes(8).toString('hex')}.eml`
}
