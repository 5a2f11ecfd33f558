import { createHash } from 'node:crypto'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { JobQueue } from '../../core/job-queue.ts'
import { codeOf } from '../../core/errors.ts'
import { isLost } from './faults.ts'

/** Statements that may read every row of a table have more time, in milliseconds. */
export const scanMs = 30_000

/** Runs statements over one connection, or over any of a pool. */
export class Connection {
  readonly #client: Pool | PoolClient
  readonly #schema: string
  readonly #toError: (error: unknown) => unknown
  readonly #mostMs: number | undefined
  readonly #queue: JobQueue | undefined

  /**
   * @param schema  The schema of the tables; a name that needs no escaping in quotes.
   * @param options  `toError`: converts errors of the driver for the caller; default: none. `mostMs`: after this time
   *   without an answer the connection is given up; default: that of the pool. `queue`: where statements wait for a connection;
   *   without it the pool refuses one that waits for some seconds.
   */
  constructor(
    client: Pool | PoolClient,
    schema: string,
    {
      toError = same,
      mostMs,
      queue,
    }: { toError?: (error: unknown) => unknown; mostMs?: number; queue?: JobQueue } = {},
  ) {
    this.#client = client
    this.#schema = schema
    this.#toError = toError
    this.#mostMs = mostMs
    this.#queue = queue
  }

  /** The qualified name of a table of the store in SQL. */
  name(table: string): string {
    return `"${this.#schema}"."${table}"`
  }

  /**
   * Runs one statement.
   *
   * @param values  The values of `$1` and so on.
   * @param options  `isLasting`: keeps the statement prepared, for texts that recur; default: true. `mostMs`: as in the
   *   constructor, for this statement only.
   */
  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
    { isLasting = true, mostMs = this.#mostMs }: { isLasting?: boolean; mostMs?: number } = {},
  ): Promise<Row[]> {
    try {
      const name = isLasting ? nameOf(text) : undefined
      const query = async (): Promise<Row[]> => {
        const { rows } = await this.#client.query(within(mostMs, { text, values: [...values], name }))
        return rows as Row[]
      }
      return await (this.#queue ? this.#queue.run(query, patienceMs) : query())
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** Runs a statement that does not recur, for example one that makes a table. */
  async once(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.run(text, values, { isLasting: false })
  }
}

/** A connection with an open transaction. */
export class Transaction extends Connection {
  readonly #sent: Promise<unknown>[] = []
  #begun: Promise<unknown> | null = null

  begin(): void {
    this.#begun = super.run('BEGIN')
    this.follow(this.#begun)
  }

  /** Runs a statement. Rejects if BEGIN failed, because each statement would be stored alone then. */
  override async run<Row>(...given: Parameters<Connection['run']>): Promise<Row[]> {
    const rows = await super.run<Row>(...given)
    await this.#begun
    return rows
  }

  /** Runs a statement whose rows are not needed. If it fails, the transaction fails. */
  send(text: string, values: readonly unknown[] = []): void {
    this.follow(this.run(text, values))
  }

  /** Makes the transaction fail if this fails. */
  follow(statement: Promise<unknown>): void {
    // It may fail before anything awaits it.
    statement.catch(() => {})
    this.#sent.push(statement)
  }

  /**
   * Resolves after everything that was sent.
   *
   * @throws The error of the statement that failed first: it is the cause of the others.
   */
  async done(): Promise<void> {
    const ends = await Promise.allSettled(this.#sent)
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
  }
}

/**
 * Runs work in a transaction over a separate connection. BEGIN and COMMIT do not wait for the answers to what was sent
 * before: PostgreSQL refuses to commit a transaction in which a statement failed.
 *
 * @param pool  A pipelined one.
 * @param options  `isLong`: its statements may take hours, for example to build an index.
 */
export async function transact<T>(
  pool: Pool,
  schema: string,
  work: (connection: Transaction) => Promise<T>,
  { isLong = false }: { isLong?: boolean } = {},
): Promise<T> {
  let isEnded = false
  return await withClient(
    pool,
    async (client) => {
      const transaction = new Transaction(client, schema, isLong ? { mostMs: longestMs } : {})
      transaction.begin()
      if (isLong) transaction.send('SET LOCAL statement_timeout = 0')
      const result = await work(transaction).catch(async (error: unknown) => {
        // A statement that was sent before is the cause.
        if (codeOf(error) === inFailedTransaction) await transaction.done()
        throw error
      })
      const committed = client.query(within(isLong ? longestMs : commitMs, { text: 'COMMIT' }))
      transaction.follow(
        committed.then(({ command }) => {
          isEnded = true
          if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.')
        }),
      )
      await transaction.done()
      return result
    },
    () => isEnded,
  )
}

/**
 * Runs a single statement, which the server stores as a transaction of its own.
 *
 * @param onSent  Called before it is sent: an error before this call means that nothing was stored.
 * @returns Its only row, if it has one.
 */
export async function runSingle<Row>(
  pool: Pool,
  schema: string,
  text: string,
  values: readonly unknown[],
  onSent: () => void,
): Promise<Row | undefined> {
  return await withClient(
    pool,
    async (client) => {
      onSent()
      const [row] = await new Connection(client, schema, { mostMs: singleMs }).run<Row>(text, values)
      return row
    },
    () => true,
  )
}

/** Runs work in a transaction, and rolls it back. */
export async function tryOut(
  pool: Pool,
  schema: string,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  await withClient(pool, async (client) => {
    await client.query('BEGIN')
    await work(new Connection(client, schema))
    await client.query('ROLLBACK')
  })
}

/** @param isEnded  Whether the transaction has already ended when `work` fails; if not, it is rolled back. Default: not. */
async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  isEnded = (): boolean => false,
): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    return await work(client)
  } catch (error) {
    isBroken = isLost(error) || !(isEnded() || (await client.query('ROLLBACK').then(Boolean, () => false)))
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** How long to wait for the answers to COMMIT and the statements sent before it, before the outcome is looked up. */
const commitMs = 10_000
/** The same for a single statement. It is longer than the server lets a statement run, so that the server's answer comes first. */
const singleMs = 10_500
/** How long a statement waits for a connection. */
const patienceMs = 30_000
const longestMs = 24 * 60 * 60_000
const inFailedTransaction = '25P02'

/** A statement with another timeout; undefined for that of the pool. The driver's types lack this member. */
export function within(
  ms: number | undefined,
  statement: QueryConfig,
): QueryConfig & { query_timeout?: number } {
  return ms === undefined ? statement : { ...statement, query_timeout: ms }
}

const same = (error: unknown): unknown => error

const names = new Map<string, string>()

/** The name of a prepared statement, which is at most 63 bytes long. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}
