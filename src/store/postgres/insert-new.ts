import type { Pool } from 'pg'
import type { CommitChange, StoredCommit } from '../change-feed.ts'
import { Connection } from './connection.ts'
import { channelOf } from './listening.ts'
import type { Membership } from './membership.ts'
import { columnList, Parameters } from './parameters.ts'
import { areWritten, type StagedBlob } from './blobs.ts'
import { textOf } from './store-state.ts'
import type { StoredRow, Table } from './table.ts'
import { blobColumns, insertTotals, recordColumns, selectBlobs, totalColumns } from './rows.ts'
import { runSingle } from './transaction.ts'
import type { Waiting } from './waiting.ts'

/** A commit that only adds records to the table of its batch, with small blobs or none. */
export interface NewCommit {
  readonly partition: string
  readonly rows: readonly StoredRow[]
  readonly blobs: readonly StagedBlob[]
}

/**
 * A batch as {@link insertNew} stores it; null if it does more than add records to one table, has large blobs or unique
 * keys, or is too large.
 */
export function newCommitsOf(batch: readonly Waiting[]): { table: Table; commits: NewCommit[] } | null {
  const [first] = batch
  const table = first?.kind === 'commit' ? first.changes[0]?.table : undefined
  if (!table) return null
  const commits: NewCommit[] = []
  for (const item of batch) {
    const commit = newCommitOf(item, table)
    if (!commit) return null
    commits.push(commit)
  }
  const rows = commits.reduce((sum, commit) => sum + commit.rows.length, 0)
  const bytes = commits.flatMap(({ blobs }) => blobs).reduce((sum, { size }) => sum + size, 0)
  return rows > maxRows || bytes > maxBytes ? null : { table, commits }
}

/** The most records, and the most bytes of their blobs, that one statement stores. */
const maxRows = 1000
const maxBytes = 4 * 1024 * 1024

function newCommitOf(item: Waiting, table: Table): NewCommit | null {
  if (item.kind !== 'commit' || !areWritten(item.blobs)) return null
  const rows: StoredRow[] = []
  for (const change of item.changes) {
    if (change.op !== 'insert' || change.table !== table) return null
    const { row } = change
    if (table.indexes.some(({ isUnique }, at) => isUnique && row.values[at] !== null)) return null
    rows.push(row)
  }
  const { partition, blobs } = item
  return rows.length === 0 || blobs.some(({ bytes }) => bytes === null) ? null : { partition, rows, blobs }
}

/**
 * Stores commits of new records by one statement, which the database stores as a whole or not at all. It fails if an id is there
 * already. Compared with a transaction that reads the records first, this saves a round trip and most statements.
 *
 * @param commits  Not empty.
 * @param batch  The number of {@link Membership.nextBatch}.
 * @param onSent  Called before the statement is sent: an error before this call means that nothing was stored.
 * @returns null if the instance may not store anything now.
 */
export async function insertNew(
  { pool, schema, membership }: { pool: Pool; schema: string; membership: Membership },
  table: Table,
  commits: readonly NewCommit[],
  batch: number,
  onSent: () => void,
): Promise<{ readonly stored: StoredCommit[]; readonly isAlone: boolean } | null> {
  const sql = new Connection(pool, schema)
  const parameters = new Parameters()
  const announced = commits.map(({ partition, rows }) => {
    const inserts = rows.map(({ id }): CommitChange => ({ op: 'insert', collection: table.name, id }))
    return { partition, changes: inserts }
  })
  const kept = commits.flatMap(({ partition, rows }) => rows.map((row) => ({ partition, row })))
  const blobs = commits.flatMap(({ partition, blobs: own }) =>
    own.map((blob) => ({ ...blob, partition, table })),
  )
  const records = recordColumns(table, kept)
  const totals =
    totalColumns(kept.map(({ partition }) => ({ partition, collection: table.name, by: 1 }))) ?? []
  const count = parameters.add(commits.length, 'int8')
  const instance = parameters.add(membership.id, 'text')
  const names = announced.map(({ partition }) => partition)
  const texts = announced.map(({ changes }) => textOf(changes))
  const [partitions, changes] = [parameters.add(names, 'text[]'), parameters.add(texts, 'text[]')]
  // `counted` has a row only if the renewal has one. Every part after it must read `counted`, so that it stores nothing otherwise.
  const parts = [
    `renewed AS (${membership.renewalPart(sql, batch, parameters)})`,
    `counted AS (UPDATE ${sql.name('localpost')} SET seq = seq + ${count} FROM renewed RETURNING seq)`,
    `told AS (
       INSERT INTO ${sql.name('changes')} (seq, instance, partition, changes)
       SELECT counted.seq - ${count} + given.nth, ${instance}, given.partition, given.changes
       FROM unnest(${partitions}, ${changes}) WITH ORDINALITY AS given (partition, changes, nth), counted)`,
    `stored AS (
       INSERT INTO ${table.sql} (${columnList(records)}) SELECT given.* FROM ${parameters.unnest(records)}, counted)`,
    `summed AS (${insertTotals(sql, `SELECT given.* FROM ${parameters.unnest(totals)}, counted`)})`,
  ]
  if (blobs.length > 0)
    parts.push(
      `written AS (INSERT INTO ${sql.name('blobs')} (${blobColumns}) ${selectBlobs(parameters, blobs, ', counted')})`,
    )
  const text = `WITH ${parts.join(',\n')}
    SELECT counted.seq::float8 AS seq, renewed.is_alone, pg_notify(${parameters.add(channelOf(schema), 'text')}, ${instance})
    FROM renewed, counted`
  const row = await runSingle<{ seq: number; is_alone: boolean }>(
    pool,
    schema,
    text,
    parameters.values,
    onSent,
  )
  if (!row) return null
  const first = row.seq - commits.length + 1
  return { stored: announced.map((commit, at) => ({ seq: first + at, ...commit })), isAlone: row.is_alone }
}
