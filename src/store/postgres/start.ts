import type { Pool } from 'pg'
import { createBudget } from '../../core/byte-budget.ts'
import { systemClock } from '../../core/clock.ts'
import type { LocalpostError } from '../../core/errors.ts'
import { createJobQueue } from '../../core/job-queue.ts'
import { HeldBlobWriter } from '../blob-writer.ts'
import { runBulk } from '../bulk.ts'
import { bulkEnd, ChangeFeed } from '../change-feed.ts'
import { assertPartitionName } from '../names.ts'
import { closedError, misuse } from '../io-errors.ts'
import { admit, blobNameIn } from '../prepare.ts'
import type { Blob, Change, Store } from '../store.ts'
import type { PartitionedStore } from '../partitioned-store.ts'
import { Blobs, mostInline } from './blobs.ts'
import { Connection } from './connection.ts'
import { databaseFault } from './faults.ts'
import { Follower } from './follower.ts'
import { channelOf, Listening } from './listening.ts'
import type { Membership } from './membership.ts'
import { createReads, selectTexts, totalOf } from './reads.ts'
import { type BulkRowChange, toRowChange } from './staging.ts'
import { createTexts } from './texts.ts'
import type { TextSearch } from './texts-schema.ts'
import { type RunStoppable, withStoppable } from './stoppable.ts'
import { readStatus, sizeOfTables } from './status.ts'
import type { Shard, Table } from './table.ts'
import { Upkeep } from './upkeep.ts'
import type { Named } from '../texts.ts'
import { Views } from '../views.ts'
import { Writer } from './writer.ts'
import { readState } from './store-state.ts'

/** Settings of a store in PostgreSQL. */
export interface StoreSettings {
  /** How many bytes may wait to be stored before new records are refused. Default: 64 MiB. */
  readonly pendingBytes?: number
  /** How many bytes unfinished blobs hold in memory, all together. Default: 32 MiB. */
  readonly heldBytes?: number
  /** Called with operational warnings, one or two sentences each. Default: none. */
  readonly onNotice?: (text: string) => void
}

/** The opened parts of a store: its tables, and a pool of connections for each kind of work. */
export interface StoreParts extends StoreSettings {
  readonly schema: string
  readonly tables: ReadonlyMap<string, Table>
  readonly search: TextSearch
  readonly membership: Membership
  readonly writing: Pool
  readonly reading: Pool
  /** For searches of texts. */
  readonly searching: Pool
  /** For notifications of other instances. */
  readonly calls: Pool
}

