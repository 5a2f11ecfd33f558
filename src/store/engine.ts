import { type Budget, createBudget } from '../core/byte-budget.ts'
import { closedError, storeFault } from './io-errors.ts'
import { ChangeFeed } from './change-feed.ts'
import type { BlobPlace } from './entry.ts'
import type { Medium } from './medium.ts'
import { type BulkChange, type BulkDeps, runBulk } from './bulk.ts'
import { groupRecords, tallyTexts } from './groups.ts'
import { countRecords, readIds, readPage } from './pages.ts'
import { clampRange, findBlob, readBlobAt, readOne, readPlaces, readTexts } from './read-records.ts'
import { admit, blobNameIn, prepareChange } from './prepare.ts'
import { CommitQueue } from './commit-queue.ts'
import { assertPartitionName, type BlobId } from './names.ts'
import type { CollectionState } from './collection-state.ts'
import { Records } from './records.ts'
import { Views } from './views.ts'
import { type RestorableStore, restoringEffects, saveRecords } from './restore.ts'
import { recordMembers } from './store.ts'
import type { Blob, Change, Collection, Store, StoredRecord } from './store.ts'

/**
 * Creates a store over a medium: the same code for memory and for a folder.
 *
 * @param pendingBytes  How many bytes may wait to be stored before new records are refused.
 * @throws What the medium's `load` throws.
 */
export async function createStore(
  collections: readonly Collection<StoredRecord>[],
  medium: Medium,
  pendingBytes: number = defaultPendingBytes,
): Promise<RestorableStore> {
  const records = new Records(collections, medium)
  const seq = await medium.load(records)
  const feed = new ChangeFeed(seq)
  const queue = new CommitQueue(records, medium, feed, seq)
  medium.start({ records, move: (moves) => queue.move(moves) })
  const views = new Views()
  let closing: Promise<void> | null = null

  function assertOpen(): void {
    if (closing) throw closedError()
  }

  const parts = { records, medium, feed, queue, views, pending: createBudget(pendingBytes), assertOpen }
  return {
    ...viewOf(parts, ''),
    partition(name) {
      assertPartitionName(name)
      return viewOf(parts, name)
    },
    closePartition: (name, refusal) => views.close(name, refusal),
    database: () => Promise.resolve(null),
    partitions: () => records.collections.partitions(),
    async total({ name }, index = 'id') {
      assertOpen()
      const states = [...records.collections.everywhere(name)]
      return states.reduce((all, state) => all + state.index(index).size, 0)
    },
    figures: async () => ({ ...queue.figures, bytes: medium.usedBytes() }),
    onForeignChange: () => () => {},
    async removePartition(name) {
      assertPartitionName(name)
      assertOpen()
      const states = [...records.collections.statesOf(name)].filter(({ size }) => size > 0)
      await queue.apply(() => states.map((state) => ({ op: 'clear', state, count: state.size })), false)
      for (const { base } of states) await feed.endBulk(name, base)
      records.collections.retire(name)
      records.collections.dropRetired(records.dirty)
    },
    snapshot(wanted) {
      assertOpen()
      return saveRecords(wanted.map(({ name }) => records.collections.state(name)))
    },
    async restore(snapshot) {
      assertOpen()
      await queue.apply(() => restoringEffects(snapshot), true)
    },
    close() {
      closing ??= (async () => {
        await queue.idle()
        feed.end()
        await medium.close()
      })()
      return closing
    },
  }
}

const defaultPendingBytes = 64 * 1024 * 1024

interface EngineParts {
  readonly records: Records
  readonly medium: Medium
  readonly feed: ChangeFeed
  readonly queue: CommitQueue
  readonly views: Views
  /** Counts the bytes of commits that wait to be stored. */
  readonly pending: Budget
  assertOpen(): void
}

