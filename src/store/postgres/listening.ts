import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { monotonicNow } from '../../core/machine.ts'
import { within } from './connection.ts'

/** The channel on which the instances of a schema call each other. */
export function channelOf(schema: string): string {
  // A name of PostgreSQL has at most 63 bytes.
  return `localpost_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
}

/**
 * What a leader that resigns notifies the others of; after a commit an instance notifies them of its id. Instances of older
 * versions may listen too, so the word stays as it is.
 */
export const resignedCall = 'turn'

/** Listens for notifications of other instances over its own connection. */
export class Listening {
  readonly #pool: Pool
  readonly #channel: string
  readonly #onCall: (hasResigned: boolean) => void
  readonly #instance: string
  #client: PoolClient | null = null
  /** Gives the connection up. */
  #drop: () => void = () => {}
  #checked = 0
  #isClosed = false

  /**
   * @param instance  Which instance this is; its own calls are not heard.
   * @param onCall  Called after another instance stored something; with true after the leader resigned.
   */
  constructor(pool: Pool, schema: string, instance: string, onCall: (hasResigned: boolean) => void) {
    this.#pool = pool
    this.#channel = channelOf(schema)
    this.#instance = instance
    this.#onCall = onCall
  }

  /**
   * Connects, unless it is connected; whether it still is, is looked at every ten seconds.
   *
   * @returns Whether calls may have been missed before.
   * @throws What the driver throws.
   */
  async connect(): Promise<boolean> {
    if (this.#isClosed) return false
    if (this.#client) {
      await this.#check(this.#client)
      return false
    }
    const client = await this.#pool.connect()
    let isDropped = false
    // It can be lost while it begins to listen.
    const drop = (): void => {
      if (isDropped) return
      isDropped = true
      if (this.#client === client) this.#client = null
      client.removeListener('error', drop)
      client.on('error', () => {})
      client.release(true)
    }
    client.on('error', drop)
    client.on('notification', ({ payload }) => {
      if (payload !== this.#instance) this.#onCall(payload === resignedCall)
    })
    try {
      await client.query(`LISTEN "${this.#channel}"`)
    } catch (error) {
      drop()
      throw error
    }
    if (this.#isClosed) drop()
    if (isDropped) return false
    this.#client = client
    this.#drop = drop
    this.#checked = monotonicNow()
    return true
  }

  /** Gives up a connection that is half-open, on which no call comes any more. */
  async #check(client: PoolClient): Promise<void> {
    if (monotonicNow() - this.#checked < checkMs) return
    this.#checked = monotonicNow()
    try {
      await client.query(within(checkedMs, { text: 'SELECT 1' }))
    } catch {
      // The next call connects.
      if (this.#client === client) this.#drop()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
  }
}

const checkMs = 10_000
const checkedMs = 3000
