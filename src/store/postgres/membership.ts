import { LocalpostError } from '../../core/errors.ts'
import { sleep } from '../../core/machine.ts'
import { lookUp } from '../lock/judge.ts'
import { lockText, parseHolder } from '../lock/lock-file.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import type { Connection } from './connection.ts'
import { Lease, leaseMs, type Moment, momentNow, type Renewal } from './lease.ts'
import { resignedPayload } from './listening.ts'
import type { Parameters } from './parameters.ts'

/** How often an idle instance renews its row, in milliseconds. */
export const renewalMs = 3000
/**
 * How long an instance waits after it joined, until no other relies on being alone ({@link Lease.knowsAll}). Later
 * versions must not wait less.
 */
const enteringMs = 300
/** How long the row of an instance stays after its lease has expired. */
const keptMs = 60_000

/** When a lease that is renewed now expires, in SQL. */
const untilNext = `clock_timestamp() + interval '${leaseMs} milliseconds'`

/** Whether no other instance has a row, in SQL, for the row `own`. @param table  The table of instances. */
const isAlone = (table: string): string => `NOT EXISTS (SELECT FROM ${table} other WHERE other.id <> own.id)`

/**
 * The row of this instance, one of those that use a schema. Each renews its row every few seconds and with each transaction. One
 * instance at a time is the leader, which does the background work for all. If its process ends, or does not renew its row in
 * time, another instance becomes the leader. The column `has_turn` marks the row of the leader.
 *
 * An instance that has the only row need not look for commits of others. It knows this for a moment after each renewal, so
 * others wait that long between adding their row and their first commit.
 *
 * To store a batch of commits, the writer goes through these steps, one batch at a time:
 * 1. {@link Membership.enter}, outside of a transaction;
 * 2. {@link Membership.nextBatch} gives each attempt to store it a number;
 * 3. either one statement with {@link Membership.renewalPart} in it, or a transaction in which {@link Membership.renew} comes
 *    first, and {@link Membership.assertIn} after its answer;
 * 4. if the commit got no answer, {@link Membership.settle} says whether it was stored;
 * 5. once it is stored, `lease.renewed` with that renewal.
 */
export class Membership {
  readonly id: string = crypto.randomUUID()
  readonly lease: Lease
  readonly #processes: Processes
  /** The process of this instance, as its row has it; empty before the first {@link Membership.join}. */
  #holder = ''
  /**
   * Whether all others know of the row. Only `enter` sets it, after the wait; a renewal that finds no row resets it: a
   * row added later is a new one.
   */
  #isIn = false
  /** The joining and the wait of {@link Membership.enter}, for all its callers; null when it does not run. */
  #entering: Promise<void> | null = null
  /** Resolves when the statement that adds the row has ended. */
  #adding: Promise<unknown> = Promise.resolve()
  /** The last number that was used for a batch, for adding the row or for ruling a batch out. It only grows. */
  #batch = 0

  constructor(processes: Processes = systemProcesses, now: () => Moment = momentNow) {
    this.#processes = processes
    this.lease = new Lease(now)
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
    this.lease.renewed(renewal)
    if (renewal.lastAlone === null) await sleep(enteringMs)
    this.#isIn = true
  }

  /** Whether `join` may add the row now: not when the others know it, and not while `enter` runs, which waits until they do. */
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
   * Renews the row as part of the caller's transaction.
   *
   * @param batch  The number of the transaction, if it stores commits.
   * @returns What to give to {@link Lease.renewed} after the commit.
   * @throws service_unavailable if another instance became the leader, or the row was removed. Others may do the same work, so
   *   the transaction must not be committed.
   */
  async renew(connection: Connection, batch = 0): Promise<Renewal> {
    const began = this.lease.now()
    const table = connection.name('instances')
    const [row] = await connection.run<{ has_turn: boolean; last_alone: number | null }>(
      `UPDATE ${table} own SET until = ${untilNext}, batch = greatest(batch, $2) WHERE id = $1
       RETURNING has_turn, (
         SELECT seq::float8 FROM ${connection.name('localpost')}
         WHERE ${isAlone(table)}
       ) AS last_alone`,
      [this.id, batch],
    )
    if (!row) this.#isIn = false
    if (row && (row.has_turn || !this.lease.isLeader)) return { began, lastAlone: row.last_alone }
    this.lease.lost()
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
  renewalPart(connection: Connection, batch: number, parameters: Parameters): string {
    const table = connection.name('instances')
    const number = parameters.add(batch, 'int8')
    // Without the row that counts commits, as in a restore that is not complete, nothing may say that the batch was stored.
    return `UPDATE ${table} own SET until = ${untilNext}, batch = ${number}
       WHERE id = ${parameters.add(this.id, 'text')} AND batch < ${number}
       AND (has_turn OR NOT ${parameters.add(this.lease.isLeader, 'bool')})
       AND EXISTS (SELECT FROM ${connection.name('localpost')})
       RETURNING ${isAlone(table)} AS is_alone`
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
    for (const { holder } of rows)
      if (await this.mayRun(holder)) names.push(describeHolder(holder, 'another instance'))
    return names
  }

  /** Whether the process of an instance may still be running. */
  async mayRun(holder: string): Promise<boolean> {
    const process = parseHolder(holder)
    return !process || (await lookUp(process, this.#processes)) !== 'gone'
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
    this.lease.end()
    // A row that is added later would stay.
    await this.#adding
    await connection.run(
      `WITH gone AS (DELETE FROM ${connection.name('instances')} WHERE id = $1 RETURNING has_turn)
       SELECT pg_notify($2, $3) FROM gone WHERE has_turn`,
      [this.id, channel, resignedPayload],
    )
  }
}

/** The process of an instance, for people. @param holder  As its row has it. @param unknown  Its name if that is not readable. */
export function describeHolder(holder: string, unknown = 'an unknown process'): string {
  const process = parseHolder(holder)
  return process ? `process ${process.pid} on the host ${JSON.stringify(process.host)}` : unknown
}

function lateError(consequence: string): LocalpostError {
  return new LocalpostError(
    'service_unavailable',
    `This instance did not renew its lease in time, so ${consequence}. Nothing was stored. Try again.`,
    { headers: { 'retry-after': '1' } },
  )
}

const removedError = (): LocalpostError => lateError('the others removed it from their list')
