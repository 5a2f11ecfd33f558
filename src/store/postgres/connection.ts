import { createHash } from 'node:crypto'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { JobQueue } from '../../core/job-queue.ts'

/** Statements that may read every row of a table have more time, in milliseconds. */
export const scanMs = 30_000

/** Settings of a {@link Connection}. */
export interface ConnectionOptions {
  /** Converts errors of the driver for the caller. Default: they are thrown as they are. */
  readonly toError?: (error: unknown) => unknown
  /** After this time without an answer the connection is given up, in milliseconds. Default: that of the pool. */
  readonly timeoutMs?: number
  /** Where statements wait for a connection. Default: the pool refuses one that waits for some seconds. */
  readonly queue?: JobQueue
}

/** Runs statements over one connection, or over any of a pool. */
export class Connection {
  readonly #client: Pool | PoolClient
  readonly #schema: string
  readonly #options: ConnectionOptions

  /** @param schema  The schema of the tables; a name that needs no escaping in quotes. */
  constructor(client: Pool | PoolClient, schema: string, options: ConnectionOptions = {}) {
    this.#client = client
    this.#schema = schema
    this.#options = options
  }

  /** The qualified name of a table of the store in SQL. */
  name(table: string): string {
    return `"${this.#schema}"."${table}"`
  }

  /**
   * Runs one statement.
   *
   * @param values  The values of `$1` and so on.
   * @param options  `isLasting`: keeps the statement prepared, for texts that recur; default: true. `timeoutMs`: as in
   *   {@link ConnectionOptions}, for this statement only.
   */
  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
    {
      isLasting = true,
      timeoutMs = this.#options.timeoutMs,
    }: { isLasting?: boolean; timeoutMs?: number } = {},
  ): Promise<Row[]> {
    const { queue, toError } = this.#options
    try {
      const name = isLasting ? statementName(text) : undefined
      const query = async (): Promise<Row[]> => {
        const { rows } = await this.#client.query(within(timeoutMs, { text, values: [...values], name }))
        return rows as Row[]
      }
      return await (queue ? queue.run(query, patienceMs) : query())
    } catch (error) {
      throw toError ? toError(error) : error
    }
  }

  /** Runs a statement that does not recur, for example one that makes a table. */
  async once(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.run(text, values, { isLasting: false })
  }
}

/** How long statements and searches wait for a connection, in milliseconds. */
export const patienceMs = 30_000

/** A statement with another timeout; undefined for that of the pool. The driver's types lack this member. */
export function within(
  ms: number | undefined,
  statement: QueryConfig,
): QueryConfig & { query_timeout?: number } {
  return ms === undefined ? statement : { ...statement, query_timeout: ms }
}

const statementNames = new Map<string, string>()

/** The name of a prepared statement, which is at most 63 bytes long. */
function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url')
  statementNames.set(text, name)
  return name
}
