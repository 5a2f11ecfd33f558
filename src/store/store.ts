import type { LocalpostError } from '../core/errors.ts'
import type { Readable } from 'node:stream'
import type {
  CountQuery,
  Facts,
  FlagChange,
  GroupQuery,
  IndexKey,
  Page,
  PageQuery,
  RecordGroup,
} from './queries.ts'
import type { Blob, BlobWriter, ByteRange } from './blob.ts'
import type { BlobId } from './names.ts'
import type { Texts } from './texts.ts'

export type { Blob, BlobWriter, ByteRange } from './blob.ts'
export type { BlobId } from './names.ts'
export type { Facts, FlagChange } from './queries.ts'

/**
 * The interface that every storage adapter implements; one contract suite tests it (`test/contracts/store.ts`). It does
 * not assume memory or files, so that an adapter can also use a database server.
 */
export interface Store {
  /**
   * Applies changes and blobs as one atomic, durable transaction. Commits are applied in the order of the calls. Resolves
   * when the commit is visible to reads and as durable as the adapter promises. Before that, reads see all of it or nothing.
   *
   * @param blobs  Blobs of records that the same commit writes. A blob with an existing id replaces the old one.
   * @throws unique_conflict when an insert or change takes a unique key (or id) that another record holds.
   * @throws version_conflict when the record of an update or remove is missing or has another version.
   * @throws service_unavailable when too many bytes are waiting to be stored; only for commits that insert records and
   *   neither update nor remove any.
   * @throws store_full, store_failed, store_read_only when nothing was stored because of the medium.
   * @throws store_unknown when the medium failed and it is not known whether the commit was stored: reads do not see the
   *   commit, but it may be there after the next start.
   * @throws closed after `close`.
   */
  commit(changes: readonly Change[], blobs?: readonly Blob[]): Promise<void>
  /**
   * Calls `hook` with the changes of each later `commit` through this object. It may add changes, which are stored in the
   * same commit; null adds nothing. It is not called for `bulk`.
   *
   * @returns A function that removes it.
   */
  beforeCommit(hook: CommitHook): () => void
  /** Why no new records are accepted at present, for example a lost lock or a full disk; null while they are accepted. */
  refusal(): LocalpostError | null
  /**
   * Whether the disk has less free space than the reserve for removals; null if it has more, or if that is not known.
   * If `refusal` returns a reason, that reason takes precedence.
   */
  lowDisk(): Promise<LowDisk | null>
  /**
   * Changes or removes many records, in the order of their ids: in commits of some hundred records, each as atomic and
   * durable as any, while other calls run between them. A record that another commit changes meanwhile is read again.
   * Ids without a record are skipped. For more than 100 ids, listeners get `bulk` changes instead of one change for each
   * record.
   *
   * @param change  Returns the new record; the same object leaves the record unchanged. It must not keep state, because it
   *   may be called more than once. `remove` removes records without reading them. A flag is set by the store itself, which
   *   costs least.
   * @returns How many records were changed or removed; fewer than all of them if `options.signal` was aborted.
   * @throws As `commit`. The commits before the failed one stay. internal_error for a flag that is not in `Facts.members`.
   */
  bulk<T extends StoredRecord>(
    collection: Collection<T>,
    ids: readonly string[],
    change: ((record: T) => T) | FlagChange | 'remove',
    options?: BulkOptions,
  ): Promise<number>
  /** The record with this id, or null. The caller gets its own copy. */
  get<T extends StoredRecord>(collection: Collection<T>, id: string): Promise<T | null>
  /** The record with this key in a unique index, or null. */
  find<T extends StoredRecord>(collection: Collection<T>, index: string, key: IndexKey): Promise<T | null>
  /**
   * One page in the order of an index. Costs O(page) without `where`; `where` scans, and yields to the event loop. With
   * the index `id`, it reads only the records whose facts are not enough to evaluate `where`.
   */
  page<T extends StoredRecord>(collection: Collection<T>, query?: PageQuery): Promise<Page<T>>
  /** The ids of a page, without its records: only `where` may read records, as for `page`. Default for `limit`: all. */
  ids<T extends StoredRecord>(collection: Collection<T>, query?: PageQuery): Promise<string[]>
  /** The number of matching records. Without `where` it costs at most O(log n); with `where` the same as `page`. */
  count<T extends StoredRecord>(collection: Collection<T>, query?: CountQuery): Promise<number>
  /** How many records have each text of a fact, one of `collection.facts.texts`. Reads only records whose facts are not known. */
  tally<T extends StoredRecord>(collection: Collection<T>, text: string): Promise<Map<string, number>>
  /** Groups records by one of their texts; the group of the smallest id comes first. Reads records as `tally` does. */
  groups<T extends StoredRecord>(collection: Collection<T>, query: GroupQuery): Promise<RecordGroup[]>
  /**
   * The bytes of a blob as a stream; null if the blob does not exist. If the blob is replaced or removed meanwhile, the
   * stream still delivers the old bytes to the end; in PostgreSQL for 15 minutes, then it fails.
   *
   * @param range  `start` inclusive, `end` exclusive, both in bytes; default: all.
   */
  openBlob(id: BlobId, range?: ByteRange): Promise<Readable | null>
  /** All bytes of a small blob; null if it does not exist. Use `openBlob` for blobs that may be large. */
  readBlob(id: BlobId): Promise<Buffer | null>
  /** The size of a blob in bytes; null if it does not exist. */
  blobSize(id: BlobId): Promise<number | null>
  /** The names of the blobs of a record, without its id; none if there is no such record. */
  blobNames<T extends StoredRecord>(collection: Collection<T>, id: string): Promise<string[]>
  /** Starts writing a blob of unknown size, for a later commit; see {@link BlobWriter}. */
  createBlob(id: BlobId): BlobWriter
  /**
   * Calls `listener` for each change of every later commit, in order, after it became visible. If instances share the
   * store, these include the changes of other instances, in the same order for all.
   *
   * @returns A function that stops the calls.
   */
  changes(listener: (change: StoreChange) => void, options?: ListenOptions): () => void
  /** The texts by which records are searched; null if the store keeps none, so that each process keeps its own. */
  readonly texts: Texts | null
  /** Whether other instances may use the same records at the same time; `changes` delivers what they change too. */
  readonly isShared: boolean
  /** Resolves when `changes` has delivered all that any instance had acknowledged before the call. @throws As reads do. */
  caughtUp(): Promise<void>
  /** Which instance does the background work for all that use the same records, such as deliveries and retention. */
  readonly leadership: Leadership
  /** Finishes running commits, makes everything durable and releases the medium. Idempotent. */
  close(): Promise<void>
}

