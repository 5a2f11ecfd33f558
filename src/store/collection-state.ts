import { atRest, type Entry } from './entry.ts'
import { FactTable, type FactRow } from './facts.ts'
import { IdOrder } from './id-order.ts'
import { nameInPartition } from './names.ts'
import { misuse } from './io-errors.ts'
import { keyOf } from './keys.ts'
import type { Packed } from './packed.ts'
import { SortedIndex } from './sorted-index.ts'
import type { FlagChange, IndexKey } from './queries.ts'
import type { Collection, StoredRecord } from './store.ts'
import { BlobUsage } from './blob-usage.ts'

/** Number of records in a segment: about 1 MB of emails, so that a changed record does not rewrite much. */
const segmentRecords = 1000

/** A part of a collection that is written as one snapshot file. Small collections have only segment 0, in `db.json`. */
export interface Segment {
  readonly state: CollectionState
  readonly number: number
  /** The records that are not in `pack`, in order of arrival. */
  readonly entries: Set<Entry>
  /** The places of the records in the file of this segment; null if they are not known. */
  pack: Packed | null
  /** Set while the file is being replaced. */
  replacing: Promise<void> | null
}

/** How many records a segment has, in memory and at rest. */
export function recordsIn({ entries, pack }: Segment): number {
  return entries.size + (pack?.live ?? 0)
}

/**
 * The records of a collection in a partition. Once loaded, each record is in one of these states:
 * - loose: in `byId`, in the `entries` of its segment and in `idIndex.loose`; only in memory and in the log;
 * - in a pack, and in memory as well: a row of the pack of its segment, and in `byId` with its text or places;
 * - resting in an index: a row of its pack, and in `byId` for its keys alone, with `atRest` instead of places;
 * - resting: only a row of its pack.
 */
export class CollectionState {
  /** With the partition: `emails.acc_1`. */
  readonly name: string
  /** Without the partition: `emails`. */
  readonly base: string
  /** The main partition is `""`. */
  readonly partition: string
  readonly collection: Pick<Collection<StoredRecord>, 'facts'>
  readonly large: boolean
  /** The indexes of the definition, in the order of `Entry.keys`. */
  readonly indexes: readonly SortedIndex[]
  /** The records in memory. Others rest in segment files; see {@link CollectionState.rests}. */
  readonly byId: Map<string, Entry> = new Map()
  readonly idIndex: IdOrder = new IdOrder(() => this.#loose())
  readonly segments: Map<number, Segment> = new Map()
  /** The keys of a record that is in no index, shared by all such records. */
  readonly noKeys: readonly null[]
  /** The space that the blobs of all records use; null in the main partition, which is never removed as a whole. */
  readonly usage: BlobUsage | null
  readonly facts: FactTable | null
  /** The number of the segment that takes new records, and how many records it was given. */
  #open = 1
  #taken = 0

  constructor(collection: Omit<Collection<StoredRecord>, 'record'>, partition = '') {
    this.name = nameInPartition(collection.name, partition)
    this.base = collection.name
    this.partition = partition
    this.collection = collection
    this.large = collection.large ?? false
    this.indexes = Object.entries(collection.indexes).map(
      ([name, index], slot) => new SortedIndex(name, { ...index, slot }),
    )
    this.usage = partition === '' ? null : new BlobUsage()
    this.noKeys = this.indexes.map(() => null)
    this.facts = collection.facts ? new FactTable(collection.facts) : null
  }

  index(name: string): SortedIndex | IdOrder {
    const index = name === 'id' ? this.idIndex : this.indexes.find((index) => index.name === name)
    if (!index) throw misuse(`The collection ${this.name} has no index ${JSON.stringify(name)}.`)
    return index
  }

  /** The definition of the indexes as text, to detect whether stored `Entry.keys` are still valid. */
  get signature(): string {
    return this.indexes.map(({ name, on }) => `${name}:${on.join(',')}`).join(';')
  }

  /** The keys of a record. Records in no index, which includes nearly all older emails, share one array to save memory. */
  keysOf(record: Readonly<Record<string, unknown>>): readonly (IndexKey | null)[] {
    const keys = this.indexes.map((index) => keyOf(record, index.on))
    return keys.every((key) => key === null) ? this.noKeys : keys
  }

  factsOf(record: object): FactRow | null {
    return this.facts?.encode(record) ?? null
  }

  /** The facts of a stored record; null if they are not known. */
  factsAt(id: string): FactRow | null {
    const packed = this.idIndex.mayRest(id) ? this.idIndex.locate(id) : null
    return (packed ? packed.pack.facts?.get(packed.row) : this.byId.get(id)?.facts) ?? null
  }

  /** Whether a stored record has this state of a flag; false if its facts are not known. */
  hasFlag(id: string, change: FlagChange): boolean {
    const facts = this.factsAt(id)
    return facts !== null && this.facts?.withFlag(facts, change) === facts
  }

  /** About how many bytes the text of a record has; 0 if there is no such record. */
  textBytes(id: string): number {
    const { text = '' } = this.byId.get(id) ?? {}
    if (text !== '') return text.length
    const packed = this.idIndex.locate(id)
    return packed ? packed.pack.length(packed.row) : 0
  }

  /** Gives a new record its segment. @returns The number of that. */
  assignSegment(): number {
    if (!this.large) return 0
    if (this.#taken >= segmentRecords) {
      this.#open++
      this.#taken = 0
    }
    this.#taken++
    return this.#open
  }

  get openSegment(): number {
    return this.#open
  }

  /** Whether a record exists and its text or the places of its blobs have to be read from its segment file. */
  rests(id: string): boolean {
    const entry = this.byId.get(id)
    return entry ? entry.blobs === atRest : this.idIndex.locate(id) !== null
  }

  segment(number: number): Segment {
    let segment = this.segments.get(number)
    if (!segment) {
      segment = { state: this, number, entries: new Set(), pack: null, replacing: null }
      this.segments.set(number, segment)
    }
    return segment
  }

  get size(): number {
    return this.idIndex.size
  }

  /** Removes all records, without a step for each of them. @returns The segments that had records. */
  clear(): Segment[] {
    const segments = [...this.segments.values()].filter((segment) => recordsIn(segment) > 0)
    for (const { entries } of segments) entries.clear()
    this.byId.clear()
    for (const index of [this.idIndex, ...this.indexes]) index.clear()
    return segments
  }

  /** Continues with the last segment after loading, so that new records come after the existing ones. */
  continueLastSegment(): void {
    for (const segment of this.segments.values()) {
      if (segment.number < this.#open) continue
      this.#open = segment.number
      this.#taken = recordsIn(segment)
    }
  }

  *#loose(): Generator<Entry> {
    for (const { entries } of this.segments.values()) yield* entries
  }
}
