import { misuse } from './io-errors.ts'
import type { Blob, Change } from './store.ts'

/** Valid names: `emails`, `emails.<partition>`. They become folders, and members of files: not those of `disk/paths.ts` and `ownMembers`. */
export const collectionNameForm: RegExp =
  /^(?!(?:log|large|derived|lock|reserve|schema|seq|indexes|ids|crc)$)[a-z][a-z0-9_-]{0,62}(?:\.[a-z][a-z0-9_-]{0,62})?$/

/** @throws internal_error when a collection cannot have this name. */
export function assertCollectionName(name: string): void {
  if (!collectionNameForm.test(name))
    throw misuse(`${JSON.stringify(name)} cannot be the name of a collection.`)
}

/** @throws internal_error when a partition cannot have this name. */
export function assertPartitionName(name: string): void {
  if (!partitionForm.test(name)) throw misuse(`${JSON.stringify(name)} cannot be the name of a partition.`)
}

const partitionForm = /^[a-z][a-z0-9_-]{0,62}$/

/** The name of a collection in a partition; the main partition is `""`. */
export function nameInPartition(collection: string, partition: string): string {
  return partition === '' ? collection : `${collection}.${partition}`
}

/** Splits the name of a collection of a partition: `emails.acc_1` to `emails` and `acc_1`. */
export function splitCollectionName(name: string): { base: string; partition: string } {
  const at = name.indexOf('.')
  return at < 0 ? { base: name, partition: '' } : { base: name.slice(0, at), partition: name.slice(at + 1) }
}

/** `<record id>/<name>`: a blob belongs to the record in its id, and is removed with that record. */
export type BlobId = `${string}/${string}`

export interface BlobName {
  readonly owner: string
  readonly name: string
}

export function splitBlobId(blobId: string): BlobName {
  const at = blobId.lastIndexOf('/')
  return { owner: blobId.slice(0, Math.max(at, 0)), name: blobId.slice(at + 1) }
}

/**
 * The name of a blob and the id of its record. The same commit must write the record: a blob without one would never
 * be found or removed. The returned id is the same string object as that of the record, to save memory.
 *
 * @throws internal_error when the commit does not write the record, or the blob does not have the size that it says.
 */
export function blobNameIn(changes: readonly Change[], blob: Blob): BlobName {
  const { owner, name } = splitBlobId(blob.id)
  const written = changes.find((change) => change.op !== 'remove' && change.record.id === owner)
  if (owner === '' || name === '' || !written || written.op === 'remove')
    throw misuse(`The blob ${JSON.stringify(blob.id)} comes with a commit that does not write its record.`)
  const size = blob.parts?.reduce((sum, part) => sum + part.byteLength, 0)
  if (size !== undefined && size !== blob.size)
    throw misuse(`The blob ${blob.id} says ${blob.size} bytes and has ${size}.`)
  return { owner: written.record.id, name }
}
