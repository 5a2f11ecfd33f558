import type { Connection } from './connection.ts'
import type { ValueColumn, Parameters } from './parameters.ts'
import type { BlobRow } from './staging.ts'
import type { StoredRow, Table } from './table.ts'

// What is inserted, column by column: see `Parameters.unnest`.

/** The rows of records, column by column. */
export function recordColumns(
  table: Table,
  kept: readonly { readonly partition: string; readonly row: StoredRow }[],
): ValueColumn[] {
  return [
    { name: 'partition', type: 'text[]', values: kept.map(({ partition }) => partition) },
    { name: 'id', type: 'text[]', values: kept.map(({ row }) => row.id) },
    { name: 'version', type: 'int4[]', values: kept.map(({ row }) => row.version) },
    { name: 'record', type: 'text[]::json[]', values: kept.map(({ row }) => row.text) },
    ...table.columns.map(({ name, type }, at) => {
      return { name, type: `${type}[]`, values: kept.map(({ row }) => row.values[at]) }
    }),
  ]
}

/** By how many records each collection of a partition changes (`by` is negative for removals); null if nothing changes. */
export function totalColumns(
  changes: readonly { readonly partition: string; readonly collection: string; readonly by: number }[],
): ValueColumn[] | null {
  const totals = new Map<string, { partition: string; collection: string; by: number }>()
  for (const { partition, collection, by } of changes) {
    const place = `${partition} ${collection}`
    totals.set(place, { partition, collection, by: (totals.get(place)?.by ?? 0) + by })
  }
  const changed = [...totals.values()].filter(({ by }) => by !== 0)
  if (changed.length === 0) return null
  return [
    { name: 'partition', type: 'text[]', values: changed.map(({ partition }) => partition) },
    { name: 'collection', type: 'text[]', values: changed.map(({ collection }) => collection) },
    { name: 'records', type: 'int8[]', values: changed.map(({ by }) => by) },
  ]
}

/** @param rows  A SELECT of the columns of {@link totalColumns}. */
export function insertTotals(connection: Connection, rows: string): string {
  return `INSERT INTO ${connection.name('totals')} AS stored (partition, collection, records) ${rows}
    ON CONFLICT (partition, collection) DO UPDATE SET records = stored.records + excluded.records`
}

/** The columns of {@link selectBlobs}, in its order. */
export const blobColumns = 'partition, owner, name, collection, size, bytes, large'

/**
 * A SELECT of the rows of blobs. All bytes are in one binary parameter, because an array of bytes would be sent as
 * hexadecimal text.
 *
 * @param after  What follows the rows in FROM. Default: nothing.
 */
export function selectBlobs(parameters: Parameters, blobs: readonly BlobRow[], after = ''): string {
  const bytes = blobs.map((blob) => blob.bytes ?? Buffer.alloc(0))
  const starts: number[] = []
  let start = 1
  for (const { length } of bytes) {
    starts.push(start)
    start += length
  }
  const all = parameters.add(Buffer.concat(bytes), 'bytea')
  const given = parameters.unnest([
    ...placeColumns(blobs),
    { name: 'collection', type: 'text[]', values: blobs.map(({ table: { name } }) => name) },
    { name: 'size', type: 'int8[]', values: blobs.map(({ size }) => size) },
    { name: 'large', type: 'int8[]', values: blobs.map(({ large }) => large) },
    { name: 'start', type: 'int4[]', values: starts },
  ])
  return `SELECT given.partition, given.owner, given.name, given.collection, given.size,
    CASE WHEN given.large IS NULL THEN substring(${all} FROM given.start FOR given.size::int4) END, given.large
    FROM ${given}${after}`
}

/** The key of the table of blobs. */
export function placeColumns(blobs: readonly BlobRow[]): ValueColumn[] {
  return [
    { name: 'partition', type: 'text[]', values: blobs.map(({ partition }) => partition) },
    { name: 'owner', type: 'text[]', values: blobs.map(({ owner }) => owner) },
    { name: 'name', type: 'text[]', values: blobs.map(({ name }) => name) },
  ]
}

/** The assignments that give a row the new values of columns where it exists, for ON CONFLICT DO UPDATE. */
export function givenValues(columns: readonly ValueColumn[]): string {
  return columns.map(({ name }) => `"${name}" = excluded."${name}"`).join(', ')
}
