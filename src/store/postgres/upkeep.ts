import type { Pool } from 'pg'
import type { LocalpostError } from '../../core/errors.ts'
import { clearInterval, monotonicNow, setInterval } from '../../core/machine.ts'
import type { Blobs } from './blobs.ts'
import { type Connection, transact } from './connection.ts'
import { databaseFault } from './faults.ts'
import type { Follower } from './follower.ts'
import type { Listening } from './listening.ts'
import { type Membership, renewalMs } from './membership.ts'

interface UpkeepDeps {
  readonly pool: Pool
  readonly schema: string
  /** Of the same pool. */
  readonly sql: Connection
  readonly membership: Membership
  readonly follower: Follower
  readonly listening: Listening
  readonly blobs: Blobs
  readonly onNotice: (text: string) => void
}

/**
 * What an instance does at intervals: it says that it lives, looks for commits of others whose call it missed, takes the turn
 * where no other instance has it, and removes what is no longer used while it has it.
 */
export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #looks: ReturnType<typeof setInterval>
  readonly #cleanings: ReturnType<typeof setInterval>
  #trouble: LocalpostError | null = null
  #looking: Promise<void> | null = null
  #cleaning: Promise<void> | null = null
  #renewed: number = monotonicNow()
  #isEnding = false

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
    this.#looks = setInterval(() => void this.look(), lookMs)
    this.#cleanings = setInterval(() => {
      this.#cleaning ??= this.#clean().finally(() => (this.#cleaning = null))
    }, cleaningMs)
  }

  /** Why the database could not be used when it was tried last. */
  get trouble(): LocalpostError | null {
    return this.#trouble
  }

  /** Takes note of a failed transaction. */
  note(fault: LocalpostError): void {
    if (fault.code !== 'service_unavailable') return
    if (this.#trouble?.message !== fault.message) this.#deps.onNotice(fault.message)
    this.#trouble = fault
  }

  /** Takes note of a transaction that was stored. */
  stored(): void {
    this.#trouble = null
    this.#renewed = monotonicNow()
  }

  /** Does what is due. Never rejects. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = null)))
  }

  async #look(): Promise<void> {
    const { sql, membership, follower, listening, onNotice } = this.#deps
    try {
      if (this.#trouble || monotonicNow() - this.#renewed >= renewalMs) {
        this.#renewed = monotonicNow()
        membership.renewed(await membership.renew(sql))
        if (this.#trouble) onNotice('The database answers again.')
        this.#trouble = null
      }
      await listening.connect()
      if (await membership.mayTakeTurn(sql)) await this.#takeTurn()
    } catch (error) {
      this.note(databaseFault(error))
    }
    await follower.look()
  }

  async #takeTurn(): Promise<void> {
    const { pool, schema, membership } = this.#deps
    if (this.#isEnding) return
    const since = monotonicNow()
    const isTaken = await transact(pool, schema, (connection) => membership.takeTurn(connection))
    if (isTaken) membership.began(since)
  }

  /** Removes bytes and changes that are no longer used. */
  async #clean(): Promise<void> {
    const { sql, blobs, membership, onNotice } = this.#deps
    if (this.#trouble || !membership.isMine()) return
    try {
      while (!this.#isEnding && (await blobs.clean()));
      await sql.run(
        `DELETE FROM ${sql.name('changes')} WHERE seq <= (SELECT seq FROM ${sql.name('localpost')}) - ${keptChanges}`,
      )
    } catch (error) {
      onNotice(`Removing what is no longer used from the database failed: ${databaseFault(error).message}`)
    }
  }

  /** Ends it, and waits for what runs. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#looks)
    clearInterval(this.#cleanings)
    await this.#looking
    await this.#cleaning
  }
}

/** How often commits are looked for that no call announced, and a database that does not answer is tried again. */
const lookMs = 500
const cleaningMs = 60_000
/** An instance that is behind by more reads everything again. */
const keptChanges = 20_000
