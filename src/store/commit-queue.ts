import { storeFault } from './io-errors.ts'
import type { BulkChange, BulkOutcome } from './bulk.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { Medium, Move, TakenBlob, Taking } from './medium.ts'
import { isNewAlone, type PreparedChange } from './prepare.ts'
import type { CollectionState } from './collection-state.ts'
import type { Effect, Records } from './records.ts'
import { restoringEffects, type StoreSnapshot } from './restore.ts'
import { Batch } from './batch.ts'
import { nextTurn } from '../core/machine.ts'

/** A commit that waits to be stored. */
type Waiting = { readonly resolve: () => void; readonly reject: (error: unknown) => void } & (
  | {
      readonly changes: readonly PreparedChange[]
      readonly blobs: readonly Taking[]
    }
  | { readonly bulk: readonly BulkChange[]; readonly outcome: BulkOutcome; readonly isBulk: boolean }
  | { readonly moves: readonly Move[] }
  | { readonly snapshot: StoreSnapshot }
  | { readonly cleared: readonly CollectionState[] }
)

/** Commits that depend on the whole state in memory, so that no other commit may share their batch. */
type Alone = Extract<Waiting, { snapshot: unknown } | { cleared: unknown }>

const isAlone = (item: Waiting): item is Alone => 'snapshot' in item || 'cleared' in item

function clearingEffects(states: readonly CollectionState[]): Effect[] {
  return states.map((state) => ({ op: 'clear', state, count: state.size }))
}

/** Takes commits in the order of the calls and stores those that wait at the same time with one write. */
export interface CommitQueue {
  commit(changes: readonly PreparedChange[], blobs: readonly Taking[]): Promise<void>
  /**
   * Commits a part of a bulk change.
   *
   * @param isBulk  Whether listeners get one change for all records.
   */
  bulk(changes: readonly BulkChange[], isBulk: boolean): Promise<BulkOutcome>
  move(moves: readonly Move[]): Promise<void>
  /** Restores the records of a snapshot, in the order of the calls and in a write of its own. */
  restore(snapshot: StoreSnapshot): Promise<void>
  /** Removes all records of these collections, likewise. */
  clear(states: readonly CollectionState[]): Promise<void>
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>
}

/**
 * @param seq  The number of the last commit in the medium.
 */
