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

/**
 * The changes of many mails of all instances that share a store. The instance of a change writes its record: every 200 ms
 * while there is progress, else every three seconds. The others mark it failed if it was not written for twelve seconds,
 * and its instance then aborts it. Any instance may set `is_cancelled`.
 */
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

/** A change that began at this instance. */
interface OwnChange {
  readonly progress: Readonly<BulkProgress>
  readonly abort: () => void
  hasEnded: boolean
}

/** A stored change, and when this instance saw it written last. */
interface StoredChange {
  readonly record: BulkRecord
  readonly seenAt: number
}

/** @returns null if only this process uses the store. */
export async function openBulkBoard(deps: { store: Store; following: Following }): Promise<BulkBoard | null> {
  const { store, following } = deps
  if (!store.isShared) return null
  const stored = new Map<string, StoredChange>()
  /** The changes that began at this instance, until they have ended and their records are removed. */
  const local = new Map<string, OwnChange>()
  let listener: (progress: BulkProgress) => void = () => {}

  await following.open(store, bulkChangeCollection, {
    ids: () => stored.keys(),
    put(record) {
      if (stored.get(record.id)?.record.version === record.version) return
      stored.set(record.id, { record, seenAt: monotonicNow() })
      const change = local.get(record.id)
      if (!change) listener(progressOf(record))
      // If it was not written for too long, the other instances consider it failed.
      else if (!change.hasEnded && (record.is_cancelled || isEnded(record))) change.abort()
    },
    remove(id) {
      stored.delete(id)
      if (local.get(id)?.hasEnded) local.delete(id)
    },
  })

  /** Whether the instance of a change has stopped writing it. */
  function isLost({ record, seenAt }: StoredChange): boolean {
    return !isEnded(record) && !local.has(record.id) && monotonicNow() - seenAt > silentMs
  }

  /** Marks a lost change as failed. Its instance may only be suspended: if it continues, it then aborts the change. */
  function markFailed({ record: { id, version } }: StoredChange): void {
    changeRecord(store, bulkChangeCollection, id, 'bulk change', (record): BulkRecord =>
      record.version === version ? { ...record, state: 'failed' } : record,
    ).catch(() => {})
  }

  /** Stores the progress of a change, even if it did not change, so that the other instances know that it is running. */
  async function write({ progress }: OwnChange): Promise<void> {
    await changeRecord(store, bulkChangeCollection, progress.id, 'bulk change', (record) => {
      return { ...record, ...progress }
    })
  }

  async function writeUntilEnd(change: OwnChange): Promise<void> {
    let written = JSON.stringify(change.progress)
    let writtenAt = monotonicNow()
    for (;;) {
      await idleSleep(writeMs)
      if (change.hasEnded) return
      const current = JSON.stringify(change.progress)
      if (current === written && monotonicNow() - writtenAt < unchangedWriteMs) continue
      await write(change).then(
        () => void (written = current),
        () => {},
      )
      writtenAt = monotonicNow()
    }
  }

  async function trim(): Promise<void> {
    const ended = [...stored.values()].filter(({ record }) => isEnded(record)).map(({ record }) => record.id)
    const oldest = ended.sort().slice(0, -maxEnded)
    if (oldest.length > 0) await store.bulk(bulkChangeCollection, oldest, 'remove')
  }

  return {
    async add(progress, abort) {
      const change = { progress, abort, hasEnded: false }
      local.set(progress.id, change)
      await store.commit([insert(bulkChangeCollection, { ...progress, is_cancelled: false })])
      void writeUntilEnd(change)
      // `waitForTurn` waits for earlier changes, so all that were acknowledged before this one must be known.
      await store.caughtUp()
      await following.settled()
    },
    async waitForTurn(id, signal) {
      for (;;) {
        const earlier = [...stored.values()].filter(
          ({ record }) => record.id < id && !local.has(record.id) && !isEnded(record),
        )
        const lost = earlier.filter(isLost)
        lost.forEach(markFailed)
        if (signal.aborted || earlier.length === lost.length) return
        await idleSleep(lookMs)
      }
    },
    async end(id) {
      const change = local.get(id)
      if (!change) return
      change.hasEnded = true
      try {
        await write(change)
        await trim()
        if (!stored.has(id)) local.delete(id)
      } catch {
        // All instances will consider it failed after a while without writes.
        local.delete(id)
      }
    },
    list: () =>
      Array.from(stored.values(), (change) => {
        if (!isLost(change)) return progressOf(change.record)
        markFailed(change)
        return { ...progressOf(change.record), state: 'failed' }
      }),
    async cancel(id) {
      const found = stored.get(id)?.record
      if (!found || isEnded(found)) return found ? progressOf(found) : null
      const record = await changeRecord(store, bulkChangeCollection, id, 'bulk change', (record) =>
        isEnded(record) ? record : { ...record, is_cancelled: true },
      )
      return progressOf(record)
    },
    onProgress: (given) => void (listener = given),
  }
}

/** How many of the changes that have ended are kept. */
export const maxEnded = 20
/** How often the progress of a change is stored while there is any. */
const writeMs = 200
/** How often a change without progress is stored. */
const unchangedWriteMs = 3000
/** If a change is not written for this long, its instance counts as lost. */
const silentMs = 12_000
/** How often a change that waits for others looks for them. */
const lookMs = 50

/** Whether a change neither waits nor runs. */
export function isEnded({ state }: BulkProgress): boolean {
  return state !== 'waiting' && state !== 'running'
}

function progressOf({ id, change, state, done, total }: BulkProgress): BulkProgress {
  return { id, change, state, done, total }
}
