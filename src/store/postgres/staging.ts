import { CommitChecks, holderPlace, recordPlace, type UniqueKey } from '../commit-checks.ts'
import type { BulkOutcome } from '../bulk.ts'
import type { CommitChange } from '../change-feed.ts'
import { nameInPartition } from '../names.ts'
import { toRecord } from '../read-records.ts'
import { withVersion } from '../record-text.ts'
import type { StoredRecord } from '../store.ts'
import type { StagedBlob } from './blobs.ts'
import type { BulkRowChange, RowChange } from './row-change.ts'
import type { Shard, StoredRow, Table } from './table.ts'

interface NamedShard extends Shard {
  /** The name of the collection within the partition, unique in the database. */
  readonly name: string
}

/** The members of a record that a commit needs; `row` only of one that the batch wrote. */
interface CheckedMembers {
  readonly version: number
  readonly keys: readonly UniqueKey[]
  readonly row: StoredRow | null
}

/** A record that the batch changes: its state before, and its row after it; null where there is none. */
export interface FinalRecord extends Shard {
  readonly id: string
  readonly before: CheckedMembers | null
  readonly row: StoredRow | null
}

/** A blob that the batch writes. */
export type BlobRow = StagedBlob & Shard

/** Checks the commits of one transaction against the stored records, which have to be learned before. */
export class Staging extends CommitChecks<NamedShard, CheckedMembers> {
  readonly #stored: Map<string, CheckedMembers> = new Map()
  readonly #holders: Map<string, string> = new Map()
  readonly #cleared: Map<string, Shard & { readonly id: string }> = new Map()
  readonly #blobs: Map<string, BlobRow> = new Map()
  /** The records whose blobs from before the batch are removed. */
  readonly cleared: ReadonlyMap<string, Shard & { readonly id: string }> = this.#cleared
  /** The blobs that the batch writes. */
  readonly blobs: ReadonlyMap<string, BlobRow> = this.#blobs

  /** Adds a stored record. @param keyOf  Its key in the column of a unique index. */
  learn(
    table: Table,
    partition: string,
    { id, version }: { id: string; version: number },
    keyOf: (column: string) => unknown,
  ): void {
    const place = shardOf(table, partition)
    const keys = table.indexes.flatMap(({ name, column, isUnique }) => {
      const key = isUnique ? keyOf(column) : null
      return key instanceof Buffer ? [{ index: name, text: key.toString('hex') }] : []
    })
    this.#stored.set(recordPlace(place, id), { version, keys, row: null })
    for (const key of keys) this.#holders.set(holderPlace(place, key), id)
  }

  /**
   * Applies a commit.
   *
   * @returns Its effect on each record, in order.
   * @throws unique_conflict, version_conflict; then nothing of it is applied.
   */
  async stage(
    partition: string,
    changes: readonly RowChange[],
    blobs: readonly StagedBlob[],
  ): Promise<CommitChange[]> {
    const effects: CommitChange[] = []
    const steps = [
      ...changes.map((change) => () => void effects.push(...this.#change(partition, change))),
      ...blobs.map((blob) => () => this.#addBlob(partition, changes, blob)),
    ]
    await this.stageCommit(steps, (step) => step())
    return effects
  }

  /**
   * Applies those changes whose records have not changed since they were read.
   *
   * @param outcome  Gets how many were applied, and the ids of the others.
   * @throws unique_conflict; then nothing of it is applied.
   */
  async stageBulk(
    partition: string,
    changes: readonly BulkRowChange[],
    outcome: BulkOutcome,
  ): Promise<CommitChange[]> {
    outcome.applied = 0
    outcome.stale = []
    const effects: CommitChange[] = []
    await this.stageCommit(changes, ({ table, id, row }) => {
      const place = shardOf(table, partition)
      const current = this.current(place, id)
      if (!current) return
      if (row !== null && current.version !== row.version - 1) {
        outcome.stale.push(id)
        return
      }
      outcome.applied++
      effects.push(row === null ? this.#remove(place, id, current) : this.#put(place, row, current))
    })
    return effects
  }

  /** The records that the batch changes. */
  *finals(): Generator<FinalRecord> {
    for (const { collection, id, record } of this.changed.values()) {
      const { table, partition } = collection
      yield { table, partition, id, before: this.stored(collection, id), row: record?.row ?? null }
    }
  }

  /** Whether a record was stored before the batch. */
  wasStored(table: Table, partition: string, id: string): boolean {
    return this.#stored.has(recordPlace(shardOf(table, partition), id))
  }

  protected override stored(place: NamedShard, id: string): CheckedMembers | null {
    return this.#stored.get(recordPlace(place, id)) ?? null
  }

  protected override storedHolder(place: NamedShard, key: UniqueKey): string | null {
    return this.#holders.get(holderPlace(place, key)) ?? null
  }

  protected override keysOf(_: NamedShard, { keys }: CheckedMembers): readonly UniqueKey[] {
    return keys
  }

  #change(partition: string, change: RowChange): CommitChange[] {
    const { table, op, id } = change
    const place = shardOf(table, partition)
    const current = this.current(place, id)
    const expected = op === 'remove' ? change.version : change.row.version - 1
    this.assertPossible(place, op, id, expected, current)
    if (op === 'remove') return current ? [this.#remove(place, id, current)] : []
    const { row } = change
    const next = op === 'put' ? (current?.version ?? 0) + 1 : row.version
    return [this.#put(place, next === row.version ? row : atVersion(table, row, next), current)]
  }

  #addBlob(partition: string, changes: readonly RowChange[], blob: StagedBlob): void {
    const change = changes.findLast(({ id, row }) => row !== null && id === blob.owner)
    if (!change) return
    const { table } = change
    const place = shardOf(table, partition)
    // A later change of the same commit may have removed the record.
    if (this.current(place, blob.owner))
      this.set(this.#blobs, `${recordPlace(place, blob.owner)}/${blob.name}`, { ...blob, table, partition })
  }

  #put(place: NamedShard, row: StoredRow, current: CheckedMembers | null): CommitChange {
    const { table } = place
    const { id, version } = row
    const keys = table.indexes.flatMap(({ name, isUnique }, at) => {
      const [key, value] = [row.keys[at], row.values[at]]
      return isUnique && key && value instanceof Buffer
        ? [{ index: name, text: value.toString('hex'), key }]
        : []
    })
    this.put(place, id, { version, keys, row }, current)
    return { op: current ? 'update' : 'insert', collection: table.name, id }
  }

  #remove(place: NamedShard, id: string, current: CheckedMembers): CommitChange {
    const { table, partition } = place
    this.drop(place, id, current)
    const at = recordPlace(place, id)
    this.set(this.#cleared, at, { table, partition, id })
    for (const name of this.#blobs.keys()) if (name.startsWith(`${at}/`)) this.unset(this.#blobs, name)
    return { op: 'remove', collection: table.name, id }
  }
}

function atVersion(table: Table, { text }: StoredRow, version: number): StoredRow {
  const changed = withVersion(text, version)
  return table.rowOf(toRecord<StoredRecord>(changed), changed)
}

function shardOf(table: Table, partition: string): NamedShard {
  return { name: nameInPartition(table.name, partition), table, partition }
}