export function createCommitQueue(deps: {
  records: Records
  medium: Medium
  feed: ChangeFeed
  seq: number
}): CommitQueue {
  const { records, medium, feed } = deps
  let seq = deps.seq
  let waiting: Waiting[] = []
  let running: Promise<void> | null = null

  function push(make: (resolve: () => void, reject: (error: unknown) => void) => Waiting): Promise<void> {
    const done = new Promise<void>((resolve, reject) => waiting.push(make(resolve, reject)))
    running ??= run()
    return done
  }

  async function run(): Promise<void> {
    // Waiting for the next turn of the event loop lets all commits of this turn share one write.
    for (await nextTurn(); waiting.length > 0; await nextTurn()) {
      const all = waiting
      waiting = []
      for (let next = 0; next < all.length;) next = await runBatch(all, next)
    }
    running = null
  }

  /** Loads the records that a commit changes into memory, if they are only in files; undefined if there are none. */
  function wake(item: Waiting): Promise<void> | undefined {
    if (isAlone(item)) return undefined
    // Most commits only add records, for which this costs nothing more.
    let ids: Map<CollectionState, string[]> | null = null
    for (const change of changesOf(item)) {
      const state = 'state' in change ? change.state : records.state(change.collection)
      if (!state.idIndex.mayRest(change.id)) continue
      ids ??= new Map()
      const wanted = ids.get(state)
      if (wanted) wanted.push(change.id)
      else ids.set(state, [change.id])
    }
    if (ids === null) return undefined
    const moves = 'moves' in item
    const waking = [...ids]
      .map(([state, wanted]) => records.resting.wake(state, wanted, moves))
      .filter((one) => one !== undefined)
    return waking.length === 0 ? undefined : Promise.all(waking).then(() => {})
  }

  /** Stores a batch. Meanwhile all records that are in memory stay there. */
  async function runBatch(all: readonly Waiting[], from: number): Promise<number> {
    records.resting.hold()
    try {
      return await storeBatch(all, from)
    } finally {
      records.resting.letGo()
    }
  }

  /** @returns The position of the first commit that is not in this batch. */
  async function storeBatch(all: readonly Waiting[], from: number): Promise<number> {
    const batch = new Batch(records, medium, seq)
    const staged: Waiting[] = []
    let next = from
    while (next < all.length && next - from < batchCommits && batch.size < batchBytes) {
      const item = all[next]
      // A commit whose large blob is still being written does not hold up those before it.
      if (!item || (staged.length > 0 && 'blobs' in item && item.blobs.some(isWriting))) break
      if (isAlone(item)) {
        if (staged.length > 0) break
        batch.stageEffects(
          'snapshot' in item ? restoringEffects(item.snapshot) : clearingEffects(item.cleared),
        )
        staged.push(item)
        next++
        break
      }
      next++
      try {
        const waking = wake(item)
        if (waking) await waking
        if ('moves' in item) batch.stageMoves(item.moves)
        else if ('bulk' in item) await batch.stageBulk(item.bulk, item.outcome, item.isBulk)
        else await batch.stage(item.changes, await allTaken(item.blobs))
        staged.push(item)
      } catch (error) {
        item.reject(error)
      }
    }
    try {
      if (batch.commits.length > 0) await medium.write(batch.commits, !staged.some(isNew))
    } catch (error) {
      const fault = storeFault(error, 'Storing a commit')
      // On a full disk, commits that free space must not fail together with the new mail in their batch.
      const others = staged.filter((item) => !isNew(item))
      const isMixed = fault.code === 'store_full' && others.length < staged.length
      for (const item of staged) if (!isMixed || isNew(item)) item.reject(fault)
      for (let at = 0; isMixed && at < others.length;) at = await runBatch(others, at)
      return next
    }
    seq += batch.commits.length
    records.apply(batch.commits.flatMap((commit) => commit.effects))
    medium.applied()
    for (const item of staged) item.resolve()
    await feed.publish(batch.commits)
    return next
  }

  return {
    commit: (changes, blobs) => push((resolve, reject) => ({ changes, blobs, resolve, reject })),
    async bulk(bulk, isBulk) {
      const outcome: BulkOutcome = { applied: 0, stale: [] }
      await push((resolve, reject) => ({ bulk, outcome, isBulk, resolve, reject }))
      return outcome
    },
    move: (moves) => push((resolve, reject) => ({ moves, resolve, reject })),
    restore: (snapshot) => push((resolve, reject) => ({ snapshot, resolve, reject })),
    clear: (cleared) => push((resolve, reject) => ({ cleared, resolve, reject })),
    async idle() {
      for (let turn = running; turn; turn = running) await turn
    },
  }
}

// One batch is staged, encoded and applied without a pause, so these limits bound how long the event loop is blocked.
const batchCommits = 256
const batchBytes = 4 * 1024 * 1024

function changesOf(item: Exclude<Waiting, Alone>): readonly (Move | PreparedChange | BulkChange)[] {
  if ('moves' in item) return item.moves
  return 'bulk' in item ? item.bulk : item.changes
}

function isNew(item: Waiting): boolean {
  return 'snapshot' in item || ('changes' in item && isNewAlone(item.changes))
}

const isWriting = (blob: Taking): boolean => 'writing' in blob

async function allTaken(blobs: readonly Taking[]): Promise<TakenBlob[]> {
  const taken: TakenBlob[] = []
  for (const blob of blobs) taken.push('taken' in blob ? blob.taken : await blob.writing)
  return taken
}
