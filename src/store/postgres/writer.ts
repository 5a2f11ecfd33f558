import type { Pool } from 'pg'
import { LocalpostError } from '../../core/errors.ts'
import { monotonicNow, nextTurn, sleep } from '../../core/machine.ts'
import type { BulkOutcome } from '../bulk.ts'
import type { CommitChange, StoredCommit } from '../change-feed.ts'
import { Connection } from './connection.ts'
import { databaseFault, isLost, isOfValues, isRefusal, unreachable } from './faults.ts'
import { channelOf } from './listening.ts'
import { insertNew, newCommitsOf } from './insert-new.ts'
import type { Renewal } from './lease.ts'
import type { Membership } from './membership.ts'
import type { StagedBlobs } from './blobs.ts'
import type { FlagSetting } from './set-flag.ts'
import { type BulkRowChange, type RowChange, Staging } from './staging.ts'
import { firstOf, type Waiting, withBlobsWritten, type Work } from './waiting.ts'
import { writeBatch } from './write.ts'
import { transact } from './transaction.ts'
import { loadStored, stageAll } from './stage-batch.ts'

interface WriterDeps {
  readonly pool: Pool
  readonly schema: string
  readonly membership: Membership
  /**
   * Called after each transaction that stored something, before its commits are resolved; with null if their numbers are not
   * known. Never rejects.
   */
  onStored(commits: readonly StoredCommit[] | null): Promise<void>
  /** Called when a transaction failed. */
  onFault(fault: LocalpostError): void
}

/** Takes commits in the order of the calls and stores those that wait at the same time in one transaction. */
export class Writer {
  readonly #deps: WriterDeps
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null
  /** How many commits were stored, and how many transactions failed. */
  commits = 0
  failures = 0

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  /** While large blobs are written, the commit keeps its place in the order. */
  commit(partition: string, changes: readonly RowChange[], blobs: StagedBlobs): Promise<void> {
    // The promise may reject before anything awaits it.
    if (blobs instanceof Promise) blobs.catch(() => {})
    return this.#push(partition, { kind: 'commit', changes, blobs })
  }

  /** @param isBulk  Whether listeners get one change for all records. */
  async bulk(partition: string, changes: readonly BulkRowChange[], isBulk: boolean): Promise<BulkOutcome> {
    const outcome: BulkOutcome = { applied: 0, stale: [] }
    await this.#push(partition, { kind: 'bulk', changes, outcome, isBulk })
    return outcome
  }

  /** Sets a flag in records, in a transaction of its own. @param isBulk  As for `bulk`. */
  async setFlag(partition: string, setting: FlagSetting, isBulk: boolean): Promise<BulkOutcome> {
    const outcome: BulkOutcome = { applied: 0, stale: [] }
    await this.#push(partition, { kind: 'flag', setting, outcome, isBulk })
    return outcome
  }

  /** Stores a commit that changes no record but notifies listeners. */
  notify(partition: string, change: CommitChange): Promise<void> {
    return this.#push(partition, { kind: 'notice', change })
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    for (let turn = this.#running; turn; turn = this.#running) await turn
  }

  #push(partition: string, work: Work): Promise<void> {
    const since = monotonicNow()
    const done = new Promise<void>((resolve, reject) =>
      this.#waiting.push({ ...work, partition, since, resolve, reject }),
    )
    this.#running ??= this.#run()
    return done
  }

  async #run(): Promise<void> {
    // Waiting for the next turn of the event loop lets all commits of this turn share one transaction.
    for (await nextTurn(); this.#waiting.length > 0; await nextTurn()) {
      const batch = firstOf(this.#waiting)
      this.#waiting = this.#waiting.slice(batch.length)
      await this.#store(await withBlobsWritten(batch))
    }
    this.#running = null
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return
    const refused: Refused = new Map()
    try {
      const { pool, schema, membership } = this.#deps
      await membership.enter(new Connection(pool, schema))
      const stored = (await this.#insertNew(batch)) ?? (await this.#transact(batch, refused))
      await this.#settle(batch, stored, refused)
    } catch (error) {
      // The content of one commit must not fail the others in its transaction.
      if (batch.length > 1 && isOfValues(error)) {
        for (const one of batch) await this.#store([one])
      } else this.#fail(batch, error, refused)
    }
  }

  /** Answers the commits of a batch that was stored. */
  async #settle(batch: readonly Waiting[], { commits, renewal }: Stored, refused: Refused): Promise<void> {
    if (renewal) this.#deps.membership.lease.renewed(renewal)
    if (commits === null || commits.length > 0) await this.#deps.onStored(commits)
    for (const one of batch) {
      if (refused.has(one)) one.reject(refused.get(one))
      else {
        this.commits++
        one.resolve()
      }
    }
  }

