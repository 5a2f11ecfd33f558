import { LocalpostError } from '../../core/errors.ts'
import { sleep } from '../../core/machine.ts'
import { lookUp } from '../lock/judge.ts'
import { lockText, parseHolder } from '../lock/lock-file.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import type { Leadership } from '../store.ts'
import type { Connection } from './connection.ts'
import { resignedCall } from './listening.ts'
import type { Parameters } from './parameters.ts'
import { type Moment, never, momentNow, timeBetween } from './moment.ts'

/** How often an idle instance renews its row, in milliseconds. */
export const renewalMs = 3000
/** How long an instance remains the leader without a renewal. */
const leaseMs = 10_000
/** How much earlier than the others a leader considers its own lease expired. */
const marginMs = 2000
// Instances of different versions may run at the same time: a later version must not rely on being the only one for longer, nor
// wait for a shorter time.
/** How long after a renewal an instance relies on having been the only one then. */
const aloneMs = 200
/** How long an instance waits after it joined others, until none of them relies on being the only one. */
const enteringMs = 300
/** How long the row of an instance stays after its lease has expired. */
const keptMs = 60_000

const untilNext = `clock_timestamp() + interval '${leaseMs} milliseconds'`

/** A renewal of the row. It counts once it is committed. */
export interface Renewal {
  /** The time before it. */
  readonly began: Moment
  /** The number of the last commit if no other instance had a row; null if one had. */
  readonly lastAlone: number | null
}

/**
 * One of the instances that use a schema. Each has a row, which it renews every few seconds and with each transaction. One
 * instance at a time is the leader, which does the background work for all. If its process ends, or does not renew its row in
 * time, another instance becomes the leader. The column `has_turn` marks the row of the leader.
 *
 * An instance that has the only row need not look for commits of others. It knows this for a moment after each renewal, so
 * others wait that long between adding their row and their first commit.
 */
export class Membership implements Leadership {
  /** The id of this instance. */
  readonly id: string = crypto.randomUUID()
  readonly #processes: Processes
  /** The time by this instance's clocks. */
  readonly now: () => Moment
  readonly #listeners: Set<() => void> = new Set()
  #holder = ''
  #isLeader = false
  /** Whether all other instances know of the row. */
  #isIn = false
  #entering: Promise<void> | null = null
  /** Resolves when the statement that adds the row has ended. */
  #adding: Promise<unknown> = Promise.resolve()
  /** The last stored renewal. */
  #last: Renewal = { began: never, lastAlone: null }
  #batch = 0

  constructor(processes: Processes = systemProcesses, now: () => Moment = momentNow) {
    this.#processes = processes
    this.now = now
  }

  isMine(): boolean {
    return this.#isLeader && timeBetween(this.#last.began, this.now()) < leaseMs - marginMs
  }

  /**
   * Whether `seq` is certainly the number of the last commit that any instance has acknowledged, because this one was the only
   * one at its last renewal, and that was the number then.
   */
  knowsAll(seq: number | null): boolean {
    return seq !== null && seq === this.#last.lastAlone && timeBetween(this.#last.began, this.now()) < aloneMs
  }

