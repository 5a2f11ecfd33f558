import type { StoredCommit } from './changes.ts'
import type { Connection } from './connection.ts'
import { columnArrays } from './schema.ts'
import type { Staging } from './staging.ts'
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

/** Writes what the batch changes. The statements are sent without waiting for each other. */
export async function write(
  connection: Connection,
  staging: Staging,
  { instance, channel, commits }: Written,
): Promise<void> {
  const statements: Promise<unknown>[] = []
  const run = (text: string, values: unknown[]): void => void statements.push(connection.run(text, values))
  run(`UPDATE ${connection.name('localpost')} SET seq = $1`, [commits.at(-1)?.seq])
  run(
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
      // The record first: a text that is being stored for it holds its row, and is seen by the second statement.
      for (const name of [table.sql, ...(table.texts ? [table.texts.name] : [])]) {
        run(
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
      run(
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
  writeBlobs(connection, staging, run)
  const totals = totalsOf(staging)
  if (totals.length > 0) {
    run(
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
  await Promise.all(statements)
}

function writeBlobs(
  connection: Connection,
  staging: Staging,
  run: (text: string, values: unknown[]) => void,
): void {
  const table = connection.name('blobs')
  clearBlobs(connection, [...staging.cleared], run)
  const blobs = [...staging.blobs]
  for (const part of inParts(blobs, blobsAtOnce)) {
    const places = [
      connection.texts(part.map(({ partition }) => partition)),
      connection.texts(part.map(({ owner }) => owner)),
      connection.texts(part.map(({ name }) => name)),
    ]
    run(
      `INSERT INTO ${connection.name('unused')}
       SELECT stored.large, now() FROM ${table} stored
       JOIN unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, name)
         ON stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name
       WHERE stored.large IS NOT NULL
       ON CONFLICT DO NOTHING`,
      places,
    )
    run(
      `INSERT INTO ${table} (partition, owner, name, collection, size, bytes, large)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::bytea[], $7::int8[])
       ON CONFLICT (partition, owner, name) DO UPDATE
       SET collection = excluded.collection, size = excluded.size, bytes = excluded.bytes, large = excluded.large`,
      [
        ...places,
        connection.texts(part.map(({ table: { name } }) => name)),
        connection.numbers(part.map(({ size }) => size)),
        connection.bytes(part.map(({ bytes }) => bytes)),
        connection.numbers(part.map(({ large }) => large)),
      ],
    )
  }
  const large = blobs.flatMap((blob) => (blob.large === null ? [] : [blob.large]))
  if (large.length > 0)
    run(`DELETE FROM ${connection.name('unused')} WHERE large = ANY($1::int8[])`, [connection.numbers(large)])
}

/** Removes all blobs of some records. @param run  Sends a statement. */
export function clearBlobs(
  connection: Connection,
  owners: readonly { readonly table: Table; readonly partition: string; readonly id: string }[],
  run: (text: string, values: unknown[]) => void,
): void {
  for (const part of inParts(owners, rowsAtOnce)) {
    run(
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
