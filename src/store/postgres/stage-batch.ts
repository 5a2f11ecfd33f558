import { forEachSlice } from '../../core/slices.ts'
import { asBulk, type CommitChange, type StoredCommit } from '../change-feed.ts'
import { setFlag } from './set-flag.ts'
import type { Connection } from './connection.ts'
import type { Staging } from './staging.ts'
import type { Table } from './table.ts'
import { changesOf, type Waiting } from './waiting.ts'
import type { Transaction } from './transaction.ts'

/** Reads the stored records that the commits of a batch need: those of their ids, and those that have their unique keys. */
export function loadStored(
  connection: Connection,
  staging: Staging,
  batch: readonly Waiting[],
): Promise<void>[] {
  const wanted = new Map<string, { table: Table; column: string; partitions: string[]; keys: unknown[] }>()
  const want = (table: Table, column: string, partition: string, key: unknown): void => {
    const place = `${table.name} ${column}`
    const known = wanted.get(place) ?? { table, column, partitions: [], keys: [] }
    wanted.set(place, known)
    known.partitions.push(partition)
    known.keys.push(key)
  }
  for (const item of batch) {
    const { partition } = item
    for (const change of changesOf(item)) {
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

/**
 * Checks the commits of a batch in order.
 *
 * @param refused  Gets the errors of those that are refused.
 * @param seq  The number of the last commit before the batch.
 */
export async function stageAll(
  connection: Transaction,
  staging: Staging,
  batch: readonly Waiting[],
  refused: Map<Waiting, unknown>,
  seq: number,
): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = []
  for (const item of batch) {
    const { partition } = item
    try {
      const changes = await stageChanges(connection, staging, item)
      if (changes.length > 0) commits.push({ seq: seq + commits.length + 1, partition, changes })
    } catch (error) {
      refused.set(item, error)
    }
  }
  return commits
}

/** The changes of a commit, for listeners. @throws unique_conflict, version_conflict. */
async function stageChanges(
  connection: Transaction,
  staging: Staging,
  item: Waiting,
): Promise<readonly CommitChange[]> {
  const { partition } = item
  switch (item.kind) {
    case 'commit':
      return await staging.stage(partition, item.changes, await item.blobs)
    case 'bulk': {
      const changes = await staging.stageBulk(partition, item.changes, item.outcome)
      return item.isBulk ? asBulk(changes) : changes
    }
    case 'flag': {
      const setting = setFlag(connection, partition, item.setting, item.outcome)
      // If the statement fails, its error is that of the transaction.
      connection.follow(setting)
      const collection = item.setting.table.name
      const changes = (await setting).map((id): CommitChange => ({ op: 'update', collection, id }))
      return item.isBulk ? asBulk(changes) : changes
    }
    case 'notice':
      return [item.change]
  }
}
