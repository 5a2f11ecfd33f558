import { quote } from '../../core/quote.ts'
import { misuse } from '../io-errors.ts'
import type { Change } from '../store.ts'
import { isStorable } from './storable-text.ts'
import type { StoredRow, Table } from './table.ts'

/** A change of a commit, copied when `commit` was called. */
export type RowChange = { readonly table: Table; readonly id: string } &
  /** For `put` the version of the row is provisional: it is corrected when the change is staged. */
  (
    | { readonly op: 'insert' | 'put' | 'update'; readonly row: StoredRow }
    | { readonly op: 'remove'; readonly row: null; readonly version: number | undefined }
  )

/**
 * A change of a record that was read at the version before that of `row`; without `row` it is removed, whatever its
 * version is.
 */
export interface BulkRowChange {
  readonly table: Table
  readonly id: string
  readonly row: StoredRow | null
}

/** Copies a change of the caller, with its row. @throws internal_error if it cannot be stored. */
export function toRowChange(table: Table, change: Change): RowChange {
  if (change.op === 'remove')
    return { op: 'remove', table, id: change.id, row: null, version: change.version }
  const version = change.op === 'update' ? change.record.version + 1 : 1
  const record = { ...change.record, version }
  if (typeof record.id !== 'string' || record.id === '' || !isStorable(record.id))
    throw misuse(`A record of ${table.name} cannot have the id ${quote(record.id)}.`)
  return { op: change.op, table, id: record.id, row: table.rowOf(record, JSON.stringify(record)) }
}
