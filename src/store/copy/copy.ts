import { invalidOption, LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { type Blob, type Collection, insert, type Store, type StoredRecord } from '../store.ts'
import type { PartitionedStore } from '../partitioned-store.ts'
import type { BlobId } from '../names.ts'
import type { Filling } from '../unfinished.ts'

export interface Copying {
  readonly from: PartitionedStore
  readonly to: Filling
  readonly collections: readonly Collection<StoredRecord>[]
  /** Stops between two groups of records; `copyStore` then returns as usual. */
  readonly signal?: AbortSignal
  /** Called after each step, with the number of records that are done, and of all. */
  onProgress?(done: number, all: number): void
}

/** One collection of one partition in both stores. */
export interface CopyPart {
  readonly partition: string
  readonly collection: Collection<StoredRecord>
  readonly from: Store
  readonly to: Store
  readonly ids: readonly string[]
}

export function partTitle({ partition, collection }: CopyPart): string {
  return partition === '' ? collection.name : `${collection.name} of the account ${partition}`
}

/**
 * Copies all records with their blobs, in the order of their ids. Records that an interrupted copy stored are kept.
 * Nothing else may use the stores meanwhile. In the copy, the versions of all records begin at one.
 *
 * The mark of `to` stays. Finish it after `compareParts` found no difference.
 *
 * @returns What was copied, for `compareParts`.
 * @throws invalid_option if `from` has no record, or `to` has one that `from` lacks, or `to` has records without a mark
 *   and lacks some; store_failed for a blob whose length differs from its recorded size; errors of the stores.
 */
export async function copyStore(copying: Copying): Promise<CopyPart[]> {
  const { signal, onProgress, to } = copying
  const parts = await planParts(copying)
  const missing: { part: CopyPart; ids: string[] }[] = []
  const all = parts.reduce((sum, { ids }) => sum + ids.length, 0)
  if (all === 0)
    throw invalidOption(
      'The source has no records. Check its address; the schema is part of the URL of a database.',
    )
  let done = 0
  for (const part of parts) {
    const there = new Set(await part.to.ids(part.collection))
    missing.push({ part, ids: part.ids.filter((id) => !there.delete(id)) })
    const [other] = there
    if (other !== undefined)
      throw isNotEmpty(`${quote(other)} in ${partTitle(part)}, which the source does not have`)
    done += part.ids.length - (missing.at(-1)?.ids.length ?? 0)
  }
  // Adding to data that is in use could bring back what was removed there.
  if (done > 0 && done < all && !to.isMarked)
    throw isNotEmpty(`${done} of the ${all} records of the source, and no copy into it was interrupted`)
  if (done < all) await to.begin()
  onProgress?.(done, all)
  for (const { part, ids } of missing) {
    for (let at = 0; at < ids.length && !signal?.aborted; at += recordsAtOnce) {
      const now = ids.slice(at, at + recordsAtOnce)
      await copyRecords(part, now)
      done += now.length
      onProgress?.(done, all)
    }
  }
  return parts
}

async function planParts({ from, to, collections }: Copying): Promise<CopyPart[]> {
  const parts: CopyPart[] = []
  for (const partition of new Set(['', ...from.partitions(), ...to.store.partitions()])) {
    const [one, other] = [from, to.store].map((store) =>
      partition === '' ? store : store.partition(partition),
    )
    if (!one || !other) continue
    for (const collection of collections)
      parts.push({ partition, collection, from: one, to: other, ids: await one.ids(collection) })
  }
  return parts
}

async function copyRecords({ collection, from, to }: CopyPart, ids: readonly string[]): Promise<void> {
  const read = await Promise.all(ids.map((id) => readWithBlobs(from, to, collection, id)))
  // Records are stored in the order of their ids, as they arrived.
  await Promise.all(read.map(({ record, blobs }) => to.commit([insert(collection, record)], blobs)))
}

async function readWithBlobs(
  from: Store,
  to: Store,
  collection: Collection<StoredRecord>,
  id: string,
): Promise<{ record: StoredRecord; blobs: Blob[] }> {
  const record = await from.get(collection, id)
  if (!record) throw isChanging(collection, id)
  const blobs: Blob[] = []
  for (const name of await from.blobNames(collection, id)) {
    const blobId: BlobId = `${id}/${name}`
    const bytes = await from.openBlob(blobId)
    if (!bytes) throw isChanging(collection, id)
    const writer = to.createBlob(blobId)
    try {
      for await (const piece of bytes as AsyncIterable<Buffer>) await writer.write(piece)
      const expected = await from.blobSize(blobId)
      if (writer.size !== expected) {
        const what = `${blobId} has ${writer.size} of ${expected ?? 'no'} bytes`
        const message = `The source is damaged: ${what}. What came before it is copied.`
        throw new LocalpostError('store_failed', message)
      }
    } catch (error) {
      await writer.discard().catch(() => {})
      throw error
    }
    blobs.push(await writer.finish())
  }
  return { record, blobs }
}

/** Up to this many large messages wait to be stored at the same time. */
const recordsAtOnce = 64

function isChanging(collection: Collection<StoredRecord>, id: string): LocalpostError {
  const message = `The record ${quote(id)} of ${collection.name} was removed while it was copied. Stop everything that uses the source, and copy again.`
  return new LocalpostError('store_in_use', message)
}

/** @param reason  What the destination has. */
function isNotEmpty(reason: string): LocalpostError {
  return invalidOption(
    `The destination is not empty: it has ${reason}. Nothing was copied. Copy into a new folder, or into an empty schema of a database.`,
  )
}