/** Sees the changes of each commit before it is made, and may add others. */
export type CommitHook = (changes: readonly Change[]) => CommitAddition | null

/** What a hook adds to a commit. */
export interface CommitAddition {
  /** Reads what `add` needs. The commit waits for it. Default: nothing. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** The further changes. Called when the commit takes its place in the order of commits. */
  add(): readonly Change[]
  /** Called after the commit was stored. */
  committed(): void
}

/** Which instance is the leader. */
export interface Leadership {
  /** Whether this instance is the leader now. That may end at any time: ask again before each step that other instances see. */
  isMine(): boolean
  /** Calls `listener` each time this instance becomes the leader after this call. @returns A function that stops the calls. */
  onMine(listener: () => void): () => void
}

/** A disk with less free space than the reserve for removals. */
export interface LowDisk {
  /** Whether the last new record or message did not fit. */
  readonly isFull: boolean
  /** Its meaning and what to do, in sentences. */
  readonly message: string
}

/** The members of every stored record. All members are JSON values with snake_case names. */
export interface StoredRecord {
  id: string
  /** Set by the store: 1 when inserted, increased by one at each change. */
  version: number
}

/** A record's members by name: an interface has no index signature, but a record is nothing else. */
export function recordMembers(record: object): Readonly<Record<string, unknown>> {
  return record as Readonly<Record<string, unknown>>
}

