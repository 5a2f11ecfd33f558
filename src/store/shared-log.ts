import { idleSleep, monotonicNow, sleep } from '../core/machine.ts'
import type { IndexKey } from './queries.ts'
import { type Collection, insert, type Store, type StoredRecord } from './store.ts'

/** How many records of a kind are kept. */
export interface LogLimit {
  readonly index: string
  readonly prefix: IndexKey
  readonly most: number
}

/**
 * The last records of a log that all instances of a store write. Adding a record does not wait until it is stored: they
 * are stored in batches, and in a flood only the newest.
 */
export interface SharedLog<T extends StoredRecord> {
  /** @param make  Called shortly before the record is stored. */
  add(make: () => Omit<T, 'version'>): void
  /** Waits for what was added here, and for the time that other instances need to store what was added there. */
  stored(): Promise<void>
  clear(): Promise<void>
}

/** @param onForeign  Called with the id of a record that another instance has added. */
export function createSharedLog<T extends StoredRecord>(deps: {
  store: Store
  collection: Collection<T>
  limits: readonly LogLimit[]
  onForeign(id: string): void
}): SharedLog<T> {
  const { store, collection, limits, onForeign } = deps
  let waiting: (() => Omit<T, 'version'>)[] = []
  let isRunning = false
  let storing: Promise<void> = Promise.resolve()
  /** The ids of records that this instance has stored, until the store reports them as changes. */
  const own = new Set<string>()

  store.changes(
    (change) => {
      if (change.op === 'gap') own.clear()
      if (change.op === 'insert' && !own.delete(change.id)) onForeign(change.id)
    },
    { of: collection },
  )

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      // What is logged may not be complete yet: the last reply of a transaction may be missing.
      await idleSleep(gatherMs)
      const began = monotonicNow()
      await storeNow()
      // Commits run one after the other, and mail must not wait for logs: they take at most a tenth of the time.
      await idleSleep(Math.min(Math.max(pauseMs, 9 * (monotonicNow() - began)), longestPauseMs))
    }
    isRunning = false
  }

  function storeNow(): Promise<void> {
    storing = storeWaiting()
    return storing
  }

  /** Never rejects: what cannot be stored is not logged. */
  async function storeWaiting(): Promise<void> {
    const newest = waiting.slice(-maxAtOnce)
    waiting = []
    if (newest.length === 0) return
    let batch: Omit<T, 'version'>[] = []
    try {
      batch = newest.map((make) => make())
      for (const { id } of batch) own.add(id)
      await store.commit(batch.map((record) => insert(collection, record)))
      for (const limit of limits) await trim(limit)
    } catch {
      for (const { id } of batch) own.delete(id)
    }
  }

  async function trim({ index, prefix, most }: LogLimit): Promise<void> {
    const over = (await store.count(collection, { index, prefix })) - most
    if (over > 0)
      await store.bulk(collection, await store.ids(collection, { index, prefix, limit: over }), 'remove')
  }

  return {
    add(make) {
      if (waiting.length >= 2 * maxAtOnce) waiting = waiting.slice(-maxAtOnce)
      waiting.push(make)
      if (!isRunning) void run()
    },
    async stored() {
      await sleep(gatherMs + pauseMs + storingMs)
      await storing
      // A list must contain what this instance logged before, even if the next batch still waits for its pause to end.
      if (waiting.length > 0) await storeNow()
    },
    async clear() {
      waiting = []
      await storing
      await store.bulk(collection, await store.ids(collection), 'remove')
    },
  }
}

/** How many records one commit stores. */
const maxAtOnce = 100
/** How long to gather records before a commit. */
const gatherMs = 20
/** How long to wait after a commit: at least, and at most. */
const pauseMs = 100
const longestPauseMs = 2000
/** How long a commit of another instance may take. */
const storingMs = 50
