import type { StoredCommit } from './changes.ts'
import type { Transaction } from './connection.ts'
import { columnArrays } from './schema.ts'
import type { StagedBlob, Staging } from './staging.ts'
import type { Table } from './table.ts'

/** How many records came to a collection of a partition; negative where they were removed. */
interface TotalChange {
  readonly partition: string
  readonly collection: string
  readonly by: number
}

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
    const own = table.columns.map(({ name }) => `"${name}"`)
    const names = ['partition', 'id', 'version', 'record', ...own]
    const types = ['text', 'text', 'int4', 'json', ...table.columns.map(({ type }) => type)]
    const set = names.slice(2).map((name) => `${name} = excluded.${name}`)
    for (const part of inParts(kept, rowsAtOnce)) {
      const rows = part.map(({ row }) => row)
      const given = types.map((type, at) => `$${at + 1}::${type === 'json' ? 'text[]::json' : type}[]`)
      connection.send(
        `INSERT INTO ${table.sql} (${names.join(', ')}) SELECT * FROM unnest(${given.join(', ')})
         ON CONFLICT (partition, id) DO UPDATE SET ${set.join(', ')}`,
        [
          connection.texts(part.map(({ partition }) => partition)),
          connection.texts(rows.map(({ id }) => id)),
          connection.numbers(rows.map(({ version }) => version)),
          connection.texts(rows.map(({ text }) => text)),
          ...columnArrays(connection, table.columns, rows),
        ],
      )
    }
  }
  writeBlobs(connection, staging)
  const totals = totalsOf(staging)
  if (totals.length > 0) {
    connection.send(
      `INSERT INTO ${connection.name('totals')} AS stored (partition, collection, records)
       SELECT * FROM unnest($1::text[], $2::text[], $3::int8[])
       ON CONFLICT (partition, collection) DO UPDATE SET records = stored.records + excluded.records`,
      [
        connection.texts(totals.map(({ partition }) => partition)),
        connection.texts(totals.map(({ collection }) => collection)),
        connection.numbers(totals.map(({ by }) => by)),
      ],
    )
  }
}

function writeBlobs(connection: Transaction, staging: Staging): void {
  const table = connection.name('blobs')
  clearBlobs(connection, [...staging.cleared])
  const blobs = [...staging.blobs]
  const replaced = blobs.filter(({ table, partition, owner }) => staging.wasStored(table, partition, owner))
  for (const part of inParts(replaced, rowsAtOnce)) {
    connection.send(
      `INSERT INTO ${connection.name('unused')}
       SELECT stored.large, now() FROM ${table} stored
       JOIN unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, name)
         ON stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name
       WHERE stored.large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      placesOf(connection, part),
    )
  }
  for (const part of inParts(blobs, blobsAtOnce)) {
    // All bytes are sent in one binary parameter, because an array of bytes would be sent as hexadecimal text.
    const bytes = part.map((blob) => blob.bytes ?? Buffer.alloc(0))
    let start = 1
    const starts = bytes.map(({ length }) => (start += length) - length)
    connection.send(
      `INSERT INTO ${table} (partition, owner, name, collection, size, bytes, large)
       SELECT partition, owner, name, collection, size,
         CASE WHEN large IS NULL THEN substring($8::bytea FROM start FOR size::int4) END, large
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::int4[])
         AS given (partition, owner, name, collection, size, large, start)
       ON CONFLICT (partition, owner, name) DO UPDATE
       SET collection = excluded.collection, size = excluded.size, bytes = excluded.bytes, large = excluded.large`,
      [
        ...placesOf(connection, part),
        connection.texts(part.map(({ table: { name } }) => name)),
        connection.numbers(part.map(({ size }) => size)),
        connection.numbers(part.map(({ large }) => large)),
        connection.numbers(starts),
        Buffer.concat(bytes),
      ],
    )
  }
  const large = blobs.flatMap((blob) => (blob.large === null ? [] : [blob.large]))
  if (large.length > 0)
    connection.send(`DELETE FROM ${connection.name('unused')} WHERE large = ANY($1::int8[])`, [
      connection.numbers(large),
    ])
}

function placesOf(connection: Transaction, blobs: readonly (StagedBlob & { partition: string })[]): string[] {
  return [
    connection.texts(blobs.map(({ partition }) => partition)),
    connection.texts(blobs.map(({ owner }) => owner)),
    connection.texts(blobs.map(({ name }) => name)),
  ]
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
