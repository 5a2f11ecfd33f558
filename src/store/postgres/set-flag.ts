import type { BulkOutcome } from '../bulk.ts'
import { bitOf } from '../facts.ts'
import type { FlagChange } from '../queries.ts'
import type { Connection } from './connection.ts'
import { Parameters } from './parameters.ts'
import type { Table } from './table.ts'

/** A flag that a commit sets in records; see {@link FlagChange}. */
export interface FlagSetting {
  readonly table: Table
  readonly ids: readonly string[]
  readonly change: FlagChange
}

/**
 * Sets a flag in the records that have the other state of it. The database changes the text of each record, so that none of them
 * is sent. Call it in a transaction that holds the lock of the commits.
 *
 * @param outcome  Gets how many were changed, and the ids of those that have to be read for that: their text has the name of a
 *   changed member in another place too, or their facts are not known.
 * @returns The ids of the changed records, in the order of the given ones.
 */
export async function setFlag(
  sql: Connection,
  partition: string,
  { table, ids, change: { flag, is } }: FlagSetting,
  outcome: BulkOutcome,
): Promise<string[]> {
  const parameters = new Parameters()
  const bit = parameters.add(bitOf(table.facts ?? noFacts, flag), 'int4')
  const [from, to] = [!is, is].map((value) => parameters.add(`"${flag}":${value}`, 'text'))
  const wanted = `stored.partition = ${parameters.add(partition)} AND stored.id = ANY(${parameters.add(ids, 'text[]')})`
  const text = 'stored.record::text'
  const isOnce = (name: string, member: string): string =>
    `strpos(${text}, ${member}) > 0 AND octet_length(replace(${text}, ${name}, '')) = octet_length(${text}) - octet_length(${name})`
  const versions = `'"version":' || stored.version`
  const [changed, left] = await Promise.all([
    sql.run<{ id: string }>(
      `UPDATE ${table.sql} stored SET version = stored.version + 1, flags = stored.flags # ${bit},
         record = replace(replace(${text}, ${from}, ${to}), ${versions}, ${versions} + 1)::json
       WHERE ${wanted} AND (stored.flags & ${bit} <> 0) = ${parameters.add(!is, 'bool')}
         AND ${isOnce(parameters.add(`"${flag}"`, 'text'), from ?? '')} AND ${isOnce(`'"version"'`, versions)}
       RETURNING stored.id`,
      parameters.values,
    ),
    sql.run<{ id: string }>(
      `SELECT stored.id FROM ${table.sql} stored WHERE stored.partition = $1 AND stored.id = ANY($2::text[])
         AND coalesce((stored.flags & $3::int4 <> 0) <> $4::bool, true)`,
      [partition, ids, bitOf(table.facts ?? noFacts, flag), is],
    ),
  ])
  outcome.applied = changed.length
  outcome.stale = left.map(({ id }) => id)
  const found = new Set(changed.map(({ id }) => id))
  return ids.filter((id) => found.has(id))
}

const noFacts = { flags: [] }
