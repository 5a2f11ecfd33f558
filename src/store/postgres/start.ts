import { createBudget } from '../../core/byte-budget.ts'
import { systemClock } from '../../core/clock.ts'
import type { LocalpostError } from '../../core/errors.ts'
import { createJobQueue } from '../../core/job-queue.ts'
import { ChangeFeed } from '../change-feed.ts'
import { assertPartitionName } from '../names.ts'
import { closedError } from '../io-errors.ts'
import type { PartitionedStore } from '../partitioned-store.ts'
import { Views } from '../views.ts'
import { Blobs } from './blobs.ts'
import { Connection } from './connection.ts'
import { closePools, type Pools } from './driver.ts'
import { databaseFault } from './faults.ts'
import { Follower } from './follower.ts'
import { readState } from './store-state.ts'
import { channelOf, Listening } from './listening.ts'
import type { Membership } from './membership.ts'
import { openPartition, removePartition, type SharedParts, tableOf } from './partition.ts'
import { totalOf } from './reads.ts'
import type { TextSearch } from './texts-schema.ts'
import { withStoppable } from './stoppable.ts'
import { readStatus, sizeOfTables } from './status.ts'
import type { Table } from './table.ts'
import { Upkeep } from './upkeep.ts'
import { Writer } from './writer.ts'

/** Settings of a store in PostgreSQL. */
export interface StoreSettings {
  /** How many bytes may wait to be stored before new records are refused. Default: 64 MiB. */
  readonly pendingBytes?: number
  /** How many bytes unfinished blobs hold in memory, all together. Default: 32 MiB. */
  readonly heldBytes?: number
  /** Called with operational warnings, one or two sentences each. Default: none. */
  readonly onNotice?: (text: string) => void
}

/** A schema whose tables are prepared, with an instance that has joined it. */
export interface PreparedSchema extends StoreSettings {
  readonly schema: string
  readonly tables: ReadonlyMap<string, Table>
  readonly search: TextSearch
  readonly membership: Membership
  readonly pools: Pools
}

/** Starts a store whose tables are prepared. The store closes the pools. */
export async function startStore(prepared: PreparedSchema): Promise<PartitionedStore> {
  const { schema, tables, search, membership, pools, onNotice = () => {} } = prepared
  let closing: Promise<void> | null = null
  const assertOpen = (): void => {
    if (closing) throw closedError()
  }
  const toError = (error: unknown): LocalpostError => (closing ? closedError() : databaseFault(error))

  // One connection of the pool is for reads that must not wait for others.
  const readQueue = createJobQueue(systemClock, pools.reading.options.max - 1, maxReads, 'reads')
  const searchQueue = createJobQueue(systemClock, pools.searching.options.max, maxSearches, 'searches')
  const writes = new Connection(pools.writing, schema)
  const reads = new Connection(pools.reading, schema, { toError, queue: readQueue })
  const urgent = new Connection(pools.reading, schema, { toError })
  const searches = new Connection(pools.searching, schema, { toError, queue: searchQueue })

  const state = await readState(writes)
  const feed = new ChangeFeed(state.seq)
  const foreignListeners = new Set<(partition: string) => void>()
  const follower = new Follower({
    sql: urgent,
    feed,
    instance: membership.id,
    state,
    onForeign: (partition) => foreignListeners.forEach((listener) => listener(partition)),
    onRestored: () => onNotice(otherCommits),
  })
  // Nothing is announced before `upkeep.run` below connects it.
  const listening = new Listening(
    pools.listening,
    schema,
    membership.id,
    (hasResigned) => void (hasResigned ? upkeep.run() : follower.look()),
  )
  const blobs = new Blobs(reads)
  const pool = pools.writing
  const upkeep = new Upkeep({ pool, schema, sql: writes, membership, follower, listening, blobs, onNotice })
  const writer = new Writer({
    pool,
    schema,
    membership,
    onStored(commits) {
      upkeep.stored()
      return follower.passOnOwn(commits)
    },
    onFault: (fault) => upkeep.trouble.note(fault),
  })
  const parts: SharedParts = {
    tables,
    membership,
    reads,
    searches,
    searching: (work, signal) =>
      withStoppable({ pool: pools.searching, queue: searchQueue, stopping: urgent, toError }, work, signal),
    writer,
    blobs,
    feed,
    follower,
    upkeep,
    views: new Views(),
    pending: createBudget(prepared.pendingBytes ?? 64 * 1024 * 1024),
    held: createBudget(prepared.heldBytes ?? 32 * 1024 * 1024),
    assertOpen,
  }

  // Listens to other instances now, so that none of their commits is missed.
  await upkeep.run()
  // So that the first commit need not wait for the other instances. If this fails, that commit tries again, and reports it.
  membership.enter(writes).catch(() => {})

  async function close(): Promise<void> {
    await writer.idle()
    await upkeep.end()
    feed.end()
    foreignListeners.clear()
    listening.close()
    // A database that does not answer must not keep the process: the lease expires without this too.
    await membership.leave(writes, channelOf(schema)).catch(() => {})
    await closePools(pools)
  }

  return {
    ...openPartition('', parts),
    partition(name) {
      assertPartitionName(name)
      return openPartition(name, parts)
    },
    closePartition: (name, refusal) => parts.views.close(name, refusal),
    partitions: () => follower.partitions().filter((name) => name !== ''),
    async removePartition(name) {
      assertPartitionName(name)
      await removePartition(name, parts)
    },
    total: async (collection, index = 'id') => await totalOf(reads, tableOf(parts, collection), index),
    database: () =>
      readStatus({
        sql: urgent,
        schema,
        search,
        pools: Object.values(pools),
        queues: [readQueue, searchQueue],
        lease: membership.lease,
        lastCommit: follower.seq,
      }),
    async figures() {
      const { commits, failures } = writer
      return { commits, failures, bytes: await sizeOfTables(urgent, schema) }
    },
    onForeignChange(listener) {
      foreignListeners.add(listener)
      return () => foreignListeners.delete(listener)
    },
    close: () => (closing ??= close()),
  }
}

const otherCommits =
  'The database holds other commits than before, as after a restore of a backup: everything is read again. Mail that was accepted since may be lost.'

/** How many reads and searches may wait for a connection. One request sends at most one read for each record of a page. */
const maxReads = 10_000
const maxSearches = 100
