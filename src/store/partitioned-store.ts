import type { LocalpostError } from '../core/errors.ts'
import type { Collection, Store, StoredRecord } from './store.ts'

/**
 * A store whose collections exist once for each partition. Each account has a partition. Its own methods are for the
 * main partition.
 */
export interface PartitionedStore extends Store {
  /**
   * The same collections, isolated: the records, unique keys, blobs and changes of a partition are not visible from any
   * other. The cost of reads depends only on this partition. The `close` of the returned object ends its listeners;
   * changes that still run are stored.
   *
   * @param name  A letter, then up to 62 letters, digits, `_` and `-`, all in lower case.
   */
  partition(name: string): Store
  /**
   * Refuses changes through the objects that `partition` has returned for this name, and waits for changes that run. To be
   * called before what is in a partition is removed: work for it may still be running, such as an upload.
   *
   * @param refusal  The error of later changes.
   */
  closePartition(name: string, refusal: LocalpostError): Promise<void>
  /** The status of the database; null for a store without one. Never rejects. */
  database(): Promise<DatabaseStatus | null>
  /** The names of the partitions that have records, without the main one. */
  partitions(): string[]
  /**
   * How many records of all partitions together are in an index, without reading any of them.
   *
   * @param index  Default: `id`, in which all are.
   */
  total<T extends StoredRecord>(collection: Collection<T>, index?: string): Promise<number>
  /** What this process stored so far, and how much is there. */
  figures(): Promise<StoreFigures>
  /**
   * Calls `listener` with the name of a partition (`""`: the main one) after other instances changed something in it.
   * After a gap in the changes, it is called for each partition that has records.
   *
   * @returns A function that stops the calls.
   */
  onForeignChange(listener: (partition: string) => void): () => void
  /**
   * Removes everything in a partition. Call it when nothing uses the partition any more. Without a database it is one commit,
   * whose cost does not depend on how much is removed; in a database, one for each 1,000 records, so that the commits of others
   * need not wait for all of it. Listeners get `bulk` changes.
   *
   * @throws As `commit`; in a database, what was removed before stays removed.
   */
  removePartition(name: string): Promise<void>
}

/** What an operator wants to know of a store. */
export interface StoreFigures {
  /** Commits that were stored since the store was opened. */
  readonly commits: number
  /** Writes that failed since then, because of the medium. */
  readonly failures: number
  /** The size in bytes: of the blobs in use, in a database of all its tables; null while that does not answer. */
  readonly bytes: number | null
}

/** The status of the database of a store, as `/dev/health` shows it. */
export interface DatabaseStatus {
  readonly schema: string
  /** How words in mail are found: by an index of trigrams, or by looking at the text of each mail. */
  readonly search: 'trigrams' | 'scan'
  /** How many instances use the schema, including this one; null while the database does not answer. */
  readonly instances: number | null
  /** How long one statement took, in milliseconds; null while the database does not answer. */
  readonly round_trip_ms: number | null
  /** Whether this instance is the leader, under the name that `/dev/health` has for it. */
  readonly has_turn: boolean
  /** The number of the last commit that this instance knows. */
  readonly last_commit: number
  /** The connections of this instance that run statements, those that are idle, and the statements that wait for a connection. */
  readonly connections: { readonly used: number; readonly idle: number; readonly waiting: number }
}