function viewOf(parts: EngineParts, partition: string): Store {
  const { records, medium, feed, views, assertOpen } = parts
  const view = views.open(partition)
  const stateOf = ({ name }: { readonly name: string }): CollectionState =>
    records.collections.stateIn(partition, name)

  function openState(collection: { readonly name: string }): CollectionState {
    assertOpen()
    return stateOf(collection)
  }

  async function readBlob<T>(id: BlobId, read: (place: BlobPlace) => Promise<T>): Promise<T | null> {
    assertOpen()
    try {
      return await readBlobAt(() => findBlob(records, partition, id), read)
    } catch (error) {
      throw storeFault(error, `Reading the blob ${id}`)
    }
  }

  return {
    commit: (changes, blobs) =>
      view.commit(changes, blobs, (all, ofAll = []) => commit(parts, stateOf, all, ofAll)),
    beforeCommit: (hook) => view.beforeCommit(hook),
    refusal: () => medium.refusal(),
    lowDisk: () => medium.lowDisk(),
    bulk: (collection, ids, change, options) =>
      view.change(async () => await runBulk(ids, change, bulkDeps(parts, openState(collection)), options)),
    get: async (collection, id) => await readOne(records, openState(collection), id),
    async find(collection, index, key) {
      const state = openState(collection)
      const found = state.index(index).find(key)
      return found ? await readOne(records, state, found.id) : null
    },
    page: async (collection, query = {}) => await readPage(records, openState(collection), query),
    ids: async (collection, query = {}) => await readIds(records, openState(collection), query),
    count: async (collection, query = {}) => await countRecords(records, openState(collection), query),
    tally: async (collection, text) => await tallyTexts(records, openState(collection), text),
    groups: async (collection, query) => await groupRecords(records, openState(collection), query),
    openBlob: (id, range) =>
      readBlob(id, (place) => {
        const { start, end } = clampRange(range, place.size)
        return medium.open(place, start, end)
      }),
    readBlob: (id) => readBlob(id, (place) => medium.read(place, 0, place.size)),
    async blobSize(id) {
      assertOpen()
      return (await findBlob(records, partition, id))?.size ?? null
    },
    async blobNames(collection, id) {
      return Object.keys((await readPlaces(records, openState(collection), id)) ?? {})
    },
    createBlob(id) {
      assertOpen()
      return medium.createBlob(id)
    },
    changes(listener, options) {
      assertOpen()
      return view.listening(feed.listen(partition, listener, options))
    },
    texts: null,
    isShared: false,
    caughtUp: () => Promise.resolve(),
    leadership: { isMine: () => true, onMine: () => () => {} },
    close: async () => view.stopListening(),
  }
}

async function commit(
  { medium, queue, pending, assertOpen }: EngineParts,
  stateOf: (collection: { readonly name: string }) => CollectionState,
  changes: readonly Change[],
  blobs: readonly Blob[],
): Promise<void> {
  assertOpen()
  const prepared = changes.map((change) => prepareChange(stateOf(change.collection), change))
  const named = blobs.map((blob) => ({ blob, name: blobNameIn(changes, blob) }))
  const texts = prepared.map((change) => (change.op === 'remove' ? '' : change.text))
  const size = admit(changes, texts, blobs, pending, () => medium.assertRoom())
  const taking: ReturnType<Medium['take']>[] = []
  try {
    const waiting = medium.waitForSpace(blobs)
    if (waiting) {
      await waiting
      assertOpen()
    }
    for (const { blob, name } of named) taking.push(medium.take(blob, name))
    await queue.commit(prepared, taking)
  } catch (error) {
    for (const { undo } of taking) undo(error)
    throw error
  } finally {
    pending.give(size)
  }
}

function bulkDeps(
  { records, queue, feed, pending, assertOpen }: EngineParts,
  state: CollectionState,
): BulkDeps<BulkChange> {
  return {
    facts: state.collection.facts,
    read(ids) {
      const rows = ids.map((id) => ({ id }))
      return readTexts(records, state, rows)
    },
    put(record, text) {
      const [keys, facts] = [state.keysOf(recordMembers(record)), state.factsOf(record)]
      return { op: 'update', state, id: record.id, version: record.version, text, keys, facts }
    },
    remove: (id) => ({ op: 'remove', state, id }),
    textBytes: (id) => state.textBytes(id),
    setFlag(ids, change, isBulk) {
      const flagged = ids.map((id): BulkChange => ({ op: 'flag', state, id, change }))
      return queue.bulk(flagged, isBulk)
    },
    commit: (changes, isBulk) => queue.bulk(changes, isBulk),
    end: () => feed.endBulk(state.partition, state.base),
    pending,
    assertOpen,
  }
}
