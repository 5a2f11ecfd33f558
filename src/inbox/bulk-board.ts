import { idleSleep, monotonicNow } from '../core/machine.ts'
import type { Following } from '../store/follow.ts'
import { changeRecord } from '../store/repository.ts'
import { type Collection, insert, type Store, type StoredRecord } from '../store/store.ts'
import type { BulkProgress } from './types.ts'

/** A change of many mails, as stored if instances share a store. */
interface BulkRecord extends StoredRecord, BulkProgress {
  /** Set when it is cancelled at another instance than its own. */
  is_cancelled: boolean
}

export const bulkChangeCollection: Collection<BulkRecord> = { name: 'bulk_changes', indexes: {} }

/** The changes of many mails of all instances that share a store. */
export interface BulkBoard {
  /**
   * Stores a new change of this instance, and its progress until `end` is called.
   *
   * @param progress  Changes as the change does.
   * @param abort  Called when it is cancelled at another instance.
   */
  add(progress: Readonly<BulkProgress>, abort: () => void): Promise<void>
  /** Waits until the earlier changes of other instances have ended, or until it is cancelled. */
  waitForTurn(id: string, signal: AbortSignal): Promise<void>
  /** Stores the outcome. If that fails, the other instances consider the change failed. */
  end(id: string): Promise<void>
  /** The stored changes. */
  list(): BulkProgress[]
  /** Has the instance of a change cancel it. @returns null if there is no such change. */
  cancel(id: string): Promise<BulkProgress | null>
  /** Sets the function that is called with the progress of the changes of other instances. */
  onProgress(listener: (progress: BulkProgress) => void): void
}

/** A change of this instance that has not ended. */
interface OwnChange {
  readonly progress: Readonly<BulkProgress>
  readonly abort: () => void
  hasEnded: boolean
}

/** A stored change, and when this instance saw it written last. */
interface KnownChange {
  readonly record: BulkRecord
  readonly at: number
}

/** @returns null if only this process uses the store. */
export async function openBulkBoard({
  store,
  following,
}: {
  store: Store
  following: Following
}): Promise<BulkBoard | null> {
  if (!store.isShared) return null
  const known = new Map<string, KnownChange>()
  const own = new Map<string, OwnChange>()
  /** The ids of the stored changes that began at this instance. */
  const ours = new Set<string>()
  let listener: (progress: BulkProgress) => void = () => {}

  await following.open(store, bulkChangeCollection, {
    ids: () => known.keys(),
    put(record) {
      if (known.get(record.id)?.record.version === record.version) return
      known.set(record.id, { record, at: monotonicNow() })
      const mine = own.get(record.id)
      // If it was not written for too long, the other instances consider it failed.
      if (mine && !mine.hasEnded && (record.is_cancelled || isEnded(record))) mine.abort()
      if (!ours.has(record.id)) listener(progressOf(record))
    },
    remove(id) {
      known.delete(id)
      ours.delete(id)
    },
  })

  /** Whether the instance of a change has stopped writing it. */
  function isLost({ record, at }: KnownChange): boolean {
    return !isEnded(record) && !ours.has(record.id) && monotonicNow() - at > silentMs
  }

  /** Marks a lost change as failed. Its instance may only be suspended: if it continues, it then aborts the change. */
  function markFailed({ record: { id, version } }: KnownChange): void {
    changeRecord(store, bulkChangeCollection, id, 'bulk change', (stored): BulkRecord =>
      stored.version === version ? { ...stored, state: 'failed' } : stored,
    ).catch(() => {})
  }

  /** Stores the progress of a change, even if it did not change, so that the other instances know that it is running. */
  async function write({ progress }: OwnChange): Promise<void> {
    await changeRecord(store, bulkChangeCollection, progress.id, 'bulk change', (stored) => ({
      ...stored,
      ...progress,
    }))
  }

  async function writeOften(mine: OwnChange): Promise<void> {
    let written = JSON.stringify(mine.progress)
    let writtenAt = monotonicNow()
    for (;;) {
      await idleSleep(writeMs)
      if (mine.hasEnded) return
      const now = JSON.stringify(mine.progress)
      if (now === written && monotonicNow() - writtenAt < unchangedWriteMs) continue
      await write(mine).then(
        () => void (written = now),
        () => {},
      )
      writtenAt = monotonicNow()
    }
  }

  async function trim(): Promise<void> {
    const ended = [...known.values()].filter(({ record }) => isEnded(record)).map(({ record }) => record.id)
    const gone = ended.sort().slice(0, -mostEnded)
    if (gone.length > 0) await store.bulk(bulkChangeCollection, gone, 'remove')
  }

  return {
    async add(progress, abort) {
      const mine = { progress, abort, hasEnded: false }
      own.set(progress.id, mine)
      ours.add(progress.id)
      await store.commit([insert(bulkChangeCollection, { ...progress, is_cancelled: false })])
      void writeOften(mine)
      // `waitForTurn` waits for earlier changes, so all that were acknowledged before this one must be known.
      await store.caughtUp()
      await following.settled()
    },
    async waitForTurn(id, signal) {
      for (;;) {
        const earlier = [...known.values()].filter(
          ({ record }) => record.id < id && !ours.has(record.id) && !isEnded(record),
        )
        const lost = earlier.filter(isLost)
        lost.forEach(markFailed)
        if (signal.aborted || earlier.length === lost.length) return
        await idleSleep(lookMs)
      }
    },
    async end(id) {
      const mine = own.get(id)
      if (!mine) return
      mine.hasEnded = true
      try {
        await write(mine)
        await trim()
      } catch {
        // The others will consider it failed after a while without writes.
        ours.delete(id)
      } finally {
        own.delete(id)
      }
    },
    list: () =>
      Array.from(known.values(), (one) => {
        if (!isLost(one)) return progressOf(one.record)
        markFailed(one)
        return { ...progressOf(one.record), state: 'failed' }
      }),
    async cancel(id) {
      const found = known.get(id)
      if (!found) return null
      if (isEnded(found.record)) return progressOf(found.record)
      const record = await changeRecord(store, bulkChangeCollection, id, 'bulk change', (stored) =>
        isEnded(stored) ? stored : { ...stored, is_cancelled: true },
      )
      return progressOf(record)
    },
    onProgress: (given) => void (listener = given),
  }
}

/** How many of the changes that have ended are kept. */
export const mostEnded = 20
/** How often the progress of a change is stored while there is any. */
const writeMs = 200
/** How often a change without progress is stored. */
const unchangedWriteMs = 3000
/** If a change is not written for this long, its instance counts as lost. */
const silentMs = 12_000
/** How often a change that waits for others looks for them. */
const lookMs = 50

export function isEnded({ state }: BulkProgress): boolean {
  return state !== 'waiting' && state !== 'running'
}

function progressOf({ id, change, state, done, total }: BulkProgress): BulkProgress {
  return { id, change, state, done, total }
}
