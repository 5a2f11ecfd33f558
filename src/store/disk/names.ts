import { misuse } from '../io-errors.ts'

/** The names of collections. They become folders: only what is safe there, and none that the store uses itself. */
export const collectionNameForm: RegExp = /^(?!(?:log|large|derived|lock|schema|crc)$)[a-z][a-z0-9_-]{0,62}$/

/** @throws internal_error when a collection cannot have this name. */
export function assertCollectionName(name: string): void {
  if (!collectionNameForm.test(name))
    throw misuse(`${JSON.stringify(name)} cannot be the name of a collection.`)
}

/** The names of files in `large`. */
export const largeNameForm: RegExp = /^[A-Za-z0-9_-]{1,120}\.eml$/

/** What a blob is called, and the id of its record. */
export interface BlobName {
  readonly owner: string
  readonly name: string
}

/** `<record id>/<name>` in its two parts. */
export function splitBlobId(blobId: string): BlobName {
  const at = blobId.lastIndexOf('/')
  return { owner: blobId.slice(0, Math.max(at, 0)), name: blobId.slice(at + 1) }
}