  onMine(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds the row of this instance, or renews it. */
  async join(connection: Connection): Promise<void> {
    this.#holder ||= await lockText(this.#processes)
    const adding = connection.run(
      `INSERT INTO ${connection.name('instances')} (id, holder, batch, until) VALUES ($1, $2, $3, ${untilNext})
       ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
      [this.id, this.#holder, ++this.#batch],
    )
    this.#adding = adding.catch(() => {})
    await adding
  }

  /** Waits until all other instances know of this one. Call it before a transaction that stores commits, outside of it. */
  async enter(connection: Connection): Promise<void> {
    if (!this.#isIn)
      await (this.#entering ??= this.#joinAndWait(connection).finally(() => (this.#entering = null)))
  }

  async #joinAndWait(connection: Connection): Promise<void> {
    await this.join(connection)
    // An instance whose row this renewal does not find adds it later, and then finds the row of this instance.
    const renewal = await this.renew(connection)
    this.renewed(renewal)
    if (renewal.lastAlone === null) await sleep(enteringMs)
    this.#isIn = true
  }

  /** Whether the row may be missing. While `enter` runs, nothing else may add it: others would not know of the new row. */
  get mayJoin(): boolean {
    return !this.#isIn && !this.#entering
  }

  /**
   * The number of the next transaction that stores commits. The row has the greatest number that was stored or ruled out, so
   * that an earlier transaction which the server receives late is not stored.
   *
   * @throws service_unavailable if the row may be another one than that of {@link Membership.enter}.
   */
  nextBatch(): number {
    // A row that is added later has a greater number.
    this.assertIn()
    return ++this.#batch
  }

  /**
   * Call it after {@link Membership.renew} in a transaction that stores commits: the row may be another one than that of
   * {@link Membership.enter}.
   *
   * @throws service_unavailable
   */
  assertIn(): void {
    if (!this.#isIn) throw removedError()
  }

  /**
   * Renews the row as part of the caller's transaction. Call {@link Membership.renewed} after its commit.
   *
   * @param batch  The number of the transaction.
   * @returns What to give to `renewed`.
   * @throws service_unavailable if another instance became the leader, or the row was removed. Others may do the same work, so
   *   the transaction must not be committed.
   */
  async renew(connection: Connection, batch = 0): Promise<Renewal> {
    const began = this.now()
    const table = connection.name('instances')
    const [row] = await connection.run<{ has_turn: boolean; last_alone: number | null }>(
      `UPDATE ${table} own SET until = ${untilNext}, batch = greatest(batch, $2) WHERE id = $1
       RETURNING has_turn, (
         SELECT seq::float8 FROM ${connection.name('localpost')}
         WHERE NOT EXISTS (SELECT FROM ${table} other WHERE other.id <> own.id)
       ) AS last_alone`,
      [this.id, batch],
    )
    if (!row) this.#isIn = false
    if (row && (row.has_turn || !this.#isLeader)) return { began, lastAlone: row.last_alone }
    this.#isLeader = false
    throw row ? lateError('another one took over the work in the background') : removedError()
  }

  /**
   * The renewal as a part of one statement that stores a batch. It returns no row if the batch must not be stored: another
   * instance became the leader, the row was removed, or it has a greater number, because it was added again or because
   * {@link Membership.settle} ruled the batch out. Then a transaction says why.
   *
   * @param batch  Of {@link Membership.nextBatch}.
   * @param parameters  Those of the whole statement.
   * @returns A statement with one column, `is_alone`: whether no other instance has a row.
   */
  renewing(connection: Connection, batch: number, parameters: Parameters): string {
    const table = connection.name('instances')
    const number = parameters.add(batch, 'int8')
    // Without the row that counts commits, as in a restore that is not complete, nothing may say that the batch was stored.
    return `UPDATE ${table} own SET until = ${untilNext}, batch = ${number}
       WHERE id = ${parameters.add(this.id, 'text')} AND batch < ${number}
       AND (has_turn OR NOT ${parameters.add(this.#isLeader, 'bool')})
       AND EXISTS (SELECT FROM ${connection.name('localpost')})
       RETURNING NOT EXISTS (SELECT FROM ${table} other WHERE other.id <> own.id) AS is_alone`
  }

  /** Call after a renewal was committed. */
  renewed(renewal: Renewal): void {
    const wasMine = this.isMine()
    if (renewal.began.elapsed > this.#last.began.elapsed) this.#last = renewal
    if (!wasMine && this.isMine()) for (const listener of this.#listeners) listener()
  }

  /**
   * Whether a transaction that got no answer was stored; null if that is not known, because the row was removed. Waits for one
   * that is still running, because that has locked the row. One that the server has not received yet is ruled out: it finds a
   * greater number. Nothing else may be stored meanwhile.
   */
  async settle(connection: Connection, batch: number): Promise<boolean | null> {
    const table = connection.name('instances')
    await connection.run(`UPDATE ${table} SET batch = $3 WHERE id = $1 AND batch < $2`, [
      this.id,
      batch,
      ++this.#batch,
    ])
    const [row] = await connection.run<{ batch: number }>(
      `SELECT batch::float8 AS batch FROM ${table} WHERE id = $1`,
      [this.id],
    )
    // If the row was added again, its number is not that of the last transaction.
    return row && this.#isIn ? row.batch === batch : null
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

  /** Whether this instance may become the leader. */
  async mayLead(connection: Connection): Promise<boolean> {
    return !this.#isLeader && !(await this.#isLedByOther(connection))
  }

  /** Whether another instance is the leader and may still be running. */
  async #isLedByOther(connection: Connection): Promise<boolean> {
    const [found] = await connection.run<{ id: string; holder: string; lives: boolean }>(
      `SELECT id, holder, until > clock_timestamp() AS lives FROM ${connection.name('instances')} WHERE has_turn`,
    )
    if (!found || found.id === this.id || !found.lives) return false
    const holder = parseHolder(found.holder)
    return !holder || (await lookUp(holder, this.#processes)) !== 'gone'
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
    if (await this.#isLedByOther(connection)) return false
    await connection.run(`UPDATE ${table} SET has_turn = (id = $1) WHERE has_turn OR id = $1`, [this.id])
    return true
  }

  /** Call after the transaction in which this instance became the leader was committed. @param since  The time before it. */
  began(since: Moment): void {
    this.#isLeader = true
    // Earlier renewals were not those of a leader, and listeners must be called.
    this.#last = { began: never, lastAlone: null }
    this.renewed({ began: since, lastAlone: null })
  }

  /** Removes the rows of instances that ended long ago. One that wakes up later joins again before it stores anything. */
  async clean(connection: Connection): Promise<void> {
    await connection.run(
      `DELETE FROM ${connection.name('instances')}
       WHERE id <> $1 AND until < clock_timestamp() - interval '${keptMs} milliseconds'`,
      [this.id],
    )
  }

  /** Removes the row. If this instance is the leader, notifies the others that it resigned. */
  async leave(connection: Connection, channel: string): Promise<void> {
    this.#isLeader = false
    this.#listeners.clear()
    // A row that is added later would stay.
    await this.#adding
    await connection.run(
      `WITH gone AS (DELETE FROM ${connection.name('instances')} WHERE id = $1 RETURNING has_turn)
       SELECT pg_notify($2, $3) FROM gone WHERE has_turn`,
      [this.id, channel, resignedCall],
    )
  }
}

function lateError(consequence: string): LocalpostError {
  return new LocalpostError(
    'service_unavailable',
    `This instance did not renew its lease in time, so ${consequence}. Nothing was stored. Try again.`,
    { headers: { 'retry-after': '1' } },
  )
}

const removedError = (): LocalpostError => lateError('the others removed it from their list')
