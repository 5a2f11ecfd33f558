import { readWhole } from '../../core/files.ts'
import { isWhole } from '../disk/blob-crc.ts'
import { type LargeDeps, openSpool } from '../disk/large.ts'
import type { DataFolder } from '../disk/paths.ts'
import type { Entry, HeldPlace, BlobPlace } from '../entry.ts'
import { type Blob, blobOf } from '../store.ts'
import type { BlobId } from '../names.ts'
import type { History } from './salvage-history.ts'

/** A blob of a record, or what is left of one. */
export type FoundBlob = { readonly blob: Blob } | LostBlob

/** A blob whose bytes are intact nowhere. */
interface LostBlob {
  readonly id: BlobId
  readonly name: string
  /** Where it was: its size and checksum. */
  readonly place: Exclude<BlobPlace, HeldPlace>
  readonly fault: Fault
  /** The damaged bytes, or none. */
  readonly rest: Buffer
}

type Fault = 'missing' | 'damaged'

/** Reads the blobs of a record, each from the first of its places that is intact. */
export async function readBlobs(folder: DataFolder, entry: Entry, history: History): Promise<FoundBlob[]> {
  const blobs: FoundBlob[] = []
  for (const [name, place] of Object.entries(entry.blobs ?? {})) {
    const id = `${entry.id}/${name}` as const
    if ('bytes' in place) {
      blobs.push({ blob: blobOf(id, place.bytes) })
      continue
    }
    // The same bytes may still be in the place from which they were moved.
    const others = (history.places.get(id) ?? []).filter(
      (other) => 'crc' in other && other.crc === place.crc && other.size === place.size,
    )
    const found = await firstWhole(folder, [place, ...others])
    if (Buffer.isBuffer(found)) blobs.push({ blob: blobOf(id, found) })
    else blobs.push({ id, name, place, ...found })
  }
  return blobs
}

/** The blob to store in the folder `target`. Reading a lost blob there is `store_corrupt`. */
export async function toBlob(found: FoundBlob, target: LargeDeps): Promise<Blob> {
  if ('blob' in found) return found.blob
  const { id, rest, place } = found
  const { size, crc } = place
  const file = await openSpool(target, id, { size, crc })
  await file.write(rest)
  return { id, size, spooled: await file.finish() }
}

export function faultWords({ name, fault }: LostBlob): string {
  return `the bytes of its ${name} are ${fault}. Everything else of this record is saved; reading its ${name} fails with store_corrupt.`
}

async function firstWhole(
  folder: DataFolder,
  places: readonly BlobPlace[],
): Promise<Buffer | { fault: Fault; rest: Buffer }> {
  let rest: Buffer | null = null
  for (const place of places) {
    const bytes = await readPlace(folder, place).catch(() => null)
    if (bytes === null || bytes.byteLength !== place.size) continue
    if ('bytes' in place || isWhole(place, bytes)) return bytes
    rest = bytes
  }
  return rest ? { fault: 'damaged', rest } : { fault: 'missing', rest: Buffer.alloc(0) }
}

async function readPlace({ files, paths }: DataFolder, place: BlobPlace): Promise<Buffer | null> {
  if ('large' in place) return await files.readAll(paths.large(place.large))
  if (!('log' in place)) return null
  if (place.size === 0) return Buffer.alloc(0)
  const fd = files.openNow(paths.log(place.log))
  try {
    return await readWhole(files, fd, place.at, place.size)
  } finally {
    await files.close(fd)
  }
}
