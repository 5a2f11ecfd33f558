import type { Pool } from 'pg'
import type { LocalpostError } from '../../core/errors.ts'
import { monotonicNow, nextTurn } from '../../core/machine.ts'
import type { BulkOutcome } from '../bulk.ts'
import type { CommitChange, StoredCommit } from '../change-feed.ts'
import { attempt, type Stored } from './attempt.ts'
import { Connection } from './connection.ts'
import { databaseFault, isLost, isOfValues, unreachable } from './faults.ts'
import { channelOf } from './listening.ts'
import { insertNew, newCommitsOf } from './insert-new.ts'
import type { Membership } from './membership.ts'
import { areWritten, type StagedBlobs } from './blobs.ts'
import type { FlagSetting } from './set-flag.ts'
import type { BulkRowChange, RowChange } from './row-change.ts'
import { Staging } from './staging.ts'
import { batchFrom, type Waiting, withBlobsWritten, type Work } from './waiting.ts'
import { writeBatch } from './write.ts'
import { transact } from './transaction.ts'
import { loadStored, stageAll } from './stage-batch.ts'

interface WriterDeps {
  readonly pool: Pool
  readonly schema: string
  readonly membership: Membership
  /** Called after a stored transaction, before its commits are resolved; null if their numbers are not known. Never rejects. */
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
    if (!areWritten(blobs)) blobs.catch(() => {})
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
    await nextTurn()
    while (this.#waiting.length > 0) {
      const batch = batchFrom(this.#waiting)
      this.#waiting = this.#waiting.slice(batch.length)
      await this.#store(await withBlobsWritten(batch))
      await nextTurn()
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
    const certainFault = isUnknown ? unreachable('a commit got no answer') : fault
    this.#deps.onFault(certainFault)
    // Whether a refused commit was stored is known: it was not.
    for (const one of batch) one.reject(isUnknown && refused.has(one) ? refused.get(one) : fault)
    if (isUnknown || isLost(error)) this.#refuseLate(certainFault)
  }

  /** After a long wait for the database, refuses the commits that waited as long, so that they do not wait again. */
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
   * @throws As {@link attempt}.
   */
  #transact(batch: readonly Waiting[], refused: Refused): Promise<Stored> {
    const { pool, schema, membership } = this.#deps
    return attempt(this.#deps, (batchNumber, onSent) =>
      transact(pool, schema, async (connection) => {
        const staging = new Staging()
        const [renewal, seq] = await Promise.all([
          membership.renew(connection, batchNumber),
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
   * @throws As {@link attempt}.
   */
  async #insertNew(batch: readonly Waiting[]): Promise<Stored | null> {
    const found = newCommitsOf(batch)
    if (!found) return null
    const began = this.#deps.membership.lease.now()
    try {
      return await attempt(this.#deps, async (batchNumber, onSent) => {
        const done = await insertNew(this.#deps, found.table, found.commits, batchNumber, () =>
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
}

/** The errors of the commits of a batch that were refused. */
type Refused = Map<Waiting, unknown>

const lateMs = 2000

/** The number of the last commit. Until the transaction ends, no other one can continue from it. */
async function lockSeq(connection: Connection): Promise<number> {
  const [row] = await connection.run<{ seq: number }>(
    `SELECT seq::float8 AS seq FROM ${connection.name('localpost')} FOR UPDATE`,
  )
  return row?.seq ?? 0
}
