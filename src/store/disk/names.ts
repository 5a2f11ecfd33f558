import { misuse } from '../io-errors.ts'

/** Valid collection names. They become folder names, so they must be safe there and must not clash with the store's own. */
export const collectionNameForm: RegExp = /^(?!(?:log|large|derived|lock|schema|crc)$)[a-z][a-z0-9_-]{0,62}$/

/** @throws internal_error when a collection cannot have this name. */
export function assertCollectionName(name: string): void {
  if (!collectionNameForm.test(name))
    throw misuse(`${JSON.stringify(name)} cannot be the name of a collection.`)
}

/** The names of files in `large`. */
export const largeNameForm: RegExp = /^[A-Za-z0-9_-]{1,120}\.eml$/

/** A blob's name and the id of its record. */
export interface BlobName {
  readonly owner: string
  readonly name: string
}

/** Splits `<record id>/<name>`. */
export function splitBlobId(blobId: string): BlobName {
  const at = blobId.lastIndexOf('/')
  return { owner: blobId.slice(0, Math.max(at, 0)), name: blobId.slice(at + 1) }
}
