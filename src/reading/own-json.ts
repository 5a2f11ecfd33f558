import { collectBefore } from '../core/page-memory.ts'
import { parseStreamed } from '../core/streamed-json.ts'
import type { BlobId, Store } from '../store/store.ts'

/**
 * Reads a blob of JSON that this instance wrote. A long one is parsed while it is read, in slices, so that its bytes are not
 * in memory together with its value.
 *
 * @returns null if there is no such blob.
 */
export async function readOwnJson(store: OwnBlobs, blob: BlobId): Promise<unknown> {
  const size = await store.blobSize(blob)
  return size === null ? null : ((await parseBlob(store, blob, { size }))?.value ?? null)
}

/** The bodies of an API send as they are stored. The stored JSON may have more members. */
export interface StoredBodies {
  html: string
  text: string
}

/**
 * Reads the bodies of an API send.
 *
 * @param wanted.size  The size of the blob.
 * @param wanted.most  How many characters of each body are wanted.
 * @param wanted.signal  Ends the reading. @throws its reason.
 * @returns The bodies, and whether one of them was cut; null if there is no such blob.
 */
export async function readStoredBodies(
  store: OwnBlobs,
  blob: BlobId,
  { size, most, signal }: { size: number; most: number; signal?: AbortSignal },
): Promise<(StoredBodies & { isCut: boolean }) | null> {
  const parsed = await parseBlob(store, blob, { size, most, signal })
  if (!parsed) return null
  const { html, text } = parsed.value as StoredBodies
  return {
    html: html.slice(0, most),
    text: text.slice(0, most),
    isCut: parsed.isCut || Math.max(html.length, text.length) > most,
  }
}

type OwnBlobs = Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>

async function parseBlob(
  store: OwnBlobs,
  blob: BlobId,
  { size, most, signal }: { size: number; most?: number; signal?: AbortSignal | undefined },
): Promise<{ value: unknown; isCut: boolean } | null> {
  if (size > longBytes) {
    collectBefore(Math.min(size, most ?? size))
    const stream = await store.openBlob(blob)
    return stream && (await parseStreamed(stream, most, signal))
  }
  const bytes = await store.readBlob(blob)
  return bytes && { value: JSON.parse(bytes.toString()) as unknown, isCut: false }
}

/** JSON.parse takes a few milliseconds for this much. */
const longBytes = 256 * 1024
