import type { StagedCommit } from './medium.ts'
import type { Effect } from './records.ts'
import type { StoreChange } from './store.ts'
import { pacedIfLong } from '../core/yield.ts'
import { queueMicrotask } from '../core/machine.ts'

type Listener = (change: StoreChange) => void

/** Hands the changes of commits to listeners, and keeps the last 10,000 for those that ask what they missed. */
export class ChangeFeed {
  #seq: number
  /** The seq of the last change that is no longer known. */
  #droppedThrough: number
  #recent: StoreChange[] = []
  #publishing: Promise<void> | undefined
  readonly #listeners: Set<{ listener: Listener; after: number }> = new Set()

  /** @param seq  Of the last commit before this feed began: what came before is not known. */
  constructor(seq: number) {
    this.#seq = seq
    this.#droppedThrough = seq
  }

  listen(listener: Listener, after?: number): () => void {
    const entry = { listener, after: after === undefined ? this.#seq : this.#catchUp(listener, after) }
    this.#listeners.add(entry)
    return () => this.#listeners.delete(entry)
  }

  /** Announces commits that became visible. @returns A promise for large ones, which yield to the event loop. */
  publish(commits: readonly StagedCommit[]): Promise<void> | undefined {
    const publishing = pacedIfLong(this.#publish(commits)) ?? undefined
    this.#publishing = publishing
    return publishing
  }

  *#publish(commits: readonly StagedCommit[]): Generator<undefined, void> {
    // All are visible already: who listens from now on has seen them.
    this.#seq = commits.at(-1)?.seq ?? this.#seq
    for (const { seq, effects, isBulk } of commits) {
      if (isBulk) {
        this.#tellBulk(seq, effects)
        yield
        continue
      }
      for (const effect of effects) {
        if (effect.op === 'put' && effect.kind === 'move') continue
        const op = effect.op === 'put' ? (effect.kind === 'insert' ? 'insert' : 'update') : 'remove'
        const id = effect.op === 'put' ? effect.draft.id : effect.id
        this.#tell({ seq, op, collection: effect.state.name, id })
        yield
      }
    }
  }

  /** Announces that a bulk change of a collection has ended, after its commits. */
  async endBulk(collection: string): Promise<void> {
    await this.#publishing
    this.#tell({ seq: this.#seq, op: 'bulk', collection, updated: 0, removed: 0, isLast: true })
  }

  /** @param effects  Of one commit of a bulk change; all are of one collection. */
  #tellBulk(seq: number, effects: readonly Effect[]): void {
    const [first] = effects
    if (!first) return
    const removed = effects.filter(({ op }) => op === 'remove').length
    const updated = effects.length - removed
    this.#tell({ seq, op: 'bulk', collection: first.state.name, updated, removed, isLast: false })
  }

  end(): void {
    this.#listeners.clear()
  }

  /** @returns The seq behind which changes are new to the listener. */
  #catchUp(listener: Listener, after: number): number {
    // A seq from the future is of another life of this store: nothing is known of what came between.
    const missed = after < this.#droppedThrough || after > this.#seq
    if (missed) call(listener, { seq: this.#droppedThrough, op: 'gap' })
    for (const change of this.#recent) if (missed || change.seq > after) call(listener, change)
    return missed ? 0 : after
  }

  #tell(change: StoreChange): void {
    this.#recent.push(change)
    if (this.#recent.length >= 2 * kept) {
      this.#droppedThrough = this.#recent[kept - 1]?.seq ?? this.#droppedThrough
      this.#recent = this.#recent.slice(kept)
    }
    // The end of a bulk change has no commit of its own, and so no seq.
    const isEnd = change.op === 'bulk' && change.isLast
    for (const { listener, after } of this.#listeners) if (isEnd || change.seq > after) call(listener, change)
  }
}

const kept = 10_000

/** A listener's fault is its own: it must not stop a commit, and must not be lost. */
function call(listener: Listener, change: StoreChange): void {
  try {
    listener(change)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
