import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { isLost } from './faults.ts'

/** Runs statements over one connection, or over any of a pool. */
export class Connection {
  readonly #client: Pool | PoolClient
  readonly #schema: string
  readonly #toError: (error: unknown) => unknown

  /**
   * @param schema  Of the store's tables; a name that needs no escaping in quotes.
   * @param toError  Makes what `run` throws of what the driver threw. Default: the same.
   */
  constructor(client: Pool | PoolClient, schema: string, toError: (error: unknown) => unknown = same) {
    this.#client = client
    this.#schema = schema
    this.#toError = toError
  }

  /** The name of a table of the store in SQL. */
  name(table: string): string {
    return `"${this.#schema}"."${table}"`
  }

  /**
   * Runs one statement.
   *
   * @param values  Of `$1` and so on. Arrays are given by `texts`, `numbers` and `bytes`.
   * @param options  `isLasting`: the statement is one of few, and kept prepared. Default: true.
   */
  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
    { isLasting = true }: { isLasting?: boolean } = {},
  ): Promise<Row[]> {
    try {
      const name = isLasting ? nameOf(text) : undefined
      const { rows } = await this.#client.query({ text, values: [...values], name })
      return rows as Row[]
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** An array of texts, as a parameter that the statement casts: `$1::text[]`. */
  texts(list: readonly (string | null)[]): string {
    return arrayOf(list, (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`)
  }

  numbers(list: readonly (number | null)[]): string {
    return arrayOf(list, String)
  }

  bytes(list: readonly (Buffer | null)[]): string {
    return arrayOf(list, (bytes) => `"\\\\x${bytes.toString('hex')}"`)
  }
}

/** Runs work in a transaction over a connection of its own. */
export async function transact<T>(
  pool: Pool,
  schema: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query('BEGIN')
    const result = await work(new Connection(client, schema))
    await client.query('COMMIT')
    return result
  } catch (error) {
    isBroken = isLost(error) || !(await client.query('ROLLBACK').then(Boolean, () => false))
    throw error
  } finally {
    client.release(isBroken)
  }
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

function arrayOf<T>(list: readonly (T | null)[], write: (item: T) => string): string {
  return `{${list.map((item) => (item === null ? 'NULL' : write(item))).join(',')}}`
}
