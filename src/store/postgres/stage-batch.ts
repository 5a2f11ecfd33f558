import { forEachSlice } from '../../core/slices.ts'
import { asBulk, type CommitChange, type StoredCommit } from '../change-feed.ts'
import { areWritten } from './blobs.ts'
import { setFlag } from './set-flag.ts'
import type { Connection } from './connection.ts'
import type { Staging } from './staging.ts'
import type { Table } from './table.ts'
import { changesOf, type Waiting } from './waiting.ts'
import type { Transaction } from './transaction.ts'

/**
 * Reads the stored records that have the ids or the unique keys of a batch, and holds its large blobs.
 *
 * @returns A promise for each statement, all sent.
 */
export function loadStored(sql: Connection, staging: Staging, batch: readonly Waiting[]): Promise<void>[] {
  const changes = batch.flatMap((item) =>
    changesOf(item).map(({ table, id, row }) => ({ partition: item.partition, table, id, row })),
  )
  const loads = [...new Set(changes.map(({ table }) => table))].flatMap((table) => {
    const own = changes.filter((change) => change.table === table)
    const ids = own.map(({ partition, id }) => ({ partition, key: id }))
    const wanted: Wanted[] = [{ column: 'id', type: 'text', keys: ids }]
    for (const [at, { isUnique, column }] of table.indexes.entries()) {
      const keys = own.map(({ partition, row }) => ({ partition, key: row?.values[at] ?? null }))
      const present = keys.filter(({ key }) => key !== null)
      if (isUnique && present.length > 0) wanted.push({ column, type: 'bytea', keys: present })
    }
    return wanted.map((one) => loadBy(one, table, sql, staging))
  })
  return [...loads, holdLarge(sql, batch)]
}

/**
 * Locks the large blobs of a batch until its transaction has ended, so that `LargeSpool.discard` waits even if the
 * answer to the commit is lost.
 */
async function holdLarge(sql: Connection, batch: readonly Waiting[]): Promise<void> {
  const blobs = batch.flatMap((item) => (item.kind === 'commit' && areWritten(item.blobs) ? item.blobs : []))
  const numbers = blobs.flatMap(({ large }) => large ?? [])
  if (numbers.length > 0)
    await sql.run(`SELECT FROM ${sql.name('unused')} WHERE large = ANY($1::int8[]) FOR UPDATE`, [numbers])
}

/** The keys in a column of the records to read. */
interface Wanted {
  readonly column: string
  readonly type: 'text' | 'bytea'
  readonly keys: readonly { readonly partition: string; readonly key: unknown }[]
}

async function loadBy(
  { column, type, keys }: Wanted,
  table: Table,
  sql: Connection,
  staging: Staging,
): Promise<void> {
  const unique = table.indexes.flatMap((index) => (index.isUnique ? [`, stored."${index.column}"`] : []))
  type Row = Record<string, unknown> & { partition: string; id: string; version: number }
  const rows = await sql.run<Row>(
    `SELECT stored.partition, stored.id, stored.version${unique.join('')}
     FROM ${table.sql} stored JOIN unnest($1::text[], $2::${type}[]) AS given (partition, key)
       ON stored.partition = given.partition AND stored."${column}" = given.key`,
    [keys.map(({ partition }) => partition), keys.map(({ key }) => key)],
  )
  await forEachSlice(rows, (row) => staging.learn(table, row.partition, row, (name) => row[name]))
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
