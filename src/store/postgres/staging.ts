import { assertVersion, keyConflict } from '../conflicts.ts'
import type { BulkOutcome } from '../bulk.ts'
import { withVersion } from '../prepare.ts'
import { toRecord } from '../read-records.ts'
import type { IndexKey } from '../queries.ts'
import type { StoredRecord } from '../store.ts'
import { forEachSlice } from '../../core/slices.ts'
import type { StoredRow, Table } from './table.ts'

/** A change of a commit, copied when `commit` was called. */
export type PreparedChange =
  | {
      readonly op: 'insert' | 'put' | 'update'
      readonly table: Table
      /** For `put` the version is provisional: it is corrected when the change is staged. */
      readonly row: StoredRow
    }
  | {
      readonly op: 'remove'
      readonly table: Table
      readonly id: string
      readonly version: number | undefined
    }

/** A change of a record that was read at a version; without `row` it is removed, whatever its version is. */
export interface BulkChange {
  readonly table: Table
  readonly id: string
  readonly version: number
  readonly row: StoredRow | null
}

/** A blob of a commit: its bytes, or the number of a large blob whose bytes were written before. */
export interface StagedBlob {
  readonly owner: string
  readonly name: string
  readonly size: number
  readonly bytes: Buffer | null
  readonly large: number | null
}

/** The blobs of a commit, or those that are being written. */
export type StagedBlobs =
  | { readonly ready: readonly StagedBlob[] }
  | { readonly writing: Promise<StagedBlob[]> }

/** The effect of a commit on a record. */
export interface Effect {
  readonly table: Table
  readonly op: 'insert' | 'update' | 'remove'
  readonly id: string
}

/** The members of a stored record that a commit needs. */
interface Known {
  readonly version: number
  /** In the order of the indexes; null for those that are not unique. */
  readonly keys: readonly (string | null)[]
}

/** The state of a record after the batch: its row, or null if it is removed. `before` is the state before the batch. */
interface Final {
  readonly table: Table
  readonly partition: string
  readonly id: string
  readonly before: Known | null
  row: StoredRow | null
}

/**
 * Checks the commits of one transaction one after the other, each against the result of those before it. A refused
 * commit has no effect.
 */
export class Staging {
  readonly #known: Map<string, Known | null> = new Map()
  readonly #holders: Map<string, string | null> = new Map()
  readonly #finals: Map<string, Final> = new Map()
  /** The records whose blobs from before the batch are removed. */
  readonly #cleared: Map<string, { table: Table; partition: string; id: string }> = new Map()
  readonly #blobs: Map<string, StagedBlob & { table: Table; partition: string }> = new Map()
  #undo: (() => void)[] = []
  #effects: Effect[] = []

  /** Adds a stored record. @param keys  Its keys in unique indexes, in hex, in the order of the indexes. */
  learn(
    table: Table,
    partition: string,
    id: string,
    version: number,
    keys: readonly (string | null)[],
  ): void {
    this.#known.set(placeOf(table, partition, id), { version, keys })
    for (const [at, { isUnique }] of table.indexes.entries()) {
      const key = keys[at] ?? null
      if (isUnique && key !== null) this.#holders.set(holderOf(table, partition, at, key), id)
    }
  }

  /**
   * Applies a commit.
   *
   * @returns Its effect on each record, in order.
   * @throws unique_conflict, version_conflict; then nothing of it is applied.
   */
  stage(
    partition: string,
    changes: readonly PreparedChange[],
    blobs: readonly StagedBlob[],
  ): Promise<Effect[]> {
    return this.#whole(async () => {
      await forEachSlice(changes, (change) => this.#change(partition, change))
      for (const blob of blobs) {
        const change = changes.findLast((one) => one.op !== 'remove' && one.row.id === blob.owner)
        if (!change) continue
        const place = placeOf(change.table, partition, blob.owner)
        // A later change of the same commit may have removed the record.
        if (this.#finals.get(place)?.row)
          this.#set(this.#blobs, `${place}/${blob.name}`, { ...blob, table: change.table, partition })
      }
    })
  }

