import type { Readable } from 'node:stream'

/**
 * The store's port: what every adapter promises, proven by one contract suite (`test/contracts/store.ts`).
 * Nothing here assumes memory or files, so that a database server can be an adapter too.
 */
export interface Store {
  /**
   * Applies changes and blobs as one atomic, durable transaction: all or nothing, in the order of the calls.
   * Resolves when it is as durable as the adapter promises and visible to reads; until then it is visible to none.
   *
   * @param blobs  Bytes of records that this same commit writes. A blob with a taken id replaces the old one.
   * @throws unique_conflict when an insert or change takes a unique key (or id) that another record holds.
   * @throws version_conflict when the record of an update or remove is missing or has another version.
   * @throws service_unavailable when too much waits to be stored already; only for commits that insert and update
   *   nothing.
   * @throws store_full, store_failed, store_read_only when nothing was stored because of the medium.
   * @throws store_unknown when the medium failed and it is not known whether the commit was stored: reads do not see
   *   it, and a later start may.
   * @throws closed after `close`.
   */
  commit(changes: readonly Change[], blobs?: readonly Blob[]): Promise<void>
  /** The record with this id, or null. What it answers is the caller's own copy. */
  get<T extends StoredRecord>(collection: Collection<T>, id: string): Promise<T | null>
  /** The record that holds this key of a unique index, or null. */
  find<T extends StoredRecord>(collection: Collection<T>, index: string, key: IndexKey): Promise<T | null>
  /** One page in the order of an index. Costs O(page) without `where`; a `where` scans, and yields between. */
  page<T extends StoredRecord>(collection: Collection<T>, query?: PageQuery): Promise<Page<T>>
  /** How many records match. Without `where` it costs O(log n) at the most. */
  count<T extends StoredRecord>(collection: Collection<T>, query?: CountQuery): Promise<number>
  /**
   * The bytes of a blob as a stream, or null where there is none. A blob that is replaced or removed while it is
   * read is read to its end.
   *
   * @param range  `start` inclusive, `end` exclusive, both in bytes; default: all.
   */
  openBlob(id: BlobId, range?: ByteRange): Promise<Readable | null>
  /** The bytes of a small blob at once, or null where there is none. Use `openBlob` for what may be large. */
  readBlob(id: BlobId): Promise<Buffer | null>
  /** How large a blob is, in bytes, or null where there is none. */
  blobSize(id: BlobId): Promise<number | null>
  /** Takes bytes whose number is not known yet, for a later commit; see {@link BlobWriter}. */
  createBlob(id: BlobId): BlobWriter
  /**
   * Calls `listener` for each change of every later commit, in order, after it became visible.
   *
   * @param after  A `seq` seen before: changes since then come first, before this call returns. Where some of them
   *   are no longer known, one `{ op: 'gap' }` comes in their place. Default: only what is new.
   * @returns A function that ends the calls.
   */
  changes(listener: (change: StoreChange) => void, after?: number): () => void
  /** Finishes running commits, makes everything durable and lets go of the medium. A second call is the same. */
  close(): Promise<void>
}

/** What every stored record has. Members are JSON values in snake_case, as in the interface. */
export interface StoredRecord {
  id: string
  /** Kept by the store: 1 when inserted, one more at each change. */
  version: number
}

