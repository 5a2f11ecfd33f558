import type { StoredCommit } from './changes.ts'
import type { Transaction } from './connection.ts'
import { namesOf, Parameters } from './parameters.ts'
import {
  blobColumns,
  insertTotals,
  placeColumns,
  recordColumns,
  selectBlobs,
  type TotalChange,
  totalColumns,
} from './rows.ts'
import type { Staging } from './staging.ts'
import type { Table } from './table.ts'

/** The data of a batch of commits beside their records. */
interface Written {
  /** The instance that writes. */
  readonly instance: string
  /** Where other instances listen. */
  readonly channel: string
  /** Not empty. */
  readonly commits: readonly StoredCommit[]
}

/** Sends the statements that write what the batch changes. */
export function write(
  connection: Transaction,
  staging: Staging,
  { instance, channel, commits }: Written,
): void {
  connection.send(`UPDATE ${connection.name('localpost')} SET seq = $1`, [commits.at(-1)?.seq])
  connection.send(
    `WITH stored AS (
       INSERT INTO ${connection.name('changes')} (seq, instance, partition, changes)
       SELECT seq, $2, partition, changes FROM unnest($1::int8[], $3::text[], $4::text[]) AS given (seq, partition, changes)
     ) SELECT pg_notify($5, $2)`,
    [
      connection.numbers(commits.map(({ seq }) => seq)),
      instance,
      connection.texts(commits.map(({ partition }) => partition)),
      connection.texts(commits.map(({ changes }) => JSON.stringify(changes))),
      channel,
    ],
  )
  for (const [table, finals] of groupBy([...staging.finals], ({ table }) => table)) {
    const gone = finals.filter(({ row, before }) => !row && before)
    for (const part of inParts(gone, rowsAtOnce)) {
      // The record first: a statement that stores its text locks the record's row. The first DELETE waits for it, so the
      // second one sees that text.
      for (const name of [table.sql, ...(table.texts ? [table.texts.name] : [])]) {
        connection.send(
          `DELETE FROM ${name} stored USING unnest($1::text[], $2::text[]) AS given (partition, id)
           WHERE stored.partition = given.partition AND stored.id = given.id`,
          [
            connection.texts(part.map(({ partition }) => partition)),
            connection.texts(part.map(({ id }) => id)),
          ],
        )
      }
    }
    const kept = finals.flatMap(({ partition, row }) => (row ? [{ partition, row }] : []))
    const set = ['version', 'record', ...table.columns.map(({ name }) => name)]
    for (const part of inParts(kept, rowsAtOnce)) {
      const parameters = new Parameters()
      const columns = recordColumns(connection, table, part)
      connection.send(
        `INSERT INTO ${table.sql} (${namesOf(columns)}) SELECT * FROM ${parameters.unnest(columns)}
         ON CONFLICT (partition, id) DO UPDATE SET ${set.map((name) => `"${name}" = excluded."${name}"`).join(', ')}`,
        parameters.values,
      )
    }
  }
  writeBlobs(connection, staging)
  const totals = totalsOf(staging)
  if (totals.length > 0) {
    const parameters = new Parameters()
    const rows = `SELECT * FROM ${parameters.unnest(totalColumns(connection, totals))}`
    connection.send(insertTotals(connection, rows), parameters.values)
  }
}

function writeBlobs(connection: Transaction, staging: Staging): void {
  const table = connection.name('blobs')
  clearBlobs(connection, [...staging.cleared])
  const blobs = [...staging.blobs]
  const replaced = blobs.filter(({ table, partition, owner }) => staging.wasStored(table, partition, owner))
  for (const part of inParts(replaced, rowsAtOnce)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${connection.name('unused')}
       SELECT stored.large, now() FROM ${table} stored JOIN ${parameters.unnest(placeColumns(connection, part))}
         ON stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name
       WHERE stored.large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      parameters.values,
    )
  }
  for (const part of inParts(blobs, blobsAtOnce)) {
    const parameters = new Parameters()
    connection.send(
      `INSERT INTO ${table} (${blobColumns}) ${selectBlobs(connection, parameters, part)}
       ON CONFLICT (partition, owner, name) DO UPDATE
       SET collection = excluded.collection, size = excluded.size, bytes = excluded.bytes, large = excluded.large`,
      parameters.values,
    )
  }
  const large = blobs.flatMap((blob) => (blob.large === null ? [] : [blob.large]))
  if (large.length > 0)
    connection.send(`DELETE FROM ${connection.name('unused')} WHERE large = ANY($1::int8[])`, [
      connection.numbers(large),
    ])
}

/** Removes all blobs of some records. */
export function clearBlobs(
  connection: Transaction,
  owners: readonly { readonly table: Table; readonly partition: string; readonly id: string }[],
): void {
  for (const part of inParts(owners, rowsAtOnce)) {
    connection.send(
      `WITH gone AS (
         DELETE FROM ${connection.name('blobs')} stored USING unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, collection)
         WHERE stored.partition = given.partition AND stored.owner = given.owner AND stored.collection = given.collection
         RETURNING stored.large
       ) INSERT INTO ${connection.name('unused')} SELECT large, now() FROM gone WHERE large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [
        connection.texts(part.map(({ partition }) => partition)),
        connection.texts(part.map(({ id }) => id)),
        connection.texts(part.map(({ table: { name } }) => name)),
      ],
    )
  }
}

function totalsOf(staging: Staging): TotalChange[] {
  const totals = new Map<string, TotalChange>()
  for (const { table, partition, before, row } of staging.finals) {
    const by = (row ? 1 : 0) - (before ? 1 : 0)
    const place = `${partition} ${table.name}`
    const total = totals.get(place)?.by ?? 0
    totals.set(place, { partition, collection: table.name, by: total + by })
  }
  return [...totals.values()].filter(({ by }) => by !== 0)
}

function groupBy<T, K>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const one of list) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

function* inParts<T>(list: readonly T[], most: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += most) yield list.slice(at, at + most)
}

const rowsAtOnce = 1000
const blobsAtOnce = 64
