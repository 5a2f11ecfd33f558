import type { ChangeFeed, Told } from '../change-feed.ts'
import { growthOf, type CommitChange, type StoredCommit } from './changes.ts'
import type { Connection } from './connection.ts'

interface FollowerDeps {
  /** For reading. */
  readonly sql: Connection
  readonly feed: ChangeFeed
  /** Which instance this is. */
  readonly instance: string
  /** The commit up to which listeners know everything, and the number of records in each partition then. */
  readonly state: StoreState
  /** Called after a commit of another instance. */
  onForeign(partition: string): void
}

/** The number of the last commit, and how many records each partition had then. */
export interface StoreState {
  readonly seq: number
  readonly totals: Map<string, number>
}

export async function readState(sql: Connection): Promise<StoreState> {
  const rows = await sql.run<{ seq: number; partition: string | null; records: number }>(
    `SELECT seq::float8 AS seq, partition, records::float8 AS records FROM ${sql.name('localpost')}
     LEFT JOIN (SELECT partition, sum(records) AS records FROM ${sql.name('totals')} GROUP BY partition) held ON true`,
  )
  const totals = new Map<string, number>()
  for (const { partition, records } of rows)
    if (partition !== null && records > 0) totals.set(partition, records)
  return { seq: rows[0]?.seq ?? 0, totals }
}

/**
 * Hands the commits of all instances to the listeners of this one: each once, in the order of their numbers. Those of this
 * instance come from its writer, where none of another instance comes before them; all others are read from the table of
 * changes.
 */
export class Follower {
  readonly #deps: FollowerDeps
  #state: StoreState
  #working: Promise<void> | null = null
  #isWanted = false
  /** Those who wait for a look that begins after their call. */
  #waiting: Waiting[] = []

  constructor(deps: FollowerDeps) {
    this.#deps = deps
    this.#state = deps.state
  }

  /** The number of the last commit that listeners know. */
  get seq(): number {
    return this.#state.seq
  }

  /** The names of the partitions that have records. */
  partitions(): string[] {
    return [...this.#state.totals.keys()]
  }

  /** Takes the commits of a transaction of this instance. @returns A promise where that takes turns of the event loop. */
  stored(commits: readonly StoredCommit[]): Promise<void> | undefined {
    // After commits of others, these are read with them.
    if (this.#working || commits[0]?.seq !== this.seq + 1) return this.look()
    const announced = this.#announce(commits)
    if (announced) this.#working = announced.then(() => this.#work())
    return announced
  }

  /** Looks for commits of other instances. Never rejects: while the database does not answer, it is called again. */
  look(): Promise<void> {
    this.#isWanted = true
    return (this.#working ??= this.#work())
  }

  /** Resolves when listeners know all that was stored before the call. Calls at the same time share a statement. @throws As reads. */
  caughtUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      void this.look()
    })
  }

  async #work(): Promise<void> {
    let waiting: Waiting[] = []
    try {
      while (this.#isWanted) {
        this.#isWanted = false
        waiting = [...waiting, ...this.#waiting]
        this.#waiting = []
        if (await this.#readOn()) {
          for (const { resolve } of waiting) resolve()
          waiting = []
        } else this.#isWanted = true
      }
    } catch (error) {
      // The next look goes on from here.
      for (const { reject } of [...waiting, ...this.#waiting]) reject(error)
      this.#waiting = []
    }
    this.#working = null
  }

  /** @returns Whether all was read that was stored before. */
  async #readOn(): Promise<boolean> {
    const { sql, instance, onForeign } = this.#deps
    const rows = await sql.run<Row>(
      `SELECT seq::float8 AS seq, instance, partition, changes FROM ${sql.name('changes')}
       WHERE seq > $1 ORDER BY seq LIMIT ${readAtOnce}`,
      [this.seq],
      { mostMs: lookMs },
    )
    const [first] = rows
    if (!first) return true
    if (first.seq !== this.seq + 1) {
      await this.#skip()
      return true
    }
    await this.#announce(
      rows.map(({ seq, partition, changes }) => ({
        seq,
        partition,
        changes: JSON.parse(changes) as CommitChange[],
      })),
    )
    for (const partition of new Set(
      rows.flatMap((row) => (row.instance === instance ? [] : [row.partition])),
    ))
      onForeign(partition)
    return rows.length < readAtOnce
  }

  /** Goes on behind changes that are no longer known. */
  async #skip(): Promise<void> {
    this.#state = await readState(this.#deps.sql)
    this.#deps.feed.skip(this.seq)
    for (const partition of ['', ...this.partitions()]) this.#deps.onForeign(partition)
  }

  #announce(commits: readonly StoredCommit[]): Promise<void> | undefined {
    const { totals } = this.#state
    for (const { partition, changes } of commits) {
      const now = (totals.get(partition) ?? 0) + growthOf(changes)
      if (now > 0) totals.set(partition, now)
      else totals.delete(partition)
    }
    this.#state = { seq: commits.at(-1)?.seq ?? this.seq, totals }
    return this.#deps.feed.announce(this.seq, toldOf(commits))
  }
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

interface Row {
  readonly seq: number
  readonly instance: string
  readonly partition: string
  readonly changes: string
}

function* toldOf(commits: readonly StoredCommit[]): Generator<Told, void> {
  for (const { seq, partition, changes } of commits)
    for (const change of changes) yield { partition, change: { ...change, seq } }
}

const readAtOnce = 1000
/** Requests wait for a look. */
const lookMs = 8000
