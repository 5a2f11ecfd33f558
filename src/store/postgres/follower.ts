import { createHash } from 'node:crypto'
import type { ChangeFeed, CommitChange, StoredCommit } from '../change-feed.ts'
import type { Connection } from './connection.ts'

/** The number of the last commit, and the number of records in each partition at that commit. */
export interface StoreState {
  readonly seq: number
  /** Which instance stored that commit, and a digest of its changes; null if they are not known. */
  readonly last: { readonly instance: string; readonly digest: string } | null
  readonly totals: Map<string, number>
}

interface FollowerDeps {
  /** The connection for reads. */
  readonly sql: Connection
  readonly feed: ChangeFeed
  /** The id of this instance. */
  readonly instance: string
  /** The last commit that listeners know, and the number of records in each partition at that commit. */
  readonly state: StoreState
  /** Called after a commit of another instance. */
  onForeign(partition: string): void
  /** Called when the database lacks commits that it had before, for example after a restore. */
  onOther(): void
}

/**
 * Passes the commits of all instances to the listeners of this one, each once, in the order of their numbers. Commits
 * of this instance come directly from its writer if no commit of another instance comes before them. All others are
 * read from the table of changes.
 */
export class Follower {
  readonly #deps: FollowerDeps
  #state: StoreState
  #toldSeq: number
  /** How many times this instance stored commits without learning their numbers, and how many of these it has read since. */
  readonly #unnumbered = { stored: 0, read: 0 }
  /** The running look. */
  #looking: Promise<void> = Promise.resolve()
  /** The look after it, which all calls share until it begins. */
  #next: Promise<void> | null = null
  /** What the listeners are being told. Only one thing at a time, so that they get the commits in their order. */
  #announcing: Promise<void> | null = null

  constructor(deps: FollowerDeps) {
    this.#deps = deps
    this.#state = deps.state
    this.#toldSeq = deps.state.seq
  }

  /** The number of the last commit that was passed on, or is being passed on. */
  get seq(): number {
    return this.#state.seq
  }

  /** The number of the last commit that all listeners know; null after a commit of this instance that they may not know. */
  get told(): number | null {
    return this.#unnumbered.read < this.#unnumbered.stored ? null : this.#toldSeq
  }