  /**
   * Applies those changes whose records have not changed since they were read.
   *
   * @param outcome  Gets how many were applied, and the ids of the others.
   * @throws unique_conflict; then nothing of it is applied.
   */
  stageBulk(partition: string, changes: readonly BulkChange[], outcome: BulkOutcome): Promise<Effect[]> {
    outcome.applied = 0
    outcome.stale = []
    return this.#whole(() =>
      forEachSlice(changes, ({ table, id, version, row }) => {
        const current = this.#current(table, partition, id)
        if (!current) return
        if (row !== null && current.version !== version) {
          outcome.stale.push(id)
          return
        }
        outcome.applied++
        if (row === null) this.#remove(table, partition, id, current)
        else this.#put(table, partition, row, current)
      }),
    )
  }

  /** The records that the batch changes, and their final states. */
  get finals(): Iterable<Final> {
    return this.#finals.values()
  }

  get cleared(): Iterable<{ table: Table; partition: string; id: string }> {
    return this.#cleared.values()
  }

  /** Whether a record of the batch was stored before it. */
  wasStored(table: Table, partition: string, id: string): boolean {
    return (this.#finals.get(placeOf(table, partition, id))?.before ?? null) !== null
  }

  get blobs(): Iterable<StagedBlob & { table: Table; partition: string }> {
    return this.#blobs.values()
  }

  async #whole(add: () => Promise<void>): Promise<Effect[]> {
    try {
      await add()
      return this.#effects
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo()
      throw error
    } finally {
      this.#undo = []
      this.#effects = []
    }
  }

  #change(partition: string, change: PreparedChange): void {
    const { table } = change
    if (change.op === 'remove') {
      const current = this.#current(table, partition, change.id)
      if (change.version !== undefined) assertVersion(change.version, current, table.name, change.id)
      if (current) this.#remove(table, partition, change.id, current)
      return
    }
    const { row } = change
    const current = this.#current(table, partition, row.id)
    if (change.op === 'insert' && current) throw keyConflict(table.name, 'id', [row.id], row.id)
    if (change.op === 'update') assertVersion(row.version - 1, current, table.name, row.id)
    const version = change.op === 'put' ? (current?.version ?? 0) + 1 : row.version
    this.#put(table, partition, version === row.version ? row : atVersion(table, row, version), current)
  }

  #put(table: Table, partition: string, row: StoredRow, current: Known | null): void {
    const { id, version } = row
    const keys = table.indexes.map(({ isUnique }, at) => (isUnique ? hexOf(row.values[at]) : null))
    for (const [at, { name, isUnique }] of table.indexes.entries()) {
      if (!isUnique) continue
      const key = keys[at] ?? null
      const holder = key === null ? null : (this.#holders.get(holderOf(table, partition, at, key)) ?? null)
      if (holder !== null && holder !== id)
        throw keyConflict(table.name, name, givenKey(row.keys[at]), holder)
      this.#claim(table, partition, at, current?.keys[at] ?? null, null)
      this.#claim(table, partition, at, key, id)
    }
    this.#finish(table, partition, id, row, { version, keys })
    this.#effects.push({ table, op: current ? 'update' : 'insert', id })
  }

  #remove(table: Table, partition: string, id: string, current: Known): void {
    for (const [at, { isUnique }] of table.indexes.entries())
      if (isUnique) this.#claim(table, partition, at, current.keys[at] ?? null, null)
    this.#finish(table, partition, id, null, null)
    const place = placeOf(table, partition, id)
    this.#set(this.#cleared, place, { table, partition, id })
    for (const name of this.#blobs.keys()) if (name.startsWith(`${place}/`)) this.#unset(this.#blobs, name)
    this.#effects.push({ table, op: 'remove', id })
  }

  #finish(table: Table, partition: string, id: string, row: StoredRow | null, after: Known | null): void {
    const place = placeOf(table, partition, id)
    const earlier = this.#finals.get(place)
    const before = earlier ? earlier.before : (this.#known.get(place) ?? null)
    this.#set(this.#finals, place, { table, partition, id, before, row })
    this.#set(this.#known, place, after)
  }

  #current(table: Table, partition: string, id: string): Known | null {
    return this.#known.get(placeOf(table, partition, id)) ?? null
  }

  #claim(table: Table, partition: string, at: number, key: string | null, holder: string | null): void {
    if (key !== null) this.#set(this.#holders, holderOf(table, partition, at, key), holder)
  }

  #set<V>(map: Map<string, V>, key: string, value: V): void {
    const before = map.get(key)
    const was = map.has(key)
    map.set(key, value)
    this.#undo.push(() => (was ? map.set(key, before as V) : map.delete(key)))
  }

  #unset<V>(map: Map<string, V>, key: string): void {
    const before = map.get(key)
    if (map.delete(key)) this.#undo.push(() => map.set(key, before as V))
  }
}

/** A key of a unique index as a text, for maps. */
export function hexOf(key: StoredRow['values'][number] | undefined): string | null {
  return key instanceof Uint8Array ? key.toString('hex') : null
}

function atVersion(table: Table, { text }: StoredRow, version: number): StoredRow {
  const changed = withVersion(text, version)
  return table.rowOf(toRecord<StoredRecord>(changed), changed)
}

function givenKey(key: IndexKey | null | undefined): IndexKey {
  return key ?? []
}

// A partition and an id have no NUL.
function placeOf(table: Table, partition: string, id: string): string {
  return `${table.name}\0${partition}\0${id}`
}

function holderOf(table: Table, partition: string, at: number, key: string): string {
  return `${table.name}\0${partition}\0${at}\0${key}`
}
