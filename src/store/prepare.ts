import { type Budget, noRoom } from '../core/byte-budget.ts'
import type { FactRow } from './facts.ts'
import type { IndexKey } from './queries.ts'
import { type Blob, type Change, recordMembers } from './store.ts'
import { misuse } from './io-errors.ts'
import { type BlobName, splitBlobId } from './names.ts'
import type { CollectionState } from './collection-state.ts'

/** A copy of a change at the call of `commit`: the caller may reuse its record. */
export type PreparedChange = { readonly state: CollectionState; readonly id: string } & (
  | {
      readonly op: 'insert' | 'put' | 'update'
      /** The version in `text`: for `put` a guess, because the one that is stored is not known yet; see `Batch` in batch.ts. */
      readonly version: number
      readonly text: string
      readonly keys: readonly (IndexKey | null)[]
      readonly facts: FactRow | null
    }
  | { readonly op: 'remove'; readonly version: number | undefined }
)

/**
 * Counts what a commit holds in memory until it is stored. Changes of existing records are never refused: callers limit
 * their number, and a refused change, such as an outcome, would be lost.
 *
 * @param assertRoom  Throws why new records are refused, if they are.
 * @returns How many bytes were taken of `pending`. The caller gives them back when the commit has ended.
 * @throws service_unavailable when too many bytes wait; what `assertRoom` throws.
 */
export function admit(
  changes: readonly Change[],
  texts: readonly string[],
  blobs: readonly Blob[],
  pending: Budget,
  assertRoom: () => void,
): number {
  let size = 0
  for (const text of texts) size += text.length
  for (const { parts } of blobs) for (const part of parts ?? []) size += part.byteLength
  if (!isNewAlone(changes)) pending.takeAnyway(size)
  else {
    assertRoom()
    if (!pending.take(size)) throw noRoom(`${pending.used} bytes wait to be stored.`)
  }
  return size
}

/**
 * Whether a commit inserts records, and neither updates nor removes any. A `put` is not
 * counted: whether it adds a record is only known when it is staged.
 */
export function isNewAlone(changes: readonly Pick<Change, 'op'>[]): boolean {
  return (
    changes.some(({ op }) => op === 'insert') && !changes.some(({ op }) => op === 'update' || op === 'remove')
  )
}

/** Copies a change of the caller. @throws internal_error when an id cannot be one. */
export function prepareChange(state: CollectionState, change: Change): PreparedChange {
  if (change.op === 'remove') return { op: 'remove', state, id: change.id, version: change.version }
  const version = change.op === 'update' ? change.record.version + 1 : 1
  // A record that has its version already needs no copy, which would cost as much as its text.
  const record = change.record.version === version ? change.record : { ...change.record, version }
  if (typeof record.id !== 'string' || record.id === '')
    throw misuse(`A record of ${state.name} cannot have the id ${JSON.stringify(record.id)}.`)
  return {
    op: change.op,
    state,
    id: record.id,
    version,
    text: JSON.stringify(record),
    keys: state.keysOf(recordMembers(record)),
    facts: state.factsOf(record),
  }
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
