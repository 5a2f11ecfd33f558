import type { Pool } from 'pg'
import { clearInterval, monotonicNow, setInterval } from '../../core/machine.ts'
import { type Blobs, maxInlineBytes } from './blobs.ts'
import type { Connection } from './connection.ts'
import { databaseFault } from './faults.ts'
import type { Follower } from './follower.ts'
import { tryToLead } from './leadership.ts'
import type { Listening } from './listening.ts'
import { type Membership, renewalMs } from './membership.ts'
import { transact } from './transaction.ts'
import { Trouble } from './trouble.ts'

interface UpkeepDeps {
  readonly pool: Pool
  readonly schema: string
  /** A connection of the same pool. */
  readonly sql: Connection
  readonly membership: Membership
  readonly follower: Follower
  readonly listening: Listening
  readonly blobs: Blobs
  readonly onNotice: (text: string) => void
}

/**
 * The periodic work of an instance. It renews its lease, reads commits whose notification it missed, becomes the
 * leader if there is none, and as the leader removes what is no longer used.
 */
export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #looks: ReturnType<typeof setInterval>
  readonly #cleanings: ReturnType<typeof setInterval>
  readonly trouble: Trouble
  #looking: Promise<void> | null = null
  #cleaning: Promise<void> | null = null
  #renewedAt: number = monotonicNow()
  #isEnding = false

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
    this.trouble = new Trouble(deps.onNotice)
    this.#looks = setInterval(() => void this.run(), lookMs)
    this.#cleanings = setInterval(() => {
      this.#cleaning ??= this.#clean().finally(() => (this.#cleaning = null))
    }, cleaningMs)
  }

  /** Notes a stored transaction, which also renewed the lease. */
  stored(): void {
    this.#renewedAt = monotonicNow()
    // On a full disk, a small transaction may still fit.
    if (this.trouble.fault?.code !== 'store_full') this.trouble.end()
  }

  /** Does what is due. Never rejects. */
  run(): Promise<void> {
    if (this.#isEnding) return Promise.resolve()
    return (this.#looking ??= this.#runOnce().finally(() => (this.#looking = null)))
  }

  async #runOnce(): Promise<void> {
    const { pool, schema, sql, membership, follower, listening } = this.#deps
    const { trouble } = this
    try {
      if (trouble.fault || monotonicNow() - this.#renewedAt >= renewalMs) {
        this.#renewedAt = monotonicNow()
        // Other instances may have removed the row.
        if (membership.mayJoin) await membership.join(sql)
        membership.lease.renewed(await membership.renew(sql))
        if (trouble.fault?.code === 'store_full') await transact(pool, schema, tryToStore)
        trouble.end()
      }
      await listening.connect()
      await tryToLead(membership, pool, schema, () => !this.#isEnding)
    } catch (error) {
      trouble.note(databaseFault(error))
    }
    await follower.look()
  }

  /** Removes bytes and changes that are no longer used. */
  async #clean(): Promise<void> {
    const { sql, blobs, membership, onNotice } = this.#deps
    if (this.trouble.fault || !membership.lease.isMine()) return
    try {
      let more = true
      while (more && !this.#isEnding) more = await blobs.clean()
      await membership.clean(sql)
      await sql.run(
        `DELETE FROM ${sql.name('changes')} WHERE seq <= (SELECT seq FROM ${sql.name('localpost')}) - ${keptChanges}`,
      )
    } catch (error) {
      onNotice(`Removing what is no longer used from the database failed: ${databaseFault(error).message}`)
    }
  }

  /** Stops, and waits for running work. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#looks)
    clearInterval(this.#cleanings)
    await this.#looking
    await this.#cleaning
  }
}

/**
 * Stores as many bytes as the largest blob in one piece, and removes them.
 *
 * @throws What the driver throws if there is no space.
 */
async function tryToStore(sql: Connection): Promise<void> {
  const id = crypto.randomUUID()
  await sql.run(
    `INSERT INTO ${sql.name('blobs')} (partition, owner, name, collection, size, bytes)
     VALUES ('', $1, '', '', 0, decode(repeat('00', ${maxInlineBytes}), 'hex'))`,
    [id],
  )
  await sql.run(`DELETE FROM ${sql.name('blobs')} WHERE partition = '' AND owner = $1 AND name = ''`, [id])
}

/** How often to look for commits that no notification announced, and to try a database again that does not answer. */
const lookMs = 500
const cleaningMs = 60_000
/** How many changes are kept. An instance that missed more reads everything again. */
const keptChanges = 20_000