  /** Answers the commits of a batch of which nothing was stored, or of which that is not known. */
  #fail(batch: readonly Waiting[], error: unknown, refused: Refused): void {
    const fault = databaseFault(error)
    this.failures++
    const isUnknown = fault.code === 'store_unknown'
    // What was not sent is certainly not stored.
    const others = isUnknown ? unreachable('a commit got no answer') : fault
    this.#deps.onFault(others)
    // Whether a refused commit was stored is known: it was not.
    for (const one of batch) one.reject(isUnknown && refused.has(one) ? refused.get(one) : fault)
    if (isUnknown || isLost(error)) this.#refuseLate(others)
  }

  /**
   * After a long wait for a database that did not answer, refuses the commits that waited as long, so that they do
   * not wait again.
   */
  #refuseLate(fault: LocalpostError): void {
    const isLate = ({ since }: Waiting): boolean => monotonicNow() - since > lateMs
    for (const one of this.#waiting) if (isLate(one)) one.reject(fault)
    this.#waiting = this.#waiting.filter((one) => !isLate(one))
  }

  /**
   * Stores what a batch changes in a transaction.
   *
   * @param refused  Gets the errors of refused commits. They are answered last, because one may be refused for a commit before it
   *   that is not stored in the end.
   * @throws As `#attempt`.
   */
  #transact(batch: readonly Waiting[], refused: Refused): Promise<Stored> {
    const { pool, schema, membership } = this.#deps
    return this.#attempt((number, onSent) =>
      transact(pool, schema, async (connection) => {
        const staging = new Staging()
        const [renewal, seq] = await Promise.all([
          membership.renew(connection, number),
          lockSeq(connection),
          ...loadStored(connection, staging, batch),
        ])
        membership.assertIn()
        const commits = await stageAll(connection, staging, batch, refused, seq)
        if (commits.length > 0)
          writeBatch(connection, staging, commits, { instance: membership.id, channel: channelOf(schema) })
        // If this instance is the only one, the last commit is its own.
        const lastAlone = renewal.lastAlone === null ? null : seq + commits.length
        return onSent({ commits, renewal: { ...renewal, lastAlone } })
      }),
    )
  }

  /**
   * Stores a batch by a single statement, if all of its commits only add records to the same table.
   *
   * @returns null if the batch needs a transaction; then nothing was stored.
   * @throws As `#attempt`.
   */
  async #insertNew(batch: readonly Waiting[]): Promise<Stored | null> {
    const found = newCommitsOf(batch)
    if (!found) return null
    const began = this.#deps.membership.lease.now()
    try {
      return await this.#attempt(async (number, onSent) => {
        const done = await insertNew(this.#deps, found.table, found.commits, number, () =>
          onSent({ commits: null, renewal: null }),
        )
        if (!done) return null
        const { stored: commits, isAlone } = done
        return { commits, renewal: { began, lastAlone: isAlone ? (commits.at(-1)?.seq ?? null) : null } }
      })
    } catch (error) {
      // A transaction finds out which commit is refused, and stores the others.
      if (isOfValues(error)) return null
      throw error
    }
  }

  /**
   * Sends a batch under a number of its own, by which the database tells whether it was stored if its answer is missing.
   *
   * @param send  Calls `onSent` before the batch may be stored, with what is known of it then, which `onSent` returns.
   * @throws The error of the database; nothing of the batch is stored then. store_unknown if that is not known.
   */
  async #attempt<T extends Stored | null>(
    send: (number: number, onSent: (stored: Stored) => Stored) => Promise<T>,
  ): Promise<T | Stored> {
    const number = this.#deps.membership.nextBatch()
    const sent: Stored[] = []
    try {
      return await send(number, (stored) => {
        sent.push(stored)
        return stored
      })
    } catch (error) {
      const [stored] = sent
      if (!stored || isRefusal(error) || !(await this.#wasStored(number))) throw error
      return stored
    }
  }

  /** Whether a transaction was stored whose answer is missing. @throws store_unknown if that is still unknown. */
  async #wasStored(number: number): Promise<boolean> {
    const { pool, schema, membership } = this.#deps
    // The first attempt may get another connection that is half-open.
    const sql = new Connection(pool, schema, { timeoutMs: lookUpMs })
    for (const began = monotonicNow(); monotonicNow() - began < lookUpsMs; await sleep(lookUpPauseMs)) {
      try {
        const wasStored = await membership.settle(sql, number)
        if (wasStored !== null) return wasStored
      } catch {
        // The loop tries again.
      }
    }
    throw new LocalpostError(
      'store_unknown',
      'The connection to the database was lost while a commit was stored, and it is not known whether it was stored: look for it before you try again.',
    )
  }
}

/** The errors of the commits of a batch that were refused. */
type Refused = Map<Waiting, unknown>

/** A batch that was stored. */
interface Stored {
  /** null if their numbers are not known. */
  readonly commits: readonly StoredCommit[] | null
  /** The renewal that was stored with it; null if it is not known. */
  readonly renewal: Renewal | null
}

const lateMs = 2000
/** The time limit of all look-ups together, so that the caller is answered within about fifteen seconds. */
const lookUpsMs = 5000
const lookUpMs = 3000
const lookUpPauseMs = 250

/** The number of the last commit. Until the transaction ends, no other one can continue from it. */
async function lockSeq(connection: Connection): Promise<number> {
  const [row] = await connection.run<{ seq: number }>(
    `SELECT seq::float8 AS seq FROM ${connection.name('localpost')} FOR UPDATE`,
  )
  return row?.seq ?? 0
}
