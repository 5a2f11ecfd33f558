import type { BulkOutcome } from '../bulk.ts'
import { factAt } from '../facts.ts'
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
  const bit = 1 << factAt(table.facts?.flags, flag)
  const rowsOf = (parameters: Parameters): string =>
    `stored.partition = ${parameters.add(partition)} AND stored.id = ANY(${parameters.add(ids, 'text[]')})`
  const setting = new Parameters()
  const from = setting.add(`"${flag}":${!is}`, 'text')
  const to = setting.add(`"${flag}":${is}`, 'text')
  const text = 'stored.record::text'
  // Every record has the members, see `Facts.members`: if the name occurs once, it is the member's own.
  const isOnce = (name: string, member: string): string =>
    `strpos(${text}, ${member}) > 0 AND octet_length(replace(${text}, ${name}, '')) = octet_length(${text}) - octet_length(${name})`
  const versions = `'"version":' || stored.version`
  const flipped = setting.add(bit, 'int4')
  const finding = new Parameters()
  const [changed, left] = await Promise.all([
    sql.run<{ id: string }>(
      `UPDATE ${table.sql} stored SET version = stored.version + 1, flags = stored.flags # ${flipped},
         record = replace(replace(${text}, ${from}, ${to}), ${versions}, ${versions} + 1)::json
       WHERE ${rowsOf(setting)} AND stored.flags & ${flipped} = ${setting.add(is ? 0 : bit, 'int4')}
         AND ${isOnce(setting.add(`"${flag}"`, 'text'), from)} AND ${isOnce(`'"version"'`, versions)}
       RETURNING stored.id`,
      setting.values,
    ),
    // It runs after the statement above, on the same connection, so that the changed records have the flag.
    sql.run<{ id: string }>(
      `SELECT stored.id FROM ${table.sql} stored WHERE ${rowsOf(finding)}
         AND (stored.flags & ${finding.add(bit, 'int4')}) IS DISTINCT FROM ${finding.add(is ? bit : 0, 'int4')}`,
      finding.values,
    ),
  ])
  outcome.applied = changed.length
  outcome.stale = left.map(({ id }) => id)
  const found = new Set(changed.map(({ id }) => id))
  return ids.filter((id) => found.has(id))
}
