import type { ListenOptions, StoreChange } from './store.ts'
import { forEachSlice } from '../core/slices.ts'
import { queueMicrotask } from '../core/machine.ts'

type Listener = (change: StoreChange) => void

interface Subscription {
  readonly listener: Listener
  /** The collection whose changes it gets; undefined for all. */
  readonly of: string | undefined
  /** It gets the changes with a higher seq. */
  after: number
}

/** A change of a commit, before it has the number of the commit. */
export type CommitChange = WithoutSeq<Exclude<StoreChange, { op: 'gap' }>>
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never

export interface StoredCommit {
  readonly seq: number
  readonly partition: string
  readonly changes: readonly CommitChange[]
}

/**
 * Passes the changes of commits to listeners, and keeps at least the last `minRecent` for listeners that ask for
 * earlier ones.
 */
export class ChangeFeed {
  #seq: number
  /** The seq of the last change that is no longer known. */
  #droppedThrough: number
  /** The changes after `#droppedThrough`. */
  #recent: (readonly [partition: string, change: StoreChange])[] = []
  /** The last call of `publish`. */
  #publishing: Promise<void> | undefined
  readonly #listeners: Map<string, Set<Subscription>> = new Map()

  /** @param seq  The number of the last commit before this feed began. Earlier changes are not known. */
  constructor(seq: number) {
    this.#seq = seq
    this.#droppedThrough = seq
  }

  /**
   * Passes further changes to a listener until the returned function is called. With `after`, it gets the changes since then
   * during the call, after one `gap` if some of them are no longer known.
   */
  listen(partition: string, listener: Listener, { after, of }: ListenOptions = {}): () => void {
    const entry: Subscription = { listener, of: of?.name, after: this.#seq }
    if (after !== undefined) this.#catchUp(partition, entry, after)
    const listeners = this.#listeners.get(partition) ?? new Set()
    this.#listeners.set(partition, listeners.add(entry))
    return () => {
      listeners.delete(entry)
      if (listeners.size === 0 && this.#listeners.get(partition) === listeners)
        this.#listeners.delete(partition)
    }
  }

  /**
   * Announces commits that became visible: small ones in the turn of the call, which is why the calls are not chained here.
   * Large ones yield to the event loop, so await the call before the next one: listeners would get the changes of both mixed.
   */
  publish(commits: readonly StoredCommit[]): Promise<void> {
    // All of these commits are visible already, so a listener that is added now needs no call for them.
    this.#seq = commits.at(-1)?.seq ?? this.#seq
    return (this.#publishing = forEachSlice(storeChanges(commits), ([partition, change]) =>
      this.#tell(partition, change),
    ))
  }

  /** Continues at the commit `seq`, if the changes before it are no longer known. */
  skip(seq: number): void {
    this.#seq = seq
    this.#droppedThrough = seq
    this.#recent = []
    for (const listeners of this.#listeners.values()) {
      for (const entry of listeners) {
        // After a restore of the database the numbers begin at a smaller number, and the listener must get those.
        entry.after = Math.min(entry.after, seq)
        call(entry.listener, { seq, op: 'gap' })
      }
    }
  }

  /** Tells listeners that a bulk change has ended, once all of its commits were told. */
  async endBulk(partition: string, collection: string): Promise<void> {
    await this.#publishing
    this.#tell(partition, { seq: this.#seq, ...bulkEnd(collection) })
  }

  end(): void {
    this.#listeners.clear()
  }

  #catchUp(partition: string, entry: Subscription, after: number): void {
    // A number that is higher than the last one is from an earlier run, or from before a restore: the changes in
    // between are not known.
    const missed = after < this.#droppedThrough || after > this.#seq
    if (missed) call(entry.listener, { seq: this.#droppedThrough, op: 'gap' })
    // The gap stands for what is not known. All that is known comes after it.
    entry.after = missed ? 0 : after
    for (const [changed, change] of this.#recent)
      if (changed === partition && change.seq > entry.after) tell(entry, change)
  }

  #tell(partition: string, change: StoreChange): void {
    this.#recent.push([partition, change])
    // Half of them at once, because each time copies the others.
    if (this.#recent.length >= 2 * minRecent) {
      this.#droppedThrough = this.#recent[minRecent - 1]?.[1].seq ?? this.#droppedThrough
      this.#recent = this.#recent.slice(minRecent)
    }
    for (const entry of this.#listeners.get(partition) ?? []) tell(entry, change)
  }
}

function tell({ listener, of, after }: Subscription, change: StoreChange): void {
  if (of !== undefined && change.op !== 'gap' && change.collection !== of) return
  // The end of a bulk change has no commit of its own, and so no seq.
  if (change.seq > after || (change.op === 'bulk' && change.isLast)) call(listener, change)
}

function* storeChanges(commits: readonly StoredCommit[]): Generator<[string, StoreChange], void> {
  for (const { seq, partition, changes } of commits)
    for (const change of changes) yield [partition, { seq, ...change }]
}

/** The changes of a part of a bulk change as one for each collection. */
export function asBulk(changes: readonly CommitChange[]): CommitChange[] {
  return [...new Set(changes.map(({ collection }) => collection))].map((collection) => {
    const own = changes.filter((change) => change.collection === collection)
    const removed = own.filter(({ op }) => op === 'remove').length
    return { op: 'bulk', collection, updated: own.length - removed, removed, isLast: false }
  })
}

export function bulkEnd(collection: string): CommitChange & { op: 'bulk' } {
  return { op: 'bulk', collection, updated: 0, removed: 0, isLast: true }
}

const minRecent = 10_000

/** An error in a listener must not fail the commit, and must not be swallowed. */
function call(listener: Listener, change: StoreChange): void {
  try {
    listener(change)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
