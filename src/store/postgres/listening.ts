import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/** The channel on which the instances of a schema call each other. */
export function channelOf(schema: string): string {
  // A name of PostgreSQL has at most 63 bytes.
  return `localpost_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
}

/** What an instance calls that gives the turn back; after a commit it calls its id. */
export const turnCall = 'turn'

/** Hears calls of other instances over a connection of its own. */
export class Listening {
  readonly #pool: Pool
  readonly #channel: string
  readonly #onCall: (isTurn: boolean) => void
  readonly #instance: string
  #client: PoolClient | null = null
  #isClosed = false

  /**
   * @param instance  Which instance this is; its own calls are not heard.
   * @param onCall  Called after another instance stored something; with true after one gave the turn back.
   */
  constructor(pool: Pool, schema: string, instance: string, onCall: (isTurn: boolean) => void) {
    this.#pool = pool
    this.#channel = channelOf(schema)
    this.#instance = instance
    this.#onCall = onCall
  }

  /** Connects, unless it is connected. @returns Whether calls may have been missed before. @throws what the driver throws. */
  async connect(): Promise<boolean> {
    if (this.#client || this.#isClosed) return false
    const client = await this.#pool.connect()
    const drop = (): void => {
      if (this.#client === client) this.#client = null
      client.release(true)
    }
    client.once('error', drop)
    client.on('notification', ({ payload }) => {
      if (payload !== this.#instance) this.#onCall(payload === turnCall)
    })
    try {
      await client.query(`LISTEN "${this.#channel}"`)
    } catch (error) {
      client.off('error', drop)
      client.on('error', () => {})
      client.release(true)
      throw error
    }
    this.#client = client
    return true
  }

  close(): void {
    this.#isClosed = true
    const client = this.#client
    this.#client = null
    client?.removeAllListeners('error')
    client?.on('error', () => {})
    client?.release(true)
  }
}
