import { parseStreamed } from '../core/streamed-json.ts'
import type { BlobId, Store } from '../store/store.ts'

/**
 * Reads a blob of JSON that this instance wrote. A long one is parsed while it is read, in slices, so that its bytes are not
 * in memory together with its value.
 *
 * @returns null if there is no such blob.
 */
export async function readOwnJson(
  store: Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>,
  blob: BlobId,
): Promise<unknown> {
  const size = await store.blobSize(blob)
  if (size === null) return null
  if (size > longBytes) {
    const stream = await store.openBlob(blob)
    return stream && (await parseStreamed(stream)).value
  }
  const bytes = await store.readBlob(blob)
  return bytes && (JSON.parse(bytes.toString()) as unknown)
}

/** The bodies of an API send as they are stored. The stored JSON may have more members. */
export interface StoredBodies {
  html: string
  text: string
}

/**
 * Reads the bodies of an API send.
 *
 * @param most  How many characters of each body are wanted.
 * @returns The bodies, and whether one of them was cut; null if there is no such blob.
 */
export async function readStoredBodies(
  store: Pick<Store, 'openBlob'>,
  blob: BlobId,
  most: number,
): Promise<(StoredBodies & { isCut: boolean }) | null> {
  const stream = await store.openBlob(blob)
  if (!stream) return null
  const { value, isCut } = await parseStreamed(stream, most)
  const { html, text } = value as StoredBodies
  return {
    html: html.slice(0, most),
    text: text.slice(0, most),
    isCut: isCut || Math.max(html.length, text.length) > most,
  }
}

/** JSON.parse takes a few milliseconds for this much. */
const longBytes = 256 * 1024
