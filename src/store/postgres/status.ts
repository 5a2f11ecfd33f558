import type { Pool } from 'pg'
import { monotonicNow } from '../../core/machine.ts'
import { inTime } from '../../core/in-time.ts'
import type { CountedQueue } from '../../core/job-queue.ts'
import type { DatabaseStatus } from '../partitioned-store.ts'
import type { Connection } from './connection.ts'
import type { Lease } from './lease.ts'

/** The state of the database as this instance sees it. Takes at most a second. */
export async function readStatus(deps: {
  sql: Connection
  schema: string
  search: DatabaseStatus['search']
  pools: readonly Pool[]
  /** Where statements wait for a connection of the pools. */
  queues: readonly CountedQueue[]
  lease: Lease
  lastCommit: number
}): Promise<DatabaseStatus> {
  const { sql, schema, search, pools, queues, lease, lastCommit } = deps
  const sum = (of: (pool: Pool) => number): number => pools.reduce((all, pool) => all + of(pool), 0)
  const connections = {
    used: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sum(({ idleCount }) => idleCount),
    waiting: sum(({ waitingCount }) => waitingCount) + queues.reduce((all, { waiting }) => all + waiting, 0),
  }
  const began = monotonicNow()
  const instances = await withinASecond(
    sql
      .run<{ count: number }>(
        `SELECT count(*)::float8 AS count FROM ${sql.name('instances')} WHERE until > clock_timestamp()`,
      )
      .then(([row]) => row?.count ?? null),
  )
  return {
    schema,
    search,
    instances,
    round_trip_ms: instances === null ? null : Math.round((monotonicNow() - began) * 10) / 10,
    has_turn: lease.isMine(),
    last_commit: lastCommit,
    connections,
  }
}

/** The size of all tables of a schema with their indexes, in bytes; null if the database does not say within a second. */
export function sizeOfTables(sql: Connection, schema: string): Promise<number | null> {
  return withinASecond(
    sql
      .run<{ bytes: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [schema],
      )
      .then(([row]) => row?.bytes ?? null),
  )
}

/** The result of a query; null if it fails or takes longer than a second. */
const withinASecond = <T>(query: Promise<T>): Promise<T | null> =>
  inTime(
    query.catch(() => null),
    1000,
  )
