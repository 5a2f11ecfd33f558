import type { StoredCommit } from '../change-feed.ts'
import type { Connection } from './connection.ts'
import { type ValueColumn, columnList, Parameters } from './parameters.ts'
import { textOf } from './store-state.ts'
import type { BlobRow, FinalRecord, Staging } from './staging.ts'
import type { StoredRow, Table } from './table.ts'
import type { Transaction } from './transaction.ts'

/**
 * Sends the statements that write what the batch changes.
 *
 * @param commits  Not empty.
 * @param instance  The id of the instance that writes.
 * @param channel  Where other instances listen.
 */
export function writeBatch(
  connection: Transaction,
  staging: Staging,
  commits: readonly StoredCommit[],
  { instance, channel }: { readonly instance: string; readonly channel: string },
): void {
  connection.send(`UPDATE ${connection.name('localpost')} SET seq = $1`, [commits.at(-1)?.seq])
  connection.send(
    `WITH stored AS (
       INSERT INTO ${connection.name('changes')} (seq, instance, partition, changes)
       SELECT seq, $2, partition, changes FROM unnest($1::int8[], $3::text[], $4::text[]) AS given (seq, partition, changes)
     ) SELECT pg_notify($5, $2)`,
    [
      commits.map(({ seq }) => seq),
      instance,
      commits.map(({ partition }) => partition),
      commits.map(({ changes }) => textOf(changes)),
      channel,
    ],
  )
  const finals = [...staging.finals()]
  for (const table of new Set(finals.map(({ table }) => table)))
    writeRecords(
      connection,
      table,
      finals.filter((one) => one.table === table),
    )
  writeBlobs(connection, staging)
  const totals = totalColumns(
    finals.map(({ table, partition, before, row }) => {
      return { partition, collection: table.name, by: (row ? 1 : 0) - (before ? 1 : 0) }
    }),
  )
  if (totals) {
    const parameters = new Parameters()
    connection.send(insertTotals(connection, `SELECT * FROM ${parameters.unnest(totals)}`), parameters.values)
  }
}

/** Removes, inserts and updates records of one table. */
function writeRecords(connection: Transaction, table: Table, finals: readonly FinalRecord[]): void {
  for (const part of inParts(finals.filter(({ row, before }) => !row && before))) {
    // The record first: a statement that stores its text locks the record's row. The first DELETE waits for it, so the
    // second one sees that text.
    for (const name of [table.sql, ...(table.texts ? [table.texts.name] : [])])
      connection.send(
        `DELETE FROM ${name} stored USING unnest($1::text[], $2::text[]) AS given (partition, id)
         WHERE stored.partition = given.partition AND stored.id = given.id`,
        [part.map(({ partition }) => partition), part.map(({ id }) => id)],
      )
  }
  const kept = finals.flatMap(({ partition, row }) => (row ? [{ partition, row }] : []))
  for (const part of inParts(kept)) {
    const parameters = new Parameters()
    const columns = recordColumns(table, part)
    const set = columns.slice(2).map(({ name }) => `"${name}" = excluded."${name}"`)
    connection.send(
      `INSERT INTO ${table.sql} (${columnList(columns)}) SELECT * FROM ${parameters.unnest(columns)}
       ON CONFLICT (partition, id) DO UPDATE SET ${set.join(', ')}`,
      parameters.values,
    )
  }
}

function writeBlobs(connection: Transaction, staging: Staging): void {
  const table = connection.name('blobs')
  clearBlobs(connection, [...staging.cleared.values()])
  const blobs = [...staging.blobs.values()]
  const replaced = blobs.filter(({ table, partition, owner }) => staging.wasStored(table, partition, owner))
  for (const part of inParts(replaced)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${connection.name('unused')}
       SELECT stored.large, now() FROM ${table} stored JOIN ${parameters.unnest(placeColumns(part))}
         ON stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name
       WHERE stored.large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      parameters.values,
    )
  }
  for (const part of inParts(blobs, blobsAtOnce)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${table} (${blobColumns}) ${selectBlobs(parameters, part)}
       ON CONFLICT (partition, owner, name) DO UPDATE
       SET collection = excluded.collection, size = excluded.size, bytes = excluded.bytes, large = excluded.large`,
      parameters.values,
    )
  }
  const large = blobs.flatMap((blob) => (blob.large === null ? [] : [blob.large]))
  if (large.length > 0)
    connection.send(`DELETE FROM ${connection.name('unused')} WHERE large = ANY($1::int8[])`, [large])
}

/** Removes all blobs of some records. */
function clearBlobs(
  connection: Transaction,
  owners: readonly { readonly table: Table; readonly partition: string; readonly id: string }[],
): void {
  for (const part of inParts(owners)) {
    connection.send(
      `WITH gone AS (
         DELETE FROM ${connection.name('blobs')} stored USING unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, collection)
         WHERE stored.partition = given.partition AND stored.owner = given.owner AND stored.collection = given.collection
         RETURNING stored.large
       ) INSERT INTO ${connection.name('unused')} SELECT large, now() FROM gone WHERE large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [
        part.map(({ partition }) => partition),
        part.map(({ id }) => id),
        part.map(({ table: { name } }) => name),
      ],
    )
  }
}

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

/**
 * How many records came to each collection of a partition, column by column; null where nothing changes.
 *
 * @param changes  `by` is negative where records were removed.
 */
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

/**
 * A SELECT of the rows of blobs. All bytes are in one binary parameter, because an array of bytes would be sent as
 * hexadecimal text.
 *
 * @param after  What follows the rows in FROM. Default: nothing.
 */
export function selectBlobs(parameters: Parameters, blobs: readonly BlobRow[], after = ''): string {
  const bytes = blobs.map((blob) => blob.bytes ?? Buffer.alloc(0))
  let start = 1
  const starts = bytes.map(({ length }) => (start += length) - length)
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

/** The columns of {@link selectBlobs}, in SQL. */
export const blobColumns = 'partition, owner, name, collection, size, bytes, large'

/** Where blobs belong. */
function placeColumns(blobs: readonly BlobRow[]): ValueColumn[] {
  return [
    { name: 'partition', type: 'text[]', values: blobs.map(({ partition }) => partition) },
    { name: 'owner', type: 'text[]', values: blobs.map(({ owner }) => owner) },
    { name: 'name', type: 'text[]', values: blobs.map(({ name }) => name) },
  ]
}

function* inParts<T>(list: readonly T[], limit: number = rowsAtOnce): Generator<T[]> {
  for (let at = 0; at < list.length; at += limit) yield list.slice(at, at + limit)
}

const rowsAtOnce = 1000
const blobsAtOnce = 64
