import { storeFault } from './io-errors.ts'
import type { LocalpostError } from '../core/errors.ts'
import type { BulkChange, BulkOutcome } from './bulk.ts'
import { asBulk, type ChangeFeed, type CommitChange, type StoredCommit } from './change-feed.ts'
import type { Medium, Move, StagedCommit, TakenBlob, Taking } from './medium.ts'
import { isNewAlone, type PreparedChange } from './prepare.ts'
import type { CollectionState } from './collection-state.ts'
import type { Effect, Records } from './records.ts'
import { Batch } from './batch.ts'
import { nextTurn } from '../core/machine.ts'

interface QueuedCommit {
  /** The records that have to be in memory before it is staged. */
  readonly changes: readonly (Move | PreparedChange | BulkChange)[]
  readonly isNew: boolean
  /** Whether one of its large blobs is still being written. */
  readonly isWriting?: boolean
  /** Whether no other commit may share its batch. */
  readonly isAlone?: boolean
  /** Adds it to a batch. @throws Why it is refused. */
  stage(batch: Batch): Promise<void>
}

type QueueItem = QueuedCommit & {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Takes commits in the order of the calls and stores those that wait at the same time with one write. */
export class CommitQueue {
  readonly #records: Records
  readonly #medium: Medium
  readonly #feed: ChangeFeed
  #seq: number
  #commits = 0
  #failures = 0
  #waiting: QueueItem[] = []
  #running: Promise<void> | null = null

  constructor(records: Records, medium: Medium, feed: ChangeFeed, seq: number) {
    this.#records = records
    this.#medium = medium
    this.#feed = feed
    this.#seq = seq
  }

  /** How many commits were stored, and how many writes failed. */
  get figures(): { readonly commits: number; readonly failures: number } {
    return { commits: this.#commits, failures: this.#failures }
  }

  commit(changes: readonly PreparedChange[], blobs: readonly Taking[]): Promise<void> {
    return this.#push({
      changes,
      isNew: isNewAlone(changes),
      isWriting: blobs.some((blob) => 'writing' in blob),
      stage: async (batch) => batch.stage(changes, await allTaken(blobs)),
    })
  }

  /** Commits a part of a bulk change. @param isBulk  Whether listeners get one change for all records. */
  async bulk(changes: readonly BulkChange[], isBulk: boolean): Promise<BulkOutcome> {
    let outcome: BulkOutcome = { applied: 0, stale: [] }
    await this.#push({
      changes,
      isNew: false,
      async stage(batch) {
        outcome = await batch.stageBulk(changes, isBulk)
      },
    })
    return outcome
  }

  move(moves: readonly Move[]): Promise<void> {
    return this.#push({ changes: moves, isNew: false, stage: (batch) => batch.stageMoves(moves) })
  }

  /** Commits effects that depend on the whole state in memory at that time, so that no other commit may share their batch. */
  apply(effects: () => readonly Effect[], isNew: boolean): Promise<void> {
    return this.#push({
      changes: [],
      isNew,
      isAlone: true,
      stage: async (batch) => batch.stageEffects(effects()),
    })
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    for (let turn = this.#running; turn; turn = this.#running) await turn
  }

  #push(commit: QueuedCommit): Promise<void> {
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ ...commit, resolve, reject }))
    this.#running ??= this.#run()
    return done
  }

  async #run(): Promise<void> {
    // Waiting for the next turn of the event loop lets all commits of this turn share one write.
    for (await nextTurn(); this.#waiting.length > 0; await nextTurn()) {
      const all = this.#waiting
      this.#waiting = []
      for (let next = 0; next < all.length;) next = await this.#runBatch(all, next)
    }
    this.#running = null
  }

  /** Loads the records that a commit changes into memory, if they are only in files; undefined if there are none. */
  #wake({ changes }: QueuedCommit): Promise<unknown> | undefined {
    // Most commits only add records, for which this costs nothing more.
    const ids = new Map<CollectionState, string[]>()
    let withText = false
    for (const change of changes) {
      const state = 'state' in change ? change.state : this.#records.collections.state(change.collection)
      if (!state.idIndex.mayRest(change.id)) continue
      const isFlag = 'op' in change && change.op === 'flag'
      if (isFlag && state.hasFlag(change.id, change.change)) continue
      // A flag, and a place of a blob, are set in the text of the stored record.
      withText ||= isFlag || 'from' in change
      const wanted = ids.get(state)
      if (wanted) wanted.push(change.id)
      else ids.set(state, [change.id])
    }
    const waking = [...ids].flatMap(
      ([state, wanted]) => this.#records.resting.wake(state, wanted, withText) ?? [],
    )
    return waking.length === 0 ? undefined : Promise.all(waking)
  }

  /** Stores a batch. Meanwhile all records that are in memory stay there. */
  async #runBatch(all: readonly QueueItem[], from: number): Promise<number> {
    const { resting } = this.#records
    resting.hold()
    try {
      return await this.#storeBatch(all, from)
    } finally {
      resting.letGo()
    }
  }

  /** @returns The position of the first commit that is not in this batch. */
  async #storeBatch(all: readonly QueueItem[], from: number): Promise<number> {
    const medium = this.#medium
    const batch = new Batch(this.#records, medium, this.#seq)
    const staged: QueueItem[] = []
    let next = from
    while (next < all.length && next - from < maxBatchCommits && batch.size < maxBatchBytes) {
      const item = all[next]
      // A commit whose large blob is still being written does not hold up those before it.
      if (!item || (staged.length > 0 && (item.isAlone || item.isWriting))) break
      next++
      try {
        const waking = this.#wake(item)
        if (waking) await waking
        await item.stage(batch)
        staged.push(item)
      } catch (error) {
        item.reject(error)
      }
      if (item.isAlone) break
    }
    try {
      if (batch.commits.length > 0) await medium.write(batch.commits, !staged.some(({ isNew }) => isNew))
    } catch (error) {
      this.#failures++
      await this.#refuse(staged, storeFault(error, 'Storing a commit'))
      return next
    }
    this.#seq += batch.commits.length
    this.#commits += batch.commits.length
    this.#records.apply(batch.commits.flatMap((commit) => commit.effects))
    medium.applied()
    for (const item of staged) item.resolve()
    await this.#feed.publish(batch.commits.map(toStored))
    return next
  }

  /**
   * Rejects the commits of a batch that was not written. On a full disk, those that may free space are written without
   * the others.
   */
  async #refuse(staged: readonly QueueItem[], fault: LocalpostError): Promise<void> {
    const others = staged.filter(({ isNew }) => !isNew)
    const isRetried = fault.code === 'store_full' && others.length < staged.length
    for (const item of staged) if (item.isNew || !isRetried) item.reject(fault)
    for (let at = 0; isRetried && at < others.length;) at = await this.#runBatch(others, at)
  }
}

// One batch is staged, encoded and applied without a pause, so these limits bound how long the event loop is blocked.
const maxBatchCommits = 256
const maxBatchBytes = 4 * 1024 * 1024

/** A commit as listeners get it. All its changes are of one partition. */
function toStored({ seq, effects, isBulk }: StagedCommit): StoredCommit {
  const changes = effects.flatMap((effect): CommitChange[] => {
    const collection = effect.state.base
    if (effect.op === 'clear')
      return [{ op: 'bulk', collection, updated: 0, removed: effect.count, isLast: false }]
    if (effect.op === 'remove') return [{ op: 'remove', collection, id: effect.id }]
    return effect.kind === 'move' ? [] : [{ op: effect.kind, collection, id: effect.draft.id }]
  })
  const partition = effects[0]?.state.partition ?? ''
  return { seq, partition, changes: isBulk ? asBulk(changes) : changes }
}

async function allTaken(blobs: readonly Taking[]): Promise<TakenBlob[]> {
  const taken: TakenBlob[] = []
  for (const blob of blobs) taken.push('taken' in blob ? blob.taken : await blob.writing)
  return taken
}
