import type { Pool } from 'pg'
import { codeOf } from '../../core/errors.ts'
import type { JobQueue } from '../../core/job-queue.ts'
import { clearTimeout, setTimeout } from '../../core/machine.ts'
import { type Connection, patienceMs } from './connection.ts'

/**
 * Runs a statement, and makes the server stop it after a time.
 *
 * @returns null where it was stopped.
 * @throws The reason of the signal, if that was aborted.
 */
export type RunStoppable = <Row>(
  text: string,
  values: readonly unknown[],
  timeoutMs: number,
) => Promise<Row[] | null>

interface StoppableDeps {
  readonly pool: Pool
  /** The queue for a connection of the pool. */
  readonly queue: JobQueue
  /** Tells the server to stop a statement of another connection. */
  readonly stopping: Connection
  readonly toError: (error: unknown) => unknown
}

/**
 * Runs work over a separate connection; an abort stops its statement.
 *
 * @throws service_unavailable if too many wait, or too long.
 */
export function withStoppable<T>(
  { pool, queue, stopping, toError }: StoppableDeps,
  work: (run: RunStoppable) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const run = async <Row>(text: string, values: readonly unknown[], ms: number): Promise<Row[] | null> => {
    signal?.throwIfAborted()
    const client = await pool.connect()
    // The driver's types lack this member.
    const pid: unknown = Reflect.get(client, 'processID')
    let stop: Promise<unknown> | null = null
    const stopStatement = (): void => {
      stop ??= stopping.run('SELECT pg_cancel_backend($1::int4)', [pid]).catch(() => {})
    }
    const timer = setTimeout(stopStatement, ms)
    signal?.addEventListener('abort', stopStatement)
    try {
      // It may have been aborted while the connection was made.
      signal?.throwIfAborted()
      const { rows } = await client.query(text, [...values])
      return rows as Row[]
    } catch (error) {
      if (stop === null || codeOf(error) !== queryCanceled) throw error
      signal?.throwIfAborted()
      return null
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopStatement)
      // The server may stop the next statement of this connection, if this one has ended before.
      client.release(stop !== null)
    }
  }
  return queue.run(
    async () => {
      try {
        return await work(run)
      } catch (error) {
        throw signal?.aborted ? signal.reason : toError(error)
      }
    },
    patienceMs,
    signal,
  )
}

const queryCanceled = '57014'
