import type { Connection } from './connection.ts'
import type { ColumnOf, Parameters } from './parameters.ts'
import { columnArrays } from './schema.ts'
import type { StagedBlob } from './staging.ts'
import type { StoredRow, Table } from './table.ts'

/** How many records came to a collection of a partition; negative where they were removed. */
export interface TotalChange {
  readonly partition: string
  readonly collection: string
  readonly by: number
}

/** A blob with the table and the partition of its record. */
export type BlobRow = StagedBlob & { readonly table: Table; readonly partition: string }

/** The rows of records, column by column. */
export function recordColumns(
  connection: Connection,
  table: Table,
  kept: readonly { readonly partition: string; readonly row: StoredRow }[],
): ColumnOf[] {
  const rows = kept.map(({ row }) => row)
  const own = columnArrays(connection, table.columns, rows)
  return [
    { name: 'partition', type: 'text[]', array: connection.texts(kept.map(({ partition }) => partition)) },
    { name: 'id', type: 'text[]', array: connection.texts(rows.map(({ id }) => id)) },
    { name: 'version', type: 'int4[]', array: connection.numbers(rows.map(({ version }) => version)) },
    { name: 'record', type: 'text[]::json[]', array: connection.texts(rows.map(({ text }) => text)) },
    ...table.columns.map(({ name, type }, at) => ({ name, type: `${type}[]`, array: own[at] })),
  ]
}

/** The changes of totals, column by column. */
export function totalColumns(connection: Connection, totals: readonly TotalChange[]): ColumnOf[] {
  return [
    { name: 'partition', type: 'text[]', array: connection.texts(totals.map(({ partition }) => partition)) },
    {
      name: 'collection',
      type: 'text[]',
      array: connection.texts(totals.map(({ collection }) => collection)),
    },
    { name: 'records', type: 'int8[]', array: connection.numbers(totals.map(({ by }) => by)) },
  ]
}

/** @param rows  A SELECT of the columns of {@link totalColumns}. */
export function insertTotals(connection: Connection, rows: string): string {
  return `INSERT INTO ${connection.name('totals')} AS stored (partition, collection, records) ${rows}
    ON CONFLICT (partition, collection) DO UPDATE SET records = stored.records + excluded.records`
}

/**
 * A SELECT of the rows of blobs. All bytes are in one binary parameter, because an array of bytes would be sent as
 * hexadecimal text.
 *
 * @param after  What follows the rows in FROM. Default: nothing.
 */
export function selectBlobs(
  connection: Connection,
  parameters: Parameters,
  blobs: readonly BlobRow[],
  after = '',
): string {
  const bytes = blobs.map((blob) => blob.bytes ?? Buffer.alloc(0))
  let start = 1
  const starts = bytes.map(({ length }) => (start += length) - length)
  const all = parameters.add(Buffer.concat(bytes), 'bytea')
  const given = parameters.unnest([
    ...placeColumns(connection, blobs),
    { name: 'collection', type: 'text[]', array: connection.texts(blobs.map(({ table: { name } }) => name)) },
    { name: 'size', type: 'int8[]', array: connection.numbers(blobs.map(({ size }) => size)) },
    { name: 'large', type: 'int8[]', array: connection.numbers(blobs.map(({ large }) => large)) },
    { name: 'start', type: 'int4[]', array: connection.numbers(starts) },
  ])
  return `SELECT given.partition, given.owner, given.name, given.collection, given.size,
    CASE WHEN given.large IS NULL THEN substring(${all} FROM given.start FOR given.size::int4) END, given.large
    FROM ${given}${after}`
}

/** The columns of {@link selectBlobs}, in SQL. */
export const blobColumns = 'partition, owner, name, collection, size, bytes, large'

/** Where blobs belong. */
export function placeColumns(connection: Connection, blobs: readonly BlobRow[]): ColumnOf[] {
  return [
    { name: 'partition', type: 'text[]', array: connection.texts(blobs.map(({ partition }) => partition)) },
    { name: 'owner', type: 'text[]', array: connection.texts(blobs.map(({ owner }) => owner)) },
    { name: 'name', type: 'text[]', array: connection.texts(blobs.map(({ name }) => name)) },
  ]
}