/** Starts a store whose tables are prepared. The store closes the pools. */
export async function startStore(deps: StoreParts): Promise<PartitionedStore> {
  const { schema, tables, membership, writing, reading, calls, onNotice = () => {} } = deps
  const searchPool = deps.searching
  let closing: Promise<void> | null = null
  const own = new Connection(writing, schema)
  const toError = (error: unknown): LocalpostError => (closing ? closedError() : databaseFault(error))
  // One of its connections is for reads that must not wait for others.
  const readQueue = createJobQueue(systemClock, reading.options.max - 1, mostReads, 'reads')
  const searchQueue = createJobQueue(systemClock, searchPool.options.max, mostSearches, 'searches')
  const shared = new Connection(reading, schema, { toError, queue: readQueue })
  const urgent = new Connection(reading, schema, { toError })
  const listening = new Listening(
    calls,
    schema,
    membership.id,
    (hasResigned) => void (hasResigned ? upkeep.run() : follower.look()),
  )
  const foreign = new Set<(partition: string) => void>()
  const state = await readState(own)
  const feed = new ChangeFeed(state.seq)
  const follower = new Follower({
    sql: urgent,
    feed,
    instance: membership.id,
    state,
    onForeign: (partition) => foreign.forEach((listener) => listener(partition)),
    onOther: () =>
      onNotice(
        'The database holds other commits than before, as after a restore of a backup: everything is read again. Mail that was accepted since may be lost.',
      ),
  })
  const searches = new Connection(searchPool, schema, { toError, queue: searchQueue })
  const searching = <T>(work: (run: RunStoppable) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    withStoppable({ pool: searchPool, queue: searchQueue, stopping: urgent, toError }, work, signal)
  const blobs = new Blobs(shared)
  const pending = createBudget(deps.pendingBytes ?? 64 * 1024 * 1024)
  const held = createBudget(deps.heldBytes ?? 32 * 1024 * 1024)
  const views = new Views()
  const upkeep = new Upkeep({
    pool: writing,
    schema,
    sql: own,
    membership,
    follower,
    listening,
    blobs,
    onNotice,
  })
  const writer = new Writer({
    pool: writing,
    schema,
    membership,
    onStored(commits) {
      upkeep.stored()
      return follower.stored(commits)
    },
    onFault: (fault) => upkeep.note(fault),
  })
  // Listens to other instances now, so that none of their commits is missed.
  await upkeep.run()
  // So that the first commit need not wait for the other instances. If this fails, that commit tries again, and reports it.
  membership.enter(own).catch(() => {})

  function assertOpen(): void {
    if (closing) throw closedError()
  }

  function tableOf({ name }: Named): Table {
    const table = tables.get(name)
    if (!table) throw misuse(`The store was opened without the collection ${JSON.stringify(name)}.`)
    return table
  }

  /** Notifies the listeners of all instances that a bulk change has ended. */
  async function endBulk(partition: string, collection: string): Promise<void> {
    try {
      await writer.say(partition, bulkEnd(collection))
    } catch {
      // The other instances read everything again at the next change.
      await feed.endBulk(partition, collection)
    }
  }

  function viewOf(partition: string): Store {
    const view = views.open(partition)
    const placeOf = (collection: Named): Shard => {
      assertOpen()
      return { table: tableOf(collection), partition }
    }

    async function commit(changes: readonly Change[], given: readonly Blob[] = []): Promise<void> {
      assertOpen()
      const prepared = changes.map((change) => toRowChange(tableOf(change.collection), change))
      const named = given.map((blob) => ({ blob, ...blobNameIn(changes, blob) }))
      const texts = prepared.map((change) => (change.op === 'remove' ? '' : change.row.text))
      const size = admit(changes, texts, given, pending, () => {
        if (upkeep.trouble) throw upkeep.trouble
      })
      try {
        await writer.commit(partition, prepared, blobs.stage(named))
      } finally {
        pending.give(size)
      }
    }

    return {
      commit: (changes, given) => view.commit(changes, given, commit),
      beforeCommit: (hook) => view.beforeCommit(hook),
      refusal: () => upkeep.trouble,
      lowDisk: () => Promise.resolve(null),
      bulk: (collection, ids, change, options) =>
        view.change(async () => {
          const place = placeOf(collection)
          const { table } = place
          return await runBulk(
            ids,
            change,
            {
              facts: collection.facts,
              read: (part) => selectTexts(shared, place, part),
              put(record, text): BulkRowChange {
                return { table, id: record.id, row: table.rowOf(record, text) }
              },
              remove: (id) => ({ table, id, row: null }),
              // The database sets the flag: no text comes here.
              textBytes: () => 0,
              setFlag: (part, next, isBulk) =>
                writer.setFlag(partition, { table, ids: part, change: next }, isBulk),
              commit: (part, isBulk) => writer.bulk(partition, part, isBulk),
              end: () => endBulk(partition, table.name),
              pending,
              assertOpen,
            },
            options,
          )
        }),
      ...createReads(shared, placeOf),
      ...blobs.reads(partition, placeOf, assertOpen),
      createBlob(id) {
        assertOpen()
        return new HeldBlobWriter(id, mostInline, held, () => blobs.createSpool())
      },
      changes(listener, options) {
        assertOpen()
        return view.listening(feed.listen(partition, listener, options))
      },
      texts: createTexts(searches, searching, placeOf),
      isShared: true,
      caughtUp() {
        assertOpen()
        return membership.knowsAll(follower.told) ? Promise.resolve() : follower.caughtUp()
      },
      leadership: membership,
      close: async () => view.close(),
    }
  }

  return {
    ...viewOf(''),
    partition(name) {
      assertPartitionName(name)
      return viewOf(name)
    },
    closePartition: (name, refusal) => views.close(name, refusal),
    database: () =>
      readStatus({
        sql: urgent,
        schema,
        search: deps.search,
        pools: [writing, reading, searchPool, calls],
        queues: [readQueue, searchQueue],
        membership,
        lastCommit: follower.seq,
      }),
    partitions: () => follower.partitions().filter((name) => name !== ''),
    total: async (collection, index = 'id') => await totalOf(shared, tableOf(collection), index),
    async figures() {
      const { commits, failures } = writer
      return { commits, failures, bytes: await sizeOfTables(urgent, schema) }
    },
    onForeignChange(listener) {
      foreign.add(listener)
      return () => foreign.delete(listener)
    },
    async removePartition(name) {
      assertPartitionName(name)
      assertOpen()
      const reads = createReads(shared, (collection) => ({ table: tableOf(collection), partition: name }))
      const removed = new Set<string>()
      const removals: BulkRowChange[] = []
      try {
        do {
          removals.length = 0
          for (const table of tables.values()) {
            const ids = await reads.ids(table.collection, { limit: removedAtOnce - removals.length })
            for (const id of ids) removals.push({ table, id, row: null })
            if (ids.length > 0) removed.add(table.name)
          }
          if (removals.length > 0) await writer.bulk(name, [...removals], true)
        } while (removals.length === removedAtOnce)
      } finally {
        await Promise.all([...removed].map((collection) => endBulk(name, collection)))
      }
    },
    close() {
      closing ??= (async () => {
        await writer.idle()
        await upkeep.end()
        feed.end()
        foreign.clear()
        listening.close()
        // A database that does not answer must not keep the process: the lease expires without this too.
        await membership.leave(own, channelOf(schema)).catch(() => {})
        await Promise.all([writing, reading, searchPool, calls].map((pool) => pool.end()))
      })()
      return closing
    },
  }
}

/** How many reads and searches may wait for a connection. A request makes at most as many at a time as a page has records. */
const mostReads = 10_000
const mostSearches = 100

/** How many records of a removed partition one transaction removes at most: other commits wait until it ends. */
const removedAtOnce = 1000
