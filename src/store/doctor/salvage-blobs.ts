import type { Files } from '../../core/files.ts'
import { isWhole } from '../disk/blob-crc.ts'
import { type LargeDeps, spoolLost } from '../disk/large.ts'
import type { Paths } from '../disk/paths.ts'
import type { Entry, HeldPlace, Place } from '../entry.ts'
import { type Blob, type BlobId, blobOf } from '../store.ts'
import type { History } from './salvage-log.ts'

/** A blob of a record, or what is left of one. */
export type FoundBlob = { readonly blob: Blob } | LostBlob

/** A blob whose bytes are intact nowhere. */
interface LostBlob {
  readonly id: BlobId
  readonly name: string
  /** Where it was: its size and checksum. */
  readonly place: Exclude<Place, HeldPlace>
  readonly fault: Fault
  /** The damaged bytes, or none. */
  readonly rest: Buffer
}

type Fault = 'missing' | 'damaged'

/** Reads the blobs of a record, each from the first of its places that is intact. */
export async function readBlobs(
  files: Files,
  paths: Paths,
  entry: Entry,
  history: History,
): Promise<FoundBlob[]> {
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
    const found = await firstWhole(files, paths, [place, ...others])
    if (Buffer.isBuffer(found)) blobs.push({ blob: blobOf(id, found) })
    else blobs.push({ id, name, place, ...found })
  }
  return blobs
}

/** The blob to store in the folder `target`. Reading a lost blob there is `store_corrupt`. */
export async function toBlob(found: FoundBlob, target: LargeDeps): Promise<Blob> {
  if ('blob' in found) return found.blob
  const { id, rest, place } = found
  return { id, size: place.size, spooled: await spoolLost(target, id, rest, place) }
}

/** A description of the loss. */
export function faultWords({ name, fault }: LostBlob): string {
  return `the bytes of its ${name} are ${fault}. All else of it is saved; reading its ${name} answers store_corrupt.`
}

async function firstWhole(
  files: Files,
  paths: Paths,
  places: readonly Place[],
): Promise<Buffer | { fault: Fault; rest: Buffer }> {
  let rest: Buffer | null = null
  for (const place of places) {
    const bytes = await readPlace(files, paths, place).catch(() => null)
    if (bytes === null || bytes.byteLength !== place.size) continue
    if ('bytes' in place || isWhole(place, bytes)) return bytes
    rest = bytes
  }
  return rest ? { fault: 'damaged', rest } : { fault: 'missing', rest: Buffer.alloc(0) }
}

async function readPlace(files: Files, paths: Paths, place: Place): Promise<Buffer | null> {
  if ('large' in place) return await files.readAll(paths.large(place.large))
  if (!('log' in place)) return null
  const path = paths.log(place.log)
  if (place.size === 0) return Buffer.alloc(0)
  if ((await files.size(path)) === null) return null
  const fd = await files.open(path, 'r')
  try {
    const bytes = Buffer.alloc(place.size)
    let done = 0
    for (let count = -1; count !== 0 && done < place.size; done += count)
      count = await files.read(fd, bytes.subarray(done), place.at + done)
    return bytes.subarray(0, done)
  } finally {
    await files.close(fd)
  }
}
