import type { Connection } from './connection.ts'
import { type BulkChange, hexOf, type PreparedChange, type Staging } from './staging.ts'
import type { Table } from './table.ts'

/** Reads the stored records that the commits of a batch need. */
export function load(
  connection: Connection,
  staging: Staging,
  commits: Iterable<{ partition: string; changes: readonly (PreparedChange | BulkChange)[] }>,
): Promise<void>[] {
  const byId = new Map<Table, { partitions: string[]; ids: string[] }>()
  const byKey = new Map<string, { table: Table; column: string; partitions: string[]; keys: Buffer[] }>()
  for (const { partition, changes } of commits) {
    for (const change of changes) {
      const { table } = change
      const row = 'row' in change ? change.row : null
      const wanted = byId.get(table) ?? { partitions: [], ids: [] }
      byId.set(table, wanted)
      wanted.partitions.push(partition)
      wanted.ids.push(row?.id ?? ('id' in change ? change.id : ''))
      if (!row) continue
      for (const [at, { isUnique, column }] of table.indexes.entries()) {
        const key = row.values[at]
        if (!isUnique || !(key instanceof Buffer)) continue
        const place = `${table.name} ${column}`
        const keys = byKey.get(place) ?? { table, column, partitions: [], keys: [] }
        byKey.set(place, keys)
        keys.partitions.push(partition)
        keys.keys.push(key)
      }
    }
  }
  const learn = async (table: Table, given: string, on: string, values: unknown[]): Promise<void> => {
    const unique = table.indexes
      .filter(({ isUnique }) => isUnique)
      .map(({ column }) => `, stored."${column}"`)
    const rows = await connection.run<
      Record<string, unknown> & { partition: string; id: string; version: number }
    >(
      `SELECT stored.partition, stored.id, stored.version${unique.join('')}
       FROM ${table.sql} stored JOIN unnest(${given}) AS given (partition, key) ON stored.partition = given.partition AND ${on}`,
      values,
    )
    for (const row of rows) {
      const keys = table.indexes.map(({ column }) => {
        const key = row[column]
        return key instanceof Buffer ? hexOf(key) : null
      })
      staging.learn(table, row.partition, row.id, row.version, keys)
    }
  }
  return [
    ...[...byId].map(([table, { partitions, ids }]) =>
      learn(table, '$1::text[], $2::text[]', 'stored.id = given.key', [
        connection.texts(partitions),
        connection.texts(ids),
      ]),
    ),
    ...[...byKey.values()].map(({ table, column, partitions, keys }) =>
      learn(table, '$1::text[], $2::bytea[]', `stored."${column}" = given.key`, [
        connection.texts(partitions),
        connection.bytes(keys),
      ]),
    ),
  ]
}
