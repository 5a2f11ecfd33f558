import { forEachSlice } from '../../core/slices.ts'
import type { Connection } from './connection.ts'
import type { BulkRowChange, RowChange, Staging } from './staging.ts'
import type { Table } from './table.ts'

/** Reads the stored records that the commits of a batch need: those of their ids, and those that have their unique keys. */
export function load(
  connection: Connection,
  staging: Staging,
  commits: Iterable<{ partition: string; changes: readonly (RowChange | BulkRowChange)[] }>,
): Promise<void>[] {
  const wanted = new Map<string, { table: Table; column: string; partitions: string[]; keys: unknown[] }>()
  const want = (table: Table, column: string, partition: string, key: unknown): void => {
    const place = `${table.name} ${column}`
    const known = wanted.get(place) ?? { table, column, partitions: [], keys: [] }
    wanted.set(place, known)
    known.partitions.push(partition)
    known.keys.push(key)
  }
  for (const { partition, changes } of commits) {
    for (const change of changes) {
      const { table } = change
      const row = 'row' in change ? change.row : null
      want(table, 'id', partition, row?.id ?? ('id' in change ? change.id : ''))
      for (const [at, { isUnique, column }] of table.indexes.entries()) {
        const key = row?.values[at]
        if (isUnique && key instanceof Buffer) want(table, column, partition, key)
      }
    }
  }
  return [...wanted.values()].map(async ({ table, column, partitions, keys }) => {
    const unique = table.indexes.flatMap((index) => (index.isUnique ? [`, stored."${index.column}"`] : []))
    const rows = await connection.run<
      Record<string, unknown> & { partition: string; id: string; version: number }
    >(
      `SELECT stored.partition, stored.id, stored.version${unique.join('')}
       FROM ${table.sql} stored JOIN unnest($1::text[], $2::${column === 'id' ? 'text' : 'bytea'}[]) AS given (partition, key)
         ON stored.partition = given.partition AND stored."${column}" = given.key`,
      [partitions, keys],
    )
    await forEachSlice(rows, (row) => staging.learn(table, row.partition, row, (name) => row[name]))
  })
}