/** A kind of record: its name, and the orders and unique keys that the store keeps for it. */
export interface Collection<T extends StoredRecord> {
  readonly name: string
  /** Many records: kept in segments by order of arrival, so that one change rewrites little. */
  readonly large?: boolean
  /**
   * Left unread by a start, which only checks its files: who asks for one of its records first waits until all are
   * read. Its records have no blobs.
   */
  readonly readLater?: boolean
  readonly indexes: Readonly<Record<string, Index>>
  /** Never set; it ties the record's type to the collection. */
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

/** The values of an index's members, or the first few of them where a prefix is meant. */
export type IndexKey = readonly (string | number | boolean)[]

export interface PageQuery {
  /** Default: `id`. */
  readonly index?: string
  /** Only records whose key begins with these values. */
  readonly prefix?: IndexKey
  /** Only records behind this key in the direction of the page, whether or not a record has it. */
  readonly after?: IndexKey
  /** Only records at or before this key in index order: `until: [now]` on an index of due times. */
  readonly until?: IndexKey
  /** Default: `asc`. */
  readonly direction?: 'asc' | 'desc'
  /** Default: 50. */
  readonly limit?: number
  readonly where?: Where
}

export interface CountQuery {
  readonly index?: string
  readonly prefix?: IndexKey
  /** As in {@link PageQuery}. */
  readonly until?: IndexKey
  readonly where?: Where
}

export interface Page<T> {
  readonly records: T[]
  /** Whether more records follow behind the last one. */
  readonly more: boolean
}

/** A condition on one record; a closed set, so that every adapter can evaluate it where the data is. */
export type Where =
  | { readonly member: string; readonly equals: string | number | boolean | null }
  | { readonly member: string; readonly above: number }
  | { readonly member: string; readonly below: number }
  /** Case-insensitive; an array matches when one of its strings does. */
  | { readonly member: string; readonly contains: string }
  | { readonly all: readonly Where[] }
  | { readonly any: readonly Where[] }
  | { readonly not: Where }

/** `<record id>/<name>`: a blob belongs to the record it is named after, and is removed with it. */
export type BlobId = `${string}/${string}`

export interface ByteRange {
  readonly start?: number
  readonly end?: number
}

/** Bytes for a commit: in memory, or already written by a {@link BlobWriter}. */
export interface Blob {
  readonly id: BlobId
  readonly size: number
  /** The bytes, in pieces, where they are held in memory. Owned by the store from the commit on. */
  readonly parts?: readonly Uint8Array[]
  /** The adapter's own handle, where they are spooled. */
  readonly spooled?: unknown
}

/** Takes one blob's bytes as they come; small ones are held, large ones go to the medium at once. */
export interface BlobWriter {
  readonly size: number
  /**
   * Takes a piece, which is the writer's own from then on. Wait for it where it gives a promise, before the next
   * piece.
   */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * The blob for `commit`, once every byte is taken: at once where it is held. A blob that is never committed is removed
   * by `discard` or at the next start.
   */
  finish(): Blob | Promise<Blob>
  /** Gives the bytes up; harmless after `finish` when the commit succeeded. */
  discard(): Promise<void>
}

/** A blob of bytes in memory, in one piece or several. */
export function blobOf(id: BlobId, ...pieces: readonly (Uint8Array | string)[]): Blob {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  return { id, size: parts.reduce((size, part) => size + part.byteLength, 0), parts }
}

/** A change of one record. Make them with {@link insert}, {@link put}, {@link update} and {@link remove}. */
export type Change =
  | {
      readonly op: 'insert' | 'put'
      readonly collection: Collection<StoredRecord>
      readonly record: NewRecord
    }
  | { readonly op: 'update'; readonly collection: Collection<StoredRecord>; readonly record: StoredRecord }
  | {
      readonly op: 'remove'
      readonly collection: Collection<StoredRecord>
      readonly id: string
      readonly version?: number
    }

/** A record before the store has given it a version. */
export type NewRecord = Omit<StoredRecord, 'version'> & { version?: number }

/** Adds a record; refused where its id or a unique key is taken. */
export function insert<T extends StoredRecord>(
  collection: Collection<T>,
  record: Omit<T, 'version'>,
): Change {
  return {
    op: 'insert',
    collection: collection as unknown as Collection<StoredRecord>,
    record,
  }
}

/** Adds a record or replaces the one with its id, whatever its version. */
export function put<T extends StoredRecord>(collection: Collection<T>, record: Omit<T, 'version'>): Change {
  return {
    op: 'put',
    collection: collection as unknown as Collection<StoredRecord>,
    record,
  }
}

/** Replaces a record; refused unless its `version` is the stored one. */
export function update<T extends StoredRecord>(collection: Collection<T>, record: T): Change {
  return { op: 'update', collection: collection as unknown as Collection<StoredRecord>, record }
}

/**
 * Removes a record and its blobs. Where `version` is given, refused unless it is the stored one (also when the
 * record is gone); without it, removing a missing record changes nothing.
 */
export function remove<T extends StoredRecord>(
  collection: Collection<T>,
  id: string,
  version?: number,
): Change {
  return { op: 'remove', collection: collection as unknown as Collection<StoredRecord>, id, version }
}

/** What a commit did to one record. */
export type StoreChange =
  | {
      readonly seq: number
      readonly op: 'insert' | 'update' | 'remove'
      readonly collection: string
      readonly id: string
    }
  | { readonly seq: number; readonly op: 'gap' }
