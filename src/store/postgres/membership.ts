import { LocalpostError } from '../../core/errors.ts'
import { dateNow, monotonicNow } from '../../core/machine.ts'
import { lookUp } from '../lock/judge.ts'
import { lockText, parseHolder } from '../lock/lock-file.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import type { Leadership } from '../store.ts'
import type { Connection } from './connection.ts'
import { resignedCall } from './listening.ts'

/** How often an idle instance renews its row, in milliseconds. */
export const renewalMs = 3000
/** How long an instance remains the leader without a renewal. */
const leaseMs = 10_000
/** How much earlier than the others a leader considers its own lease expired. */
const marginMs = 2000

/**
 * A time by both clocks of the machine, in milliseconds: `elapsed` stops while the machine is suspended, `wall` can be
 * set.
 */
export interface Moment {
  readonly elapsed: number
  readonly wall: number
}

const never: Moment = { elapsed: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }
const momentNow = (): Moment => ({ elapsed: monotonicNow(), wall: dateNow() })

/**
 * One of the instances that use a schema. Each has a row, which it renews every few seconds and with each transaction. One
 * instance at a time is the leader, which does the background work for all. If its process ends, or does not renew its row in
 * time, another instance becomes the leader. The column `has_turn` marks the row of the leader.
 */
export class Membership implements Leadership {
  /** The id of this instance. */
  readonly id: string = crypto.randomUUID()
  readonly #processes: Processes
  readonly #now: () => Moment
  readonly #listeners: Set<() => void> = new Set()
  #holder = ''
  #isLeader = false
  /** The beginning of the last stored renewal. */
  #renewed: Moment = never

  constructor(processes: Processes = systemProcesses, now: () => Moment = momentNow) {
    this.#processes = processes
    this.#now = now
  }

  isMine(): boolean {
    const { elapsed, wall } = this.#now()
    // If the clocks disagree, the longer time counts.
    const age = Math.max(elapsed - this.#renewed.elapsed, wall - this.#renewed.wall)
    return this.#isLeader && age < leaseMs - marginMs
  }

  /** The time by this instance's clocks. */
  now(): Moment {
    return this.#now()
  }

  onMine(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether another instance is the leader and may still be running. */
  async #isHeldElsewhere(connection: Connection): Promise<boolean> {
    const [found] = await connection.run<{ id: string; holder: string; lives: boolean }>(
      `SELECT id, holder, until > clock_timestamp() AS lives FROM ${connection.name('instances')} WHERE has_turn`,
    )
    if (!found || found.id === this.id || !found.lives) return false
    const holder = parseHolder(found.holder)
    return !holder || (await lookUp(holder, this.#processes)) !== 'gone'
  }

  /** The other running instances, each described by its process and host, for an error message. */
  async others(connection: Connection): Promise<string[]> {
    const rows = await connection.run<{ holder: string }>(
      `SELECT holder FROM ${connection.name('instances')} WHERE until > clock_timestamp() AND id <> $1`,
      [this.id],
    )
    const names: string[] = []
    for (const { holder } of rows) {
      const known = parseHolder(holder)
      if (known && (await lookUp(known, this.#processes)) === 'gone') continue
      names.push(
        known ? `process ${known.pid} on the host ${JSON.stringify(known.host)}` : 'another instance',
      )
    }
    return names
  }

  /** Adds the row of this instance, and removes those of instances that ended long ago. */
  async join(connection: Connection): Promise<void> {
    this.#holder = await lockText(this.#processes, null)
    const table = connection.name('instances')
    await connection.run(`DELETE FROM ${table} WHERE until < clock_timestamp() - interval '1 day'`)
    await this.renew(connection)
  }

  /**
   * Renews the row as part of the caller's transaction. Call {@link Membership.renewed} after its commit.
   *
   * @param batch  The number of the transaction.
   * @returns The time before the renewal, for `renewed`.
   * @throws service_unavailable if another instance became the leader. It may do the same work, so the transaction must not be
   *   committed.
   */
  async renew(connection: Connection, batch = 0): Promise<Moment> {
    const began = this.#now()
    const [row] = await connection.run<{ has_turn: boolean }>(
      `INSERT INTO ${connection.name('instances')} AS stored (id, holder, batch, until)
       VALUES ($1, $2, $3, clock_timestamp() + interval '${leaseMs} milliseconds')
       ON CONFLICT (id) DO UPDATE SET until = excluded.until, batch = greatest(stored.batch, excluded.batch)
       RETURNING has_turn`,
      [this.id, this.#holder, batch],
    )
    if (!this.#isLeader || row?.has_turn) return began
    this.#isLeader = false
    throw new LocalpostError(
      'service_unavailable',
      'Another instance took over the work in the background, because this one did not answer for some seconds. Nothing was stored. Try again.',
      { headers: { 'retry-after': '1' } },
    )
  }

  /** Call after a renewal was committed. */
  renewed(began: Moment): void {
    const wasMine = this.isMine()
    if (began.elapsed > this.#renewed.elapsed) this.#renewed = began
    if (!wasMine && this.isMine()) for (const listener of this.#listeners) listener()
  }

  /** The number of this instance's last committed transaction. Waits for one that is still running. */
  async lastBatch(connection: Connection): Promise<number> {
    const [row] = await connection.run<{ batch: number }>(
      `SELECT batch::float8 AS batch FROM ${connection.name('instances')} WHERE id = $1 FOR UPDATE`,
      [this.id],
    )
    return row?.batch ?? 0
  }

  /** Whether this instance may become the leader. */
  async mayLead(connection: Connection): Promise<boolean> {
    return !this.#isLeader && !(await this.#isHeldElsewhere(connection))
  }

  /**
   * Renews the row, and makes this instance the leader if no other one is. Needs a transaction of its own. Call
   * {@link Membership.began} after that transaction was committed.
   *
   * @returns Whether this instance is the leader now.
   */
  async lead(connection: Connection): Promise<boolean> {
    const table = connection.name('instances')
    // If several instances try at once, all but one wait here and then find a leader. The transaction must not lock
    // rows before this: two instances that hold a row each would wait for each other.
    await connection.run(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
    await this.renew(connection)
    if (await this.#isHeldElsewhere(connection)) return false
    await connection.run(`UPDATE ${table} SET has_turn = (id = $1) WHERE has_turn OR id = $1`, [this.id])
    return true
  }

  /** Call after the transaction in which this instance became the leader was committed. */
  began(since: Moment): void {
    this.#isLeader = true
    // Earlier renewals were not those of a leader, and listeners must be called.
    this.#renewed = never
    this.renewed(since)
  }

  /** Removes the row. If this instance is the leader, notifies the others that it resigned. */
  async leave(connection: Connection, channel: string): Promise<void> {
    this.#isLeader = false
    this.#listeners.clear()
    await connection.run(
      `WITH gone AS (DELETE FROM ${connection.name('instances')} WHERE id = $1 RETURNING has_turn)
       SELECT pg_notify($2, $3) FROM gone WHERE has_turn`,
      [this.id, channel, resignedCall],
    )
  }
}
