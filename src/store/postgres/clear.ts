import type { CommitChange } from '../change-feed.ts'
import type { Transaction } from './connection.ts'
import type { Table } from './table.ts'
import { clearBlobs } from './write.ts'

/** How many records of a partition one transaction removes at most: other commits wait until it ends. */
export const clearedAtOnce = 1000

/**
 * Removes up to `clearedAtOnce` records of a partition, with their texts and blobs: a few statements for each table.
 *
 * @returns The changes for listeners: a bulk change for each collection that had records.
 */
export async function clear(
  connection: Transaction,
  tables: Iterable<Table>,
  partition: string,
): Promise<CommitChange[]> {
  const changes: CommitChange[] = []
  let room = clearedAtOnce
  for (const table of tables) {
    if (room === 0) break
    const removed = await clearTable(connection, table, partition, room)
    if (removed === 0) continue
    room -= removed
    changes.push({ op: 'bulk', collection: table.name, updated: 0, removed, isLast: false })
  }
  return changes
}

async function clearTable(
  connection: Transaction,
  table: Table,
  partition: string,
  most: number,
): Promise<number> {
  const gone = await connection.run<{ id: string }>(
    `DELETE FROM ${table.sql} WHERE partition = $1 AND id = ANY(ARRAY(
       SELECT id FROM ${table.sql} WHERE partition = $1 ORDER BY id DESC LIMIT $2
     )) RETURNING id`,
    [partition, most],
  )
  if (gone.length === 0) return 0
  // Removed after the records: a text that was being stored for a record locked its row, and is visible now.
  if (table.texts)
    connection.send(`DELETE FROM ${table.texts.name} WHERE partition = $1 AND id = ANY($2::text[])`, [
      partition,
      gone.map(({ id }) => id),
    ])
  clearBlobs(
    connection,
    gone.map(({ id }) => ({ table, partition, id })),
  )
  connection.send(
    `UPDATE ${connection.name('totals')} SET records = records - $3::int8 WHERE partition = $1 AND collection = $2`,
    [partition, table.name, gone.length],
  )
  return gone.length
}