/** A collection of records: its name and its indexes. */
export interface Collection<T extends StoredRecord> {
  readonly name: string
  /** For many records: they are stored in segments in order of arrival, so that a change rewrites only one segment. */
  readonly large?: boolean
  readonly indexes: Readonly<Record<string, Index>>
  /** Values kept for each record, so that conditions on them can be evaluated without reading the record. */
  readonly facts?: Facts<T>
  /**
   * The parts of the texts by which its records are searched, for a store that keeps them. The version is to be raised when
   * the texts of the same record change: then all are made again.
   */
  readonly texts?: { readonly version: number; readonly parts: readonly string[] }
  /** Never set; only for the type of the records. */
  readonly record?: T
}

/**
 * An order of records by the values of some members, compared one after the other: numbers by value, false before
 * true, strings by code unit. A record with null (or nothing) in one of them is not in the index.
 * Every collection also has the index `id`, by `['id']`, unique.
 */
export interface Index {
  readonly on: readonly string[]
  /** Refuses a commit that would give two records the same values. */
  readonly unique?: boolean
}

/** A change of one record; made by {@link insert}, {@link put}, {@link update} and {@link remove}. */
export type Change = { readonly collection: Collection<StoredRecord> } & (
  | { readonly op: 'insert' | 'put'; readonly record: NewRecord }
  | { readonly op: 'update'; readonly record: StoredRecord }
  | { readonly op: 'remove'; readonly id: string; readonly version?: number }
)

/** A record before the store has given it a version. */
export type NewRecord = Omit<StoredRecord, 'version'> & { version?: number }

/** Adds a record. Refused if its id or a unique key already exists. */
export function insert<T extends StoredRecord>(collection: Collection<T>, added: Omit<T, 'version'>): Change {
  return { op: 'insert', collection, record: added }
}

/** Adds a record or replaces the one with its id, whatever its version. */
export function put<T extends StoredRecord>(collection: Collection<T>, record: Omit<T, 'version'>): Change {
  return { op: 'put', collection, record }
}

/** Replaces a record; refused unless its `version` is the stored one. */
export function update<T extends StoredRecord>(collection: Collection<T>, record: T): Change {
  return { op: 'update', collection, record }
}

/**
 * Removes a record and its blobs. With `version`, it is refused unless the stored record has this version, also when the
 * record does not exist. Without `version`, removing a missing record has no effect.
 */
export function remove(collection: Collection<StoredRecord>, id: string, version?: number): Change {
  return { op: 'remove', collection, id, version }
}

/** A blob of bytes in memory, in one piece or several. */
export function blobOf(id: BlobId, ...pieces: readonly (Uint8Array | string)[]): Blob {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  return { id, size: parts.reduce((size, part) => size + part.byteLength, 0), parts }
}

/** What a commit did to a record. */
export type StoreChange = { readonly seq: number } & (
  | { readonly op: 'insert' | 'update' | 'remove'; readonly collection: string; readonly id: string }
  /** One commit of a `bulk` call. With `isLast` the call has ended; that change itself counts no records. */
  | {
      readonly op: 'bulk'
      readonly collection: string
      readonly updated: number
      readonly removed: number
      readonly isLast: boolean
    }
  /** Changes that are no longer known: everything has to be read again. */
  | { readonly op: 'gap' }
)

/** Which changes a listener gets. */
export interface ListenOptions {
  /**
   * A `seq` seen before: changes since then are delivered first, before the call returns. If some of them are no longer
   * known, one `{ op: 'gap' }` replaces them. Default: only new changes.
   */
  readonly after?: number | undefined
  /** The collection whose changes it gets, besides gaps. Default: all. */
  readonly of?: { readonly name: string }
}

/** Options of `Store.bulk`. */
export interface BulkOptions {
  /** Called after each commit, with the number of ids that are done. */
  onProgress?(done: number): void
  /** Stops the call before its next commit. */
  signal?: AbortSignal
}
