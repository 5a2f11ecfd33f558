import type { Budget } from '../../core/byte-budget.ts'
import { HeldBlobWriter } from '../blob-writer.ts'
import { type BulkDeps, runBulk } from '../bulk.ts'
import { bulkEnd, type ChangeFeed } from '../change-feed.ts'
import { misuse } from '../io-errors.ts'
import { admit, blobNameIn } from '../prepare.ts'
import type { Blob, Change, Store } from '../store.ts'
import type { Named } from '../texts.ts'
import type { Views } from '../views.ts'
import { type Blobs, maxInlineBytes } from './blobs.ts'
import type { Connection } from './connection.ts'
import type { Follower } from './follower.ts'
import type { Membership } from './membership.ts'
import { createReads, selectTexts } from './reads.ts'
import { type BulkRowChange, toRowChange } from './row-change.ts'
import type { Shard, Table } from './table.ts'
import { createTexts, type Searching } from './texts.ts'
import type { Upkeep } from './upkeep.ts'
import type { Writer } from './writer.ts'

/** The parts of an open store that all its partitions use. */
export interface SharedParts {
  readonly tables: ReadonlyMap<string, Table>
  readonly membership: Membership
  /** For reads of records and blobs. */
  readonly reads: Connection
  /** For what is stored and read of texts. */
  readonly searches: Connection
  readonly searching: Searching
  readonly writer: Writer
  readonly blobs: Blobs
  readonly feed: ChangeFeed
  readonly follower: Follower
  readonly upkeep: Upkeep
  readonly views: Views
  /** Of the bytes that wait to be stored. */
  readonly pending: Budget
  /** Of the bytes of unfinished blobs in memory. */
  readonly held: Budget
  /** @throws closed. */
  assertOpen(): void
}

/** The store as users of one partition see it. */
export function openPartition(partition: string, parts: SharedParts): Store {
  const { feed, follower, membership, upkeep, blobs, assertOpen } = parts
  const view = parts.views.open(partition)
  const shardOf = (collection: Named): Shard => {
    assertOpen()
    return { table: tableOf(parts, collection), partition }
  }
  return {
    commit: (changes, given) =>
      view.commit(changes, given, (all, named = []) => commit(partition, all, named, parts)),
    beforeCommit: (hook) => view.beforeCommit(hook),
    refusal: () => upkeep.trouble.fault,
    lowDisk: () => Promise.resolve(null),
    bulk: (collection, ids, change, options) =>
      view.change(async () => runBulk(ids, change, bulkDeps(shardOf(collection), parts), options)),
    ...createReads(parts.reads, shardOf),
    ...blobs.reads(partition, shardOf, assertOpen),
    createBlob(id) {
      assertOpen()
      return new HeldBlobWriter(id, maxInlineBytes, parts.held, () => blobs.createSpool())
    },
    changes(listener, options) {
      assertOpen()
      return view.listening(feed.listen(partition, listener, options))
    },
    texts: createTexts(parts.searches, parts.searching, shardOf),
    isShared: true,
    caughtUp() {
      assertOpen()
      return membership.lease.knowsAll(follower.toldSeq) ? Promise.resolve() : follower.caughtUp()
    },
    leadership: membership.lease,
    close: async () => view.stopListening(),
  }
}

/** Removes all records of a partition, see `PartitionedStore.removePartition`. */
export async function removePartition(
  partition: string,
  parts: Pick<SharedParts, 'tables' | 'reads' | 'writer' | 'feed' | 'assertOpen'>,
): Promise<void> {
  const { tables, writer } = parts
  parts.assertOpen()
  const reads = createReads(parts.reads, (collection) => ({ table: tableOf(parts, collection), partition }))
  const changed = new Set<string>()
  let removals: BulkRowChange[]
  try {
    do {
      removals = []
      for (const table of tables.values()) {
        const ids = await reads.ids(table.collection, { limit: removedAtOnce - removals.length })
        for (const id of ids) removals.push({ table, id, row: null })
        if (ids.length > 0) changed.add(table.name)
        if (removals.length === removedAtOnce) break
      }
      if (removals.length > 0) await writer.bulk(partition, removals, true)
    } while (removals.length === removedAtOnce)
  } finally {
    await Promise.all([...changed].map((collection) => endBulk(partition, collection, parts)))
  }
}

/** How many records of a removed partition one transaction removes at most: other commits wait until it ends. */
const removedAtOnce = 1000

/** @throws internal_error if the store was opened without the collection. */
export function tableOf({ tables }: Pick<SharedParts, 'tables'>, { name }: Named): Table {
  const table = tables.get(name)
  if (!table) throw misuse(`The store was opened without the collection ${JSON.stringify(name)}.`)
  return table
}

async function commit(
  partition: string,
  changes: readonly Change[],
  given: readonly Blob[],
  parts: Pick<SharedParts, 'tables' | 'blobs' | 'pending' | 'upkeep' | 'writer' | 'assertOpen'>,
): Promise<void> {
  const { blobs, pending, upkeep, writer, assertOpen } = parts
  assertOpen()
  const prepared = changes.map((change) => toRowChange(tableOf(parts, change.collection), change))
  const named = given.map((blob) => ({ blob, ...blobNameIn(changes, blob) }))
  const texts = prepared.map(({ row }) => row?.text ?? '')
  const size = admit(changes, texts, given, pending, () => {
    if (upkeep.trouble.fault) throw upkeep.trouble.fault
  })
  try {
    await writer.commit(partition, prepared, blobs.stage(named))
  } finally {
    pending.give(size)
  }
}

function bulkDeps(
  place: Shard,
  parts: Pick<SharedParts, 'reads' | 'writer' | 'feed' | 'pending' | 'assertOpen'>,
): BulkDeps<BulkRowChange> {
  const { table, partition } = place
  const { reads, writer, pending, assertOpen } = parts
  return {
    facts: table.facts,
    read: (ids) => selectTexts(reads, place, ids),
    put: (record, text) => ({ table, id: record.id, row: table.rowOf(record, text) }),
    remove: (id) => ({ table, id, row: null }),
    // The database sets the flag: no text comes here.
    textBytes: () => 0,
    setFlag: (ids, change, isBulk) => writer.setFlag(partition, { table, ids, change }, isBulk),
    commit: (changes, isBulk) => writer.bulk(partition, changes, isBulk),
    end: () => endBulk(partition, table.name, parts),
    pending,
    assertOpen,
  }
}

/** Notifies the listeners of all instances that a bulk change has ended. */
async function endBulk(
  partition: string,
  collection: string,
  { writer, feed }: Pick<SharedParts, 'writer' | 'feed'>,
): Promise<void> {
  try {
    await writer.notify(partition, bulkEnd(collection))
  } catch {
    // The other instances read everything again at the next change.
    await feed.endBulk(partition, collection)
  }
}
