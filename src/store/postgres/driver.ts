import { Socket } from 'node:net'
import type { Pool, PoolConfig } from 'pg'
import { codeOf, invalidOption } from '../../core/errors.ts'
import { nextTick } from '../../core/machine.ts'
import { scanMs } from './connection.ts'

/** The connections of an open store, for each kind of work. */
export interface Pools {
  /** For commits, which need not wait for reads, and for the maintenance. */
  readonly writing: Pool
  readonly reading: Pool
  /** For searches of texts: long ones must not block other reads. */
  readonly searching: Pool
  /** For notifications of other instances. */
  readonly listening: Pool
}

/** @throws invalid_option if the driver is not installed. */
export async function openPools(url: string): Promise<Pools> {
  return {
    writing: await openPool(url, { max: 2, isPipelined: true, byIndexes: true }),
    reading: await openPool(url, { max: 5, statementMs: scanMs }),
    searching: await openPool(url, { max: 2, statementMs: scanMs }),
    listening: await openPool(url, { max: 1 }),
  }
}

export async function closePools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Pool) => pool.end()))
}

interface PoolOptions {
  readonly max: number
  /** Whether statements are sent without waiting for the answers to those before. Default: false. */
  readonly isPipelined?: boolean
  /** Whether statements find rows by indexes, whatever the statistics say. Default: false. */
  readonly byIndexes?: boolean
  /** After this many milliseconds the server ends a statement. Default: 10,000. */
  readonly statementMs?: number
}

/**
 * Opens a pool of connections, with the driver, which only users of PostgreSQL install.
 *
 * @throws invalid_option if the driver is not installed.
 */
export async function openPool(
  url: string,
  { max, isPipelined = false, byIndexes = false, statementMs = 10_000 }: PoolOptions,
): Promise<Pool> {
  const driver = await loadDriver()
  const settings: PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    max,
    pipeline: isPipelined,
    ...(isPipelined && { stream: () => new TurnSocket() }),
    onConnect: (client) => client.query([noJit, readCommitted, ...(byIndexes ? [noScans] : [])].join('; ')),
    connectionTimeoutMillis: 5000,
    application_name: 'localpost',
    statement_timeout: statementMs,
    // If nothing arrives for longer than this, the connection is half-open and is closed.
    query_timeout: 12_000,
    // An instance that is suspended between two statements of a transaction must not block the others.
    idle_in_transaction_session_timeout: 8000,
    keepAlive: true,
  }
  const pool = new driver.Pool(settings)
  // A connection that ends while it is idle is replaced at the next use.
  pool.on('error', () => {})
  // Without a listener, losing a connection between two statements would end the process.
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Compiling a statement takes longer than running it. */
const noJit = 'SET jit = off'
/** Whatever the default of the database is: a transaction waits for others, and continues with what they stored. */
const readCommitted = "SET default_transaction_isolation = 'read committed'"
/** A table without statistics looks small, and would be scanned for each commit. */
const noScans = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off'

/** Sends the statements of one turn of the event loop together, which wakes the server once and not for each statement. */
class TurnSocket extends Socket {
  // The driver corks and uncorks around each statement.
  override uncork(): void {
    nextTick(() => super.uncork())
  }
}

async function loadDriver(): Promise<Pick<typeof import('pg'), 'Pool'>> {
  try {
    return (await import('pg')).default
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    const message = 'The store in PostgreSQL needs the package `pg`, version 8. Install it: npm install pg'
    throw invalidOption(message, error)
  }
}
