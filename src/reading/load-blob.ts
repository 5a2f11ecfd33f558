import { longBytes } from '../core/job-thread.ts'
import { pageBuffer } from '../core/page-memory.ts'
import type { BlobId, Store } from '../store/store.ts'

/**
 * Reads a blob; a long one into a buffer that can be transferred to the thread, so that memory holds only one copy.
 *
 * @param options.sizeBytes  Its size. Default: it is looked up.
 * @throws the signal's reason.
 */
export async function loadBlob(
  store: Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>,
  blob: BlobId,
  { signal, sizeBytes }: { signal?: AbortSignal | undefined; sizeBytes?: number } = {},
): Promise<Buffer | null> {
  const size = sizeBytes ?? (await store.blobSize(blob))
  if (size === null) return null
  if (size <= longBytes) return store.readBlob(blob)
  const stream = await store.openBlob(blob)
  if (!stream) return null
  const found = pageBuffer(size)
  let at = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    signal?.throwIfAborted()
    at += piece.copy(found, at)
  }
  return found.subarray(0, at)
}
