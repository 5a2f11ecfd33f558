import type { CollectionState } from './collection-state.ts'
import type { StagedCommit } from './medium.ts'
import type { Effect } from './records.ts'
import type { StoreChange } from './store.ts'
import { paced } from '../core/yield.ts'
import { queueMicrotask } from '../core/machine.ts'

type Listener = (change: StoreChange) => void

/** A change, and the partition that it was made in. */
export interface Told {
  readonly partition: string
  readonly change: StoreChange
}

/** Passes the changes of commits to listeners, and keeps the last 10,000 for listeners that ask for earlier ones. */
export class ChangeFeed {
  #seq: number
  /** The seq of the last change that is no longer known. */
  #droppedThrough: number
  #recent: Told[] = []
  #publishing: Promise<void> | undefined
  /** The listeners of each partition. */
  readonly #listeners: Map<string, Set<{ listener: Listener; after: number }>> = new Map()

  /** @param seq  The number of the last commit before this feed began. Earlier changes are not known. */
  constructor(seq: number) {
    this.#seq = seq
    this.#droppedThrough = seq
  }

  /** Calls `listener` only for the changes in one partition. */
  listen(partition: string, listener: Listener, after?: number): () => void {
    const caught = after === undefined ? this.#seq : this.#catchUp(partition, listener, after)
    const entry = { listener, after: caught }
    const known = this.#listeners.get(partition)
    const listeners = known ?? new Set()
    listeners.add(entry)
    if (!known) this.#listeners.set(partition, listeners)
    return () => {
      listeners.delete(entry)
      if (listeners.size === 0 && this.#listeners.get(partition) === listeners)
        this.#listeners.delete(partition)
    }
  }

  /** Announces commits that became visible: small ones in the turn of the call. Large ones yield to the event loop. */
  publish(commits: readonly StagedCommit[]): Promise<void> {
    return (this.#publishing = paced(this.#publish(commits)))
  }

  /** Announces changes that became visible, up to the commit `seq`, as `publish` does. */
  announce(seq: number, changes: Iterable<Told>): Promise<void> {
    return (this.#publishing = paced(this.#announce(seq, changes)))
  }

  /** Continues at the commit `seq`, if the changes before it are no longer known. */
  skip(seq: number): void {
    this.#seq = seq
    this.#droppedThrough = seq
    this.#recent = []
    for (const listeners of this.#listeners.values()) {
      for (const entry of listeners) {
        // After a restore of the database the numbers begin at a smaller one.
        entry.after = Math.min(entry.after, seq)
        call(entry.listener, { seq, op: 'gap' })
      }
    }
  }

  *#announce(seq: number, changes: Iterable<Told>): Generator<undefined, void> {
    this.#seq = seq
    for (const { partition, change } of changes) {
      this.#tell(partition, change)
      yield
    }
  }

  *#publish(commits: readonly StagedCommit[]): Generator<undefined, void> {
    // All of these commits are visible already, so a listener that is added now needs no call for them.
    this.#seq = commits.at(-1)?.seq ?? this.#seq
    for (const { seq, effects, isBulk } of commits) {
      if (isBulk) {
        this.#tellBulk(seq, effects)
        yield
        continue
      }
      for (const effect of effects) {
        if (effect.op === 'put' && effect.kind === 'move') continue
        if (effect.op === 'clear') {
          const { base: collection, partition } = effect.state
          const removed = effect.count
          this.#tell(partition, { seq, op: 'bulk', collection, updated: 0, removed, isLast: false })
          continue
        }
        const op = effect.op === 'put' ? (effect.kind === 'insert' ? 'insert' : 'update') : 'remove'
        const id = effect.op === 'put' ? effect.draft.id : effect.id
        this.#tell(effect.state.partition, { seq, op, collection: effect.state.base, id })
        yield
      }
    }
  }

  /** Announces that a bulk change of a collection has ended, after its commits. */
  async endBulk({ base: collection, partition }: Pick<CollectionState, 'base' | 'partition'>): Promise<void> {
    await this.#publishing
    this.#tell(partition, { seq: this.#seq, op: 'bulk', collection, updated: 0, removed: 0, isLast: true })
  }

  /** @param effects  The effects of one commit of a bulk change, all in one collection. */
  #tellBulk(seq: number, effects: readonly Effect[]): void {
    const [first] = effects
    if (!first) return
    const removed = effects.filter(({ op }) => op === 'remove').length
    const updated = effects.length - removed
    const { base: collection, partition } = first.state
    this.#tell(partition, { seq, op: 'bulk', collection, updated, removed, isLast: false })
  }

  end(): void {
    this.#listeners.clear()
  }

  /** @returns The listener has to be called for changes with a higher seq than this. */
  #catchUp(partition: string, listener: Listener, after: number): number {
    // A number that is higher than the last one is from an earlier run, or from before a restore: the changes in
    // between are not known.
    const missed = after < this.#droppedThrough || after > this.#seq
    if (missed) call(listener, { seq: this.#droppedThrough, op: 'gap' })
    for (const { partition: of, change } of this.#recent)
      if (of === partition && (missed || change.seq > after)) call(listener, change)
    return missed ? 0 : after
  }

  #tell(partition: string, change: StoreChange): void {
    this.#recent.push({ partition, change })
    if (this.#recent.length >= 2 * kept) {
      this.#droppedThrough = this.#recent[kept - 1]?.change.seq ?? this.#droppedThrough
      this.#recent = this.#recent.slice(kept)
    }
    // The end of a bulk change has no commit of its own, and so no seq.
    const isEnd = change.op === 'bulk' && change.isLast
    for (const { listener, after } of this.#listeners.get(partition) ?? [])
      if (isEnd || change.seq > after) call(listener, change)
  }
}

const kept = 10_000

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
