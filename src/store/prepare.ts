import type { FactRow } from './facts.ts'
import type { IndexKey } from './queries.ts'
import type { Change, NewRecord, StoredRecord } from './store.ts'
import { misuse } from './io-errors.ts'
import type { CollectionState } from './collection-state.ts'
import { membersOf } from './stored.ts'

/** A copy of a change at the call of `commit`: the caller may reuse its record. */
export type PreparedChange =
  | {
      readonly op: 'insert' | 'put' | 'update'
      readonly state: CollectionState
      readonly id: string
      /** The version in `text`: for `put` a guess, which is corrected when the change is staged. */
      readonly version: number
      readonly text: string
      readonly keys: readonly (IndexKey | null)[]
      readonly facts: FactRow | null
    }
  | {
      readonly op: 'remove'
      readonly state: CollectionState
      readonly id: string
      readonly version: number | undefined
    }

/** Whether a commit brings new records and touches none that are there. */
export function isNewAlone(changes: readonly Pick<Change, 'op'>[]): boolean {
  return (
    changes.some(({ op }) => op === 'insert') && !changes.some(({ op }) => op === 'update' || op === 'remove')
  )
}

/**
 * Takes the caller's changes.
 *
 * @throws internal_error when an id cannot be one.
 */
export function prepareChange(state: CollectionState, change: Change): PreparedChange {
  if (change.op === 'remove') return { op: 'remove', state, id: change.id, version: change.version }
  const version = change.op === 'update' ? change.record.version + 1 : 1
  // A record that has its version already needs no copy, which would cost as much as its text.
  const given = change.record
  const record = says(given, version) ? given : { ...given, version }
  assertId(record.id, state.name)
  return {
    op: change.op,
    state,
    id: record.id,
    version,
    text: JSON.stringify(record),
    keys: state.keysOf(membersOf(record)),
    facts: state.factsOf(record),
  }
}

function says(record: NewRecord, version: number): record is StoredRecord {
  return record.version === version
}

/** The text of the same record with another version. */
export function withVersion(text: string, version: number): string {
  const record: unknown = JSON.parse(text)
  return JSON.stringify({ ...(record as object), version })
}

function assertId(id: unknown, collection: string): void {
  if (typeof id === 'string' && id !== '') return
  throw misuse(
    `A record of ${collection} needs a text that is not empty as its id, not ${JSON.stringify(id)}.`,
  )
}
