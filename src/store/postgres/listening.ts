import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { monotonicNow } from '../../core/machine.ts'
import { within } from './connection.ts'

/** The channel on which the instances of a schema notify each other. */
export function channelOf(schema: string): string {
  // A name of PostgreSQL has at most 63 bytes.
  return `localpost_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
}

/**
 * The payload when a leader resigns; after a commit it is the id of the instance. It must not change: other versions
 * may listen too.
 */
export const resignedPayload = 'turn'

/** Listens for notifications of other instances over its own connection. */
export class Listening {
  readonly #pool: Pool
  readonly #channel: string
  readonly #onNotification: (hasResigned: boolean) => void
  readonly #instance: string
  /** The connection that listens; null if there is none. `drop` may be called again. */
  #connection: { readonly client: PoolClient; drop(): void } | null = null
  #checked = 0
  #isClosed = false

  /**
   * @param instance  The id of this instance, whose own notifications are ignored.
   * @param onNotification  Called after another instance stored something; with true after the leader resigned.
   */
  constructor(pool: Pool, schema: string, instance: string, onNotification: (hasResigned: boolean) => void) {
    this.#pool = pool
    this.#channel = channelOf(schema)
    this.#instance = instance
    this.#onNotification = onNotification
  }

  /**
   * Connects if there is no connection. An existing connection is checked every ten seconds.
   *
   * @returns Whether notifications may have been missed before.
   * @throws What the driver throws.
   */
  async connect(): Promise<boolean> {
    if (this.#isClosed) return false
    if (this.#connection) {
      await this.#check(this.#connection.client)
      return false
    }
    const client = await this.#pool.connect()
    // The connection can be lost before LISTEN has succeeded.
    let isDropped = false
    const drop = (): void => {
      if (isDropped) return
      isDropped = true
      if (this.#connection?.client === client) this.#connection = null
      client.removeListener('error', drop)
      // It may still fail while it ends. An error without a listener would end the process.
      client.on('error', () => {})
      client.release(true)
    }
    client.on('error', drop)
    client.on('notification', ({ payload }) => {
      if (payload !== this.#instance) this.#onNotification(payload === resignedPayload)
    })
    try {
      await client.query(`LISTEN "${this.#channel}"`)
    } catch (error) {
      drop()
      throw error
    }
    if (this.#isClosed) drop()
    if (isDropped) return false
    this.#connection = { client, drop }
    this.#checked = monotonicNow()
    return true
  }

  /** Drops a half-open connection, which would receive no more notifications. */
  async #check(client: PoolClient): Promise<void> {
    if (monotonicNow() - this.#checked < checkIntervalMs) return
    this.#checked = monotonicNow()
    try {
      await client.query(within(checkTimeoutMs, { text: 'SELECT 1' }))
    } catch {
      // The next call connects.
      if (this.#connection?.client === client) this.#connection.drop()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.drop()
  }
}

const checkIntervalMs = 10_000
const checkTimeoutMs = 3000
