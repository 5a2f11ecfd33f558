import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { damagedBy, verified } from './blob-crc.ts'
import type { Spool } from '../blob-writer.ts'
import type { LargePlace } from '../entry.ts'
import { misuse, storeFault } from '../io-errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import type { Paths } from './paths.ts'
import { largeNameForm } from './paths.ts'
import type { Blob, BlobId } from '../store.ts'

/** Blobs larger than this are stored in a separate file. */
export const largeBlobBytes: number = 256 * 1024

/** The file of a large blob that is not committed yet. */
export class SpooledFile implements Spool {
  readonly #parts: LargeDeps
  readonly #name: string
  #fd: number | null
  #size = 0
  #crc = 0
  /** True while a commit uses the file, and permanently once the commit succeeded. */
  taken = false

  constructor(deps: LargeDeps, name: string, fd: number) {
    this.#parts = deps
    this.#name = name
    this.#fd = fd
  }

  get place(): LargePlace {
    return { large: this.#name, size: this.#size, crc: this.#crc }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#fd === null) throw misuse('A large blob that is closed takes no more bytes.')
    try {
      await writeWhole(this.#parts.files, this.#fd, bytes, this.#size)
      this.#size += bytes.byteLength
      this.#crc = crc32(bytes, this.#crc)
    } catch (error) {
      throw storeFault(error, `Writing ${this.#parts.paths.large(this.#name)}`)
    }
  }

  async finish(): Promise<SpooledFile> {
    const { files, paths, durable } = this.#parts
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

  async discard(): Promise<void> {
    if (this.taken) return
    const { files, paths } = this.#parts
    const fd = this.#fd
    this.#fd = null
    // If removing fails, the next start removes the file.
    if (fd !== null) await files.close(fd).catch(() => {})
    await files.remove(paths.large(this.#name)).catch(() => {})
  }
}

/** The file of a lost blob. Its place has the size and checksum of the whole blob, so reading is `store_corrupt`. */
class LostFile extends SpooledFile {
  readonly #whole: Pick<LargePlace, 'size' | 'crc'>

  constructor(deps: LargeDeps, name: string, fd: number, whole: Pick<LargePlace, 'size' | 'crc'>) {
    super(deps, name, fd)
    this.#whole = whole
  }

  override get place(): LargePlace {
    const { size, crc } = this.#whole
    return { large: super.place.large, size, crc }
  }
}

/** The parts of the store that large blobs need. */
export interface LargeDeps {
  readonly files: Files
  readonly paths: Paths
  readonly durable: boolean
}

/** Creates the file of a large blob. */
export async function openSpool(deps: LargeDeps, id: BlobId): Promise<SpooledFile> {
  const name = largeName(id)
  try {
    return new SpooledFile(deps, name, await deps.files.open(deps.paths.large(name), 'wx'))
  } catch (error) {
    throw storeFault(error, `Opening ${deps.paths.large(name)}`)
  }
}

/**
 * Writes what is left of a lost blob to a file of its own.
 *
 * @param rest  Damaged bytes, or none.
 * @param whole  The size and the checksum of the whole blob.
 */
export async function spoolLost(
  deps: LargeDeps,
  id: BlobId,
  rest: Uint8Array,
  whole: Pick<LargePlace, 'size' | 'crc'>,
): Promise<SpooledFile> {
  const name = largeName(id)
  const file = new LostFile(deps, name, await deps.files.open(deps.paths.large(name), 'wx'), whole)
  await file.write(rest)
  return await file.finish()
}

/** Writes a blob that is in memory to a file of its own. */
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

/**
 * A stream of a part of a file. It keeps the file open, so it reads to the end even if the file is removed. A stream of
 * the whole file fails at the end if the checksum does not match.
 */
export function openLarge(deps: LargeDeps, place: LargePlace, start: number, end: number): Readable {
  if (start === end) return Readable.from([], { objectMode: false })
  let fd: number
  try {
    fd = deps.files.openNow(deps.paths.large(place.large))
  } catch (error) {
    throw damagedBy(error, deps.paths, place)
  }
  const stream = deps.files.stream(fd, start, end)
  return start === 0 && end === place.size ? verified(stream, deps.paths, place) : stream
}

/** Removes the files that no record refers to. They remain after a crash or after a commit that never happened. */
export async function sweepLarge(deps: LargeDeps, named: ReadonlySet<string>): Promise<void> {
  for (const name of await deps.files.list(deps.paths.larges)) {
    if (!named.has(name) && largeNameForm.test(name)) await deps.files.remove(deps.paths.large(name))
  }
}

/** A file name that is safe in every file system, contains the blob's id, and is never used twice. */
function largeName(id: BlobId): string {
  const safe = id.replaceAll(/[^A-Za-z0-9_]+/g, '-').slice(0, 80)
  return `${safe}-${randomBytes(8).toString('hex')}.eml`
}
