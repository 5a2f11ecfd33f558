import type { Pool, PoolClient } from 'pg'
import { codeOf } from '../../core/errors.ts'
import { isLost } from './faults.ts'
import { Connection, within } from './connection.ts'

/** A connection with a transaction, which `begin` opens before anything else is sent. */
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

  /** Resolves after everything that was sent. @throws The error of the statement that failed first, the cause of the others. */
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
      const transaction = new Transaction(client, schema, isLong ? { timeoutMs: longestMs } : {})
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
      const [row] = await new Connection(client, schema, { timeoutMs: singleMs }).run<Row>(text, values)
      return row
    },
    () => true,
  )
}

/** @param isEnded  Whether the transaction has already ended when `work` fails; if not, it is rolled back. */
async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  isEnded: () => boolean,
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
/**
 * The same for a single statement. It is longer than the server lets a statement run, so that the server's answer comes
 * first.
 */
const singleMs = 10_500

/** Building the indexes of a large database may take hours. */
const longestMs = 24 * 60 * 60_000
/** The SQLSTATE of a statement after one that failed in the same transaction. */
const inFailedTransaction = '25P02'
