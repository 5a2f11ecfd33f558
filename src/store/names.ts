import { misuse } from './io-errors.ts'

/**
 * Valid names: `emails`, `emails.<partition>`. They become folders, and members of files: not the names without an
 * ending in `disk/paths.ts`, nor `ownMembers`. Files such as `db.json` match: where a folder is expected, they count as
 * empty ones.
 */
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
