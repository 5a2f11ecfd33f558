import type { StoredCommit } from '../change-feed.ts'
import { columnList, Parameters } from './parameters.ts'
import {
  blobColumns,
  givenValues,
  insertTotals,
  placeColumns,
  recordColumns,
  selectBlobs,
  totalColumns,
} from './rows.ts'
import { textOf } from './store-state.ts'
import type { FinalRecord, Staging } from './staging.ts'
import type { Shard, Table } from './table.ts'
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
  for (const table of new Set(finals.map(({ table }) => table))) writeRecords(connection, table, finals)
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
function writeRecords(connection: Transaction, table: Table, all: readonly FinalRecord[]): void {
  const finals = all.filter((one) => one.table === table)
  for (const part of inParts(finals.filter(({ row, before }) => !row && before))) {
    // The record first: a statement that stores its text locks the record's row. The first DELETE waits for it, so the
    // second one sees that text.
    for (const name of [table.sql, ...(table.texts ? [table.texts.sql] : [])])
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
    const changing = columns.filter(({ name }) => name !== 'partition' && name !== 'id')
    connection.send(
      `INSERT INTO ${table.sql} (${columnList(columns)}) SELECT * FROM ${parameters.unnest(columns)}
       ON CONFLICT (partition, id) DO UPDATE SET ${givenValues(changing)}`,
      parameters.values,
    )
  }
}

function writeBlobs(connection: Transaction, staging: Staging): void {
  const blobTable = connection.name('blobs')
  clearBlobs(connection, [...staging.cleared.values()])
  const blobs = [...staging.blobs.values()]
  const replaced = blobs.filter(({ table, partition, owner }) => staging.wasStored(table, partition, owner))
  for (const part of inParts(replaced)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${connection.name('unused')}
       SELECT stored.large, now() FROM ${blobTable} stored JOIN ${parameters.unnest(placeColumns(part))}
         ON stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name
       WHERE stored.large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      parameters.values,
    )
  }
  for (const part of inParts(blobs, blobsAtOnce)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${blobTable} (${blobColumns}) ${selectBlobs(parameters, part)}
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
function clearBlobs(connection: Transaction, owners: readonly (Shard & { readonly id: string })[]): void {
  for (const part of inParts(owners)) {
    connection.send(
      `WITH gone AS (
         DELETE FROM ${connection.name('blobs')} stored USING unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, collection)
         WHERE stored.partition = given.partition AND stored.owner = given.owner AND stored.collection = given.collection
         RETURNING stored.large
       ) INSERT INTO ${connection.name('unused')} SELECT large, now() FROM gone WHERE large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [part.map(({ partition }) => partition), part.map(({ id }) => id), part.map(({ table }) => table.name)],
    )
  }
}

function* inParts<T>(list: readonly T[], limit: number = rowsAtOnce): Generator<T[]> {
  for (let at = 0; at < list.length; at += limit) yield list.slice(at, at + limit)
}

const rowsAtOnce = 1000
const blobsAtOnce = 64
