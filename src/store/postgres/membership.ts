import { LocalpostError } from '../../core/errors.ts'
import { dateNow, monotonicNow } from '../../core/machine.ts'
import { lookUp } from '../lock/judge.ts'
import { lockText, parseHolder } from '../lock/lock-file.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import type { Turn } from '../store.ts'
import type { Connection } from './connection.ts'
import { turnCall } from './listening.ts'

/** How often an instance says that it lives, where it stores nothing. */
export const renewalMs = 3000
/** How long an instance that does not say so keeps the turn. */
const leaseMs = 10_000
/** An instance counts its own turn as over this long before the others do. */
const marginMs = 2000

/**
 * By both clocks of the machine, in milliseconds. One stands still while the machine is suspended, the other one can be set.
 */
export interface Moment {
  readonly elapsed: number
  readonly wall: number
}

const never: Moment = { elapsed: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }
const momentNow = (): Moment => ({ elapsed: monotonicNow(), wall: dateNow() })

/**
 * One of the instances that use a schema. Each has a row, which it renews every few seconds and with each transaction. One of
 * them has the turn: it does the work in the background for all. If its process ends, or does not renew its row in time,
 * another one takes the turn.
 */
export class Membership implements Turn {
  /** Which instance this is. */
  readonly id: string = crypto.randomUUID()
  readonly #processes: Processes
  readonly #now: () => Moment
  readonly #listeners: Set<() => void> = new Set()
  #holder = ''
  #hasTurn = false
  /** When the last renewal that was stored began. */
  #renewed: Moment = never

  constructor(processes: Processes = systemProcesses, now: () => Moment = momentNow) {
    this.#processes = processes
    this.#now = now
  }

  isMine(): boolean {
    const { elapsed, wall } = this.#now()
    // Of two clocks that disagree, the one counts by which more time has passed.
    const age = Math.max(elapsed - this.#renewed.elapsed, wall - this.#renewed.wall)
    return this.#hasTurn && age < leaseMs - marginMs
  }

  /** The time by this instance's clocks. */
  now(): Moment {
    return this.#now()
  }

  onMine(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether an instance has the turn that is not known to have ended. */
  async #others(connection: Connection): Promise<boolean> {
    const [found] = await connection.run<{ id: string; holder: string; lives: boolean }>(
      `SELECT id, holder, until > clock_timestamp() AS lives FROM ${connection.name('instances')} WHERE has_turn`,
    )
    if (!found || found.id === this.id || !found.lives) return false
    const holder = parseHolder(found.holder)
    return !holder || (await lookUp(holder, this.#processes)) !== 'gone'
  }

  /** The other instances that renewed their rows in time, each as the process and its host. */
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

  /** Makes the row of this instance, and removes those of instances that ended long ago. */
  async join(connection: Connection): Promise<void> {
    this.#holder = await lockText(this.#processes, null)
    const table = connection.name('instances')
    await connection.run(`DELETE FROM ${table} WHERE until < clock_timestamp() - interval '1 day'`)
    await this.renew(connection)
  }

  /**
   * Renews the row, as far as the transaction that this is part of is stored: call `renewed` then.
   *
   * @param batch  The number of that transaction.
   * @returns When it began, for `renewed`.
   * @throws service_unavailable if another instance took the turn: what is under way may be done twice, and is not stored.
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
    if (!this.#hasTurn || row?.has_turn) return began
    this.#hasTurn = false
    throw new LocalpostError(
      'service_unavailable',
      'Another instance took over the work in the background, because this one did not answer for some seconds. Nothing was stored. Try again.',
      { headers: { 'retry-after': '1' } },
    )
  }

  /** Says that a renewal was stored. */
  renewed(began: Moment): void {
    const wasMine = this.isMine()
    if (began.elapsed > this.#renewed.elapsed) this.#renewed = began
    if (!wasMine && this.isMine()) for (const listener of this.#listeners) listener()
  }

  /** The number of the last transaction that was stored. Waits for one that still runs. */
  async lastBatch(connection: Connection): Promise<number> {
    const [row] = await connection.run<{ batch: number }>(
      `SELECT batch::float8 AS batch FROM ${connection.name('instances')} WHERE id = $1 FOR UPDATE`,
      [this.id],
    )
    return row?.batch ?? 0
  }

  /** Whether the turn may be taken. */
  async mayTakeTurn(connection: Connection): Promise<boolean> {
    return !this.#hasTurn && !(await this.#others(connection))
  }

  /** Renews the row, and takes the turn if no other instance has it, in a transaction of its own. Call `began` once that is stored. @returns Whether it did. */
  async takeTurn(connection: Connection): Promise<boolean> {
    const table = connection.name('instances')
    // Of several that try at once, the others wait here, and find the turn taken. Nothing of the table may be locked before:
    // two that hold a row would wait for each other.
    await connection.run(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
    await this.renew(connection)
    if (await this.#others(connection)) return false
    await connection.run(`UPDATE ${table} SET has_turn = (id = $1) WHERE has_turn OR id = $1`, [this.id])
    return true
  }

  /** Says that the turn that this instance took was stored. */
  began(since: Moment): void {
    this.#hasTurn = true
    // It was not renewed for the turn before.
    this.#renewed = never
    this.renewed(since)
  }

  /** Gives the turn back, removes the row, and tells the others. */
  async leave(connection: Connection, channel: string): Promise<void> {
    this.#hasTurn = false
    this.#listeners.clear()
    await connection.run(
      `WITH gone AS (DELETE FROM ${connection.name('instances')} WHERE id = $1 RETURNING has_turn)
       SELECT pg_notify($2, $3) FROM gone WHERE has_turn`,
      [this.id, channel, turnCall],
    )
  }
}
