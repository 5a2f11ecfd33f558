import type { ChangeFeed, StoredCommit } from '../change-feed.ts'
import type { Connection } from './connection.ts'
import { advance, type InstanceCommit, readAfter, readState, type StoreState } from './store-state.ts'

interface FollowerDeps {
  /** The connection for reads. */
  readonly sql: Connection
  readonly feed: ChangeFeed
  readonly instance: string
  /** The last commit that listeners know, and the number of records in each partition at that commit. */
  readonly state: StoreState
  /** Called after a commit of another instance. */
  onForeign(partition: string): void
  /** Called when the database lacks commits that it had before, for example after a restore. */
  onRestored(): void
}

/**
 * Passes the commits of all instances to the listeners of this one, each once, in the order of their numbers. Commits
 * of this instance come directly from its writer if no commit of another instance comes before them. All others are
 * read from the table of changes.
 */
export class Follower {
  readonly #deps: FollowerDeps
  /** That of the last commit that was passed on, or is being passed on. */
  #state: StoreState
  /** The number of the last commit that was passed on completely: `#inOrder` sets it to that of `#state`. */
  #toldSeq: number
  /**
   * How many times this instance stored commits without learning their numbers, and how many of these it has read since: a
   * complete look reads those that were stored before it began.
   */
  readonly #unnumbered = { stored: 0, read: 0 }
  #looking: Promise<void> = Promise.resolve()
  /** The look after it, which all calls share until it begins. */
  #next: Promise<void> | null = null
  /** What `#inOrder` runs: only one thing at a time, so that listeners get the commits in their order. */
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
  get toldSeq(): number | null {
    return this.#unnumbered.read < this.#unnumbered.stored ? null : this.#toldSeq
  }

  /** The names of the partitions that have records. */
  partitions(): string[] {
    return [...this.#state.totals.keys()]
  }

  /** Passes on the commits of a transaction of this instance; null if their numbers are not known. */
  async passOnOwn(commits: readonly StoredCommit[] | null): Promise<void> {
    if (commits === null) {
      this.#unnumbered.stored++
      return this.look()
    }
    // If commits of other instances come first, these are read together with them.
    if (this.#announcing || commits[0]?.seq !== this.seq + 1) return this.look()
    const { instance } = this.#deps
    await this.#announce(commits.map((commit) => ({ ...commit, instance })))
  }

  /**
   * Looks for commits of other instances. Never rejects: the instance looks again at intervals, also while the database
   * does not answer. It does not wait for looks that begin later, because commits wait for this one and later looks
   * could follow without end.
   */
  look(): Promise<void> {
    return this.caughtUp().catch(() => {})
  }

  /**
   * Resolves when listeners know everything that was stored before the call. Concurrent calls share a statement.
   *
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
    const found = await readAfter(this.#deps.sql, () => this.#state)
    // Meanwhile the writer may have passed on commits of this instance.
    while (this.#announcing) await this.#announcing
    const commits = found?.commits.filter(({ seq }) => seq > this.seq) ?? []
    const [first] = commits
    if (found === null) this.#deps.onRestored()
    // Old changes are removed: some of those between may be gone.
    if (found === null || (first && first.seq !== this.seq + 1)) {
      await this.#skip()
      return true
    }
    if (first) await this.#announce(commits)
    return found.isAll
  }

  /** Continues after changes that are no longer known. */
  #skip(): Promise<void> {
    return this.#inOrder(async () => {
      const before = this.partitions()
      this.#state = await readState(this.#deps.sql)
      this.#deps.feed.skip(this.seq)
      for (const partition of new Set(['', ...before, ...this.partitions()])) this.#deps.onForeign(partition)
    })
  }

  #announce(commits: readonly InstanceCommit[]): Promise<void> {
    const { feed, instance, onForeign } = this.#deps
    this.#state = advance(this.#state, commits)
    return this.#inOrder(async () => {
      await feed.publish(commits)
      const foreign = commits.filter((commit) => commit.instance !== instance)
      for (const partition of new Set(foreign.map(({ partition }) => partition))) onForeign(partition)
    })
  }

  /** Tells listeners something. Call it only while nothing else is announced. */
  #inOrder(tell: () => Promise<void>): Promise<void> {
    this.#announcing = tell()
      .then(() => void (this.#toldSeq = this.seq))
      .finally(() => (this.#announcing = null))
    return this.#announcing
  }
}