  /** The names of the partitions that have records. */
  partitions(): string[] {
    return [...this.#state.totals.keys()]
  }

  /** Passes on the commits of a transaction of this instance; null if their numbers are not known. */
  async stored(commits: readonly StoredCommit[] | null): Promise<void> {
    if (commits === null) {
      this.#unnumbered.stored++
      return this.look()
    }
    // If commits of other instances come first, these are read together with them.
    if (this.#announcing || commits[0]?.seq !== this.seq + 1) return this.look()
    const { instance } = this.#deps
    await this.#announce(commits.map((commit) => ({ ...commit, instance })))
    this.#toldSeq = commits.at(-1)?.seq ?? this.#toldSeq
  }

  /**
   * Looks for commits of other instances. Never rejects: the instance looks again at intervals, also while the database
   * does not answer. It does not wait for looks that begin later, because commits wait for this one and later looks could
   * follow without end.
   */
  look(): Promise<void> {
    return this.caughtUp().catch(() => {})
  }

  /**
   * Resolves when listeners know everything that was stored before the call. Concurrent calls share a statement.
   * @throws As reads.
   */
  caughtUp(): Promise<void> {
    // If the running look fails, the next one does not begin: the database does not answer.
    return (this.#next ??= this.#looking.finally(() => (this.#next = null)).then(() => this.#begin()))
  }

  #begin(): Promise<void> {
    const look = this.#readAll()
    this.#looking = look
    // The next look continues here.
    look.catch(() => (this.#looking = Promise.resolve()))
    return look
  }

  async #readAll(): Promise<void> {
    for (let isDone = false; !isDone;) {
      const { stored } = this.#unnumbered
      isDone = await this.#readOn()
      if (isDone) this.#unnumbered.read = stored
    }
  }

  /** @returns Whether everything that was stored before the call was read. */
  async #readOn(): Promise<boolean> {
    const { sql, instance, onForeign } = this.#deps
    const asked = this.#state
    const [head, ...others] = await sql.run<LastKnown & (LookRow | { seq: null })>(
      `SELECT (SELECT seq::float8 FROM ${sql.name('localpost')}) AS newest, known.*, next.*
       FROM (SELECT 1) one
       LEFT JOIN (SELECT instance AS known_by, md5(changes) AS known_digest FROM ${sql.name('changes')} WHERE seq = $1)
         known ON true
       LEFT JOIN LATERAL (
         SELECT seq::float8 AS seq, instance, partition, changes FROM ${sql.name('changes')}
         WHERE seq > $1 ORDER BY seq LIMIT ${readAtOnce}
       ) next ON true ORDER BY next.seq`,
      [asked.seq],
      { timeoutMs: lookMs },
    )
    // Meanwhile the writer may have passed on commits of this instance.
    while (this.#announcing) await this.#announcing
    if (!head || !isKnown(asked, head)) {
      this.#deps.onOther()
      await this.#skip()
      return true
    }
    const found = [head, ...others].filter((row): row is LastKnown & LookRow => row.seq !== null)
    const rows = found.filter(({ seq }) => seq > this.seq)
    const [first] = rows
    if (!first) return found.length < readAtOnce
    if (first.seq !== this.seq + 1) {
      await this.#skip()
      return true
    }
    await this.#announce(
      rows.map(({ seq, instance, partition, changes }) => ({
        seq,
        instance,
        partition,
        changes: JSON.parse(changes) as CommitChange[],
      })),
    )
    for (const partition of new Set(
      rows.flatMap((row) => (row.instance === instance ? [] : [row.partition])),
    ))
      onForeign(partition)
    this.#toldSeq = rows.at(-1)?.seq ?? this.#toldSeq
    return found.length < readAtOnce
  }

  /** Continues after changes that are no longer known. */
  #skip(): Promise<void> {
    return this.#inOrder(async () => {
      const before = this.partitions()
      this.#state = await readState(this.#deps.sql)
      this.#deps.feed.skip(this.seq)
      for (const partition of new Set(['', ...before, ...this.partitions()])) this.#deps.onForeign(partition)
      this.#toldSeq = this.seq
    })
  }

  #announce(commits: readonly (StoredCommit & { instance: string })[]): Promise<void> {
    const { totals } = this.#state
    const newest = commits.at(-1)
    for (const { partition, changes } of commits) {
      const now = (totals.get(partition) ?? 0) + growthOf(changes)
      if (now > 0) totals.set(partition, now)
      else totals.delete(partition)
    }
    if (newest) {
      const digest = createHash('md5').update(JSON.stringify(newest.changes)).digest('hex')
      this.#state = { seq: newest.seq, last: { instance: newest.instance, digest }, totals }
    }
    return this.#inOrder(() => this.#deps.feed.publish(commits))
  }

  #inOrder(tell: () => Promise<void>): Promise<void> {
    this.#announcing = tell().finally(() => (this.#announcing = null))
    return this.#announcing
  }
}

/** Reads the present state. */
export async function readState(sql: Connection): Promise<StoreState> {
  const rows = await sql.run<{
    seq: number
    instance: string | null
    digest: string | null
    partition: string | null
    records: number
  }>(
    `SELECT own.seq::float8 AS seq, last.instance, md5(last.changes) AS digest, held.partition, held.records::float8 AS records
     FROM ${sql.name('localpost')} own LEFT JOIN ${sql.name('changes')} last ON last.seq = own.seq
     LEFT JOIN (SELECT partition, sum(records) AS records FROM ${sql.name('totals')} GROUP BY partition) held ON true`,
  )
  const totals = new Map<string, number>()
  for (const { partition, records } of rows)
    if (partition !== null && records > 0) totals.set(partition, records)
  const { seq = 0, instance = null, digest = null } = rows[0] ?? {}
  const last = instance === null || digest === null ? null : { instance, digest }
  return { seq, last, totals }
}

/** Whether the database still has the commits of a state. It may have more. */
function isKnown({ seq, last }: StoreState, { newest, known_by, known_digest }: LastKnown): boolean {
  if (newest === null || newest < seq) return false
  // Changes from long ago are removed.
  return !last || known_by === null || (known_by === last.instance && known_digest === last.digest)
}

/** The columns about the last known commit, which are in each row of a look. */
interface LastKnown {
  readonly newest: number | null
  readonly known_by: string | null
  readonly known_digest: string | null
}

interface LookRow {
  readonly seq: number
  readonly instance: string
  readonly partition: string
  readonly changes: string
}

/** By how many records a commit changed its partition. */
function growthOf(changes: readonly CommitChange[]): number {
  let by = 0
  for (const change of changes) {
    if (change.op === 'bulk') by -= change.removed
    else if (change.op === 'insert') by++
    else if (change.op === 'remove') by--
  }
  return by
}

const readAtOnce = 1000
/** The time limit of a look in milliseconds, because requests wait for it. */
const lookMs = 8000
