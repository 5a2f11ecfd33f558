import { firstWhere } from '../core/first-where.ts'
import type { Entry } from './entry.ts'
import { compareKeys, compareValues } from './keys.ts'
import type { IndexKey } from './queries.ts'

/** A record in an order: its {@link Entry}, or only its id if the record rests on the disk. */
export type Row = Entry | { readonly id: string }

/** Positions in an index, `end` exclusive. */
export interface RowSpan {
  start: number
  end: number
}

interface IndexOptions {
  readonly on: readonly string[]
  /** Default: false. */
  readonly unique?: boolean | undefined
  /** Where in `Entry.keys` its key is; null for the order by id. */
  readonly slot: number | null
  /** The records, if they are in memory anyway: then they are only sorted when the order is requested. */
  readonly all?: () => Iterable<Entry>
}

/** One order of records, by key and then by id: a sorted array, so that a page is a slice and a count a subtraction. */
export class SortedIndex {
  readonly name: string
  readonly unique: boolean
  readonly on: readonly string[]
  /** One more at each change, so that a scan that let the event loop turn sees that positions moved. */
  revision = 0
  /** null until the order is requested. */
  #entries: Entry[] | null
  readonly #all: () => Iterable<Entry>
  /** Where in `Entry.keys` this index's key is; null for the order by id, whose key is the id itself. */
  readonly #slot: number | null
  /** The changes between `gather` and `settle`; null at other times. */
  #gathered: { gone: Set<Entry>; added: Set<Entry> } | null = null

  constructor(name: string, { on, unique = false, slot, all }: IndexOptions) {
    this.name = name
    this.on = on
    this.unique = unique
    this.#slot = slot
    this.#all = all ?? (() => [])
    this.#entries = all ? null : []
  }

  get #ordered(): Entry[] {
    return (this.#entries ??= [...this.#all()].sort((a, b) => this.#order(a, b)))
  }

  get size(): number {
    return this.#ordered.length
  }

  at(position: number): Entry | undefined {
    return this.#ordered[position]
  }

  slice(start: number, end: number): readonly Entry[] {
    return this.#ordered.slice(start, end)
  }

  /** The records whose key begins with `prefix`, up to those that begin with `until`. */
  span(prefix: IndexKey = [], until?: IndexKey): RowSpan {
    const start = this.lowerBound(prefix)
    const end = this.upperBound(prefix)
    return { start, end: until === undefined ? end : Math.min(end, this.upperBound(until)) }
  }

  /** The position of the first record that is not before `key` (a whole key or its beginning). */
  lowerBound(key: IndexKey): number {
    return this.#search((entry) => this.#compare(entry, key) < 0)
  }

  /** The position of the first record that is behind `key`. */
  upperBound(key: IndexKey): number {
    return this.#search((entry) => this.#compare(entry, key) <= 0)
  }

  find(key: IndexKey): Entry | undefined {
    const entry = this.#ordered[this.lowerBound(key)]
    return entry !== undefined && this.#compare(entry, key) === 0 ? entry : undefined
  }

  /** Adds a record by its present key; without effect where it has none. */
  add(entry: Entry): void {
    if (!this.#entries || this.#keyOf(entry) === null) return
    if (this.#gathered) this.#gathered.added.add(entry)
    else this.#insert(entry)
  }

  /** Takes a record out; call it before its key changes. */
  remove(entry: Entry): void {
    if (!this.#entries || this.#keyOf(entry) === null) return
    if (this.#gathered) {
      if (!this.#gathered.added.delete(entry)) this.#gathered.gone.add(entry)
      return
    }
    const at = this.#positionOf(entry)
    if (this.#ordered[at] !== entry) return
    this.revision++
    this.#ordered.splice(at, 1)
  }

  clear(): void {
    this.revision++
    if (this.#entries) this.#entries = []
  }

  /** Only notes changes from here on: taking 50,000 records out one by one would move the array 50,000 times. */
  gather(): void {
    if (this.#entries) this.#gathered ??= { gone: new Set(), added: new Set() }
  }

  /** Applies the changes since `gather`. */
  settle(): void {
    const gathered = this.#gathered
    this.#gathered = null
    if (!gathered || gathered.gone.size + gathered.added.size === 0) return
    this.revision++
    const { gone } = gathered
    if (gone.size > 0) this.#entries = this.#ordered.filter((entry) => !gone.has(entry))
    this.#insertAll([...gathered.added].sort((a, b) => this.#order(a, b)))
  }

  /**
   * Replaces what was there by all records, in any order.
   *
   * @returns Two that have the same key of a unique index; null if there are none.
   */
  replaceAll(all: readonly Entry[]): Entry[] | null {
    this.revision++
    const entries = all.filter((entry) => this.#keyOf(entry) !== null).sort((a, b) => this.#order(a, b))
    this.#entries = entries
    if (!this.unique) return null
    const second = entries.findIndex((entry, at) => {
      const before = entries[at - 1]
      return before !== undefined && this.#compare(before, this.#keyOf(entry) ?? []) === 0
    })
    return second > 0 ? entries.slice(second - 1, second + 1) : null
  }

  /** Moves each record once, without looking at its key. @param added  In the order of the index. */
  #insertAll(added: readonly Entry[]): void {
    const entries = this.#ordered
    const positions = added.map((entry) => this.#positionOf(entry))
    // New records mostly come last: only those behind the first position move.
    const moved = entries.splice(positions[0] ?? entries.length)
    const first = entries.length
    const moveUntil = (position: number, inserted: number): void => {
      for (let next = entries.length - inserted; next < position; next++) {
        const entry = moved[next - first]
        if (entry) entries.push(entry)
      }
    }
    for (const [nth, entry] of added.entries()) {
      moveUntil(positions[nth] ?? first, nth)
      entries.push(entry)
    }
    moveUntil(first + moved.length, added.length)
  }

  #insert(entry: Entry): void {
    this.revision++
    const entries = this.#ordered
    const last = entries.at(-1)
    if (last === undefined || this.#order(last, entry) < 0) entries.push(entry)
    else entries.splice(this.#positionOf(entry), 0, entry)
  }

  /** The position of a record by its key and id, whether or not it is there. */
  #positionOf(entry: Entry): number {
    return this.#search((other) => this.#order(other, entry) < 0)
  }

  #search(isBefore: (entry: Entry) => boolean): number {
    const entries = this.#ordered
    return firstWhere(entries.length, (at) => {
      const entry = entries[at]
      return entry === undefined || !isBefore(entry)
    })
  }

  #keyOf({ id, keys }: Entry): IndexKey | null {
    return this.#slot === null ? [id] : (keys[this.#slot] ?? null)
  }

  #compare(entry: Entry, key: IndexKey): number {
    const [first] = key
    if (first === undefined) return 0
    if (this.#slot === null) return compareValues(entry.id, first)
    return compareKeys(entry.keys[this.#slot] ?? [], key)
  }

  #order(a: Entry, b: Entry): number {
    const order = this.#slot === null ? 0 : compareKeys(a.keys[this.#slot] ?? [], b.keys[this.#slot] ?? [])
    // Not by `compareValues`: an order of ids compares texts alone, at each step of each search.
    return order !== 0 ? order : a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  }
}
