import { firstWhere } from '../core/first-where.ts'
import type { Entry } from './entry.ts'
import type { Packed } from './packed.ts'
import { SortedIndex, type Row, type RowSpan } from './sorted-index.ts'
import type { IndexKey } from './queries.ts'

/** Successive records in the order of their ids: rows of a pack, `to` exclusive, or records that are in no pack. */
export type IdRun =
  | { readonly pack: Packed; readonly from: number; readonly to: number }
  | { readonly entries: readonly Entry[] }

/** Rows of a pack, the first of which exists; without a pack, positions among the loose records. `to` is exclusive. */
type Stretch = { readonly pack: Packed | null; readonly from: number; readonly to: number }

/**
 * The order of a collection by id: records in packs, whose texts are only in segment files, and loose records, which
 * are in no pack. The ids of two packs never overlap, but loose records may be between those of a pack. A position
 * counts the records of both.
 */
export class IdOrder {
  readonly name = 'id'
  readonly loose: SortedIndex
  /** In the order of their ids. */
  readonly #packs: Packed[] = []
  /** The number of records in packs before each pack, and in all of them; null after a change. */
  #counts: number[] | null = null
  #packRevision = 0

  /** @param loose  All records that are in no pack. */
  constructor(loose: () => Iterable<Entry>) {
    this.loose = new SortedIndex('id', { on: ['id'], unique: true, slot: null, all: loose })
  }

  /** Another number after each change of positions. */
  get revision(): number {
    return this.#packRevision + this.loose.revision
  }

  get size(): number {
    return (this.#packCounts().at(-1) ?? 0) + this.loose.size
  }

  get packs(): readonly Packed[] {
    return this.#packs
  }

  find([id]: IndexKey): Row | undefined {
    if (typeof id !== 'string') return undefined
    return this.loose.find([id]) ?? (this.locate(id) ? { id } : undefined)
  }

  span(prefix: IndexKey = [], until?: IndexKey): RowSpan {
    const start = this.lowerBound(prefix)
    const end = this.upperBound(prefix)
    return { start, end: until === undefined ? end : Math.min(end, this.upperBound(until)) }
  }

  lowerBound([id]: IndexKey): number {
    return id === undefined ? 0 : this.#packedBefore(id) + this.loose.lowerBound([id])
  }

  upperBound(key: IndexKey): number {
    if (key.length === 0) return this.size
    return this.lowerBound(key) + (this.find(key) === undefined ? 0 : 1)
  }

  slice(start: number, end: number): Row[] {
    const rows: Row[] = []
    for (const run of this.runs(start, end)) {
      if ('entries' in run) for (const entry of run.entries) rows.push(entry)
      else {
        const { pack } = run
        for (let row = run.from; row < run.to; row++) if (pack.has(row)) rows.push({ id: pack.id(row) })
      }
    }
    return rows
  }

  /** The records at the positions from `start` up to `end`. The rows of packs include removed ones. */
  *runs(start: number, end: number): Generator<IdRun> {
    const packsBefore = this.#packsWithin(start)
    const before = this.#packs[packsBefore - 1]
    const looseBefore = before ? this.loose.lowerBound([before.last]) : 0
    let skipped = start - (this.#packCounts()[packsBefore] ?? 0) - looseBefore
    let remaining = Math.min(end, this.size) - start
    for (const { pack, from, to } of this.#stretches(packsBefore, looseBefore)) {
      if (remaining <= 0) return
      const first = pack ? pack.liveBefore(from) : from
      const count = (pack ? pack.liveBefore(to) : to) - first
      if (count <= skipped) {
        skipped -= count
        continue
      }
      const begin = first + skipped
      const length = Math.min(count - skipped, remaining)
      if (pack) yield { pack, from: pack.rowAt(begin), to: pack.rowAt(begin + length) }
      else yield { entries: this.loose.slice(begin, begin + length) }
      remaining -= length
      skipped = 0
    }
  }

  /** How many of the packs end within the first records of the order: these need not be gone through. */
  #packsWithin(records: number): number {
    const counts = this.#packCounts()
    return firstWhere(this.#packs.length, (at) => {
      const loose = this.loose.lowerBound([this.#packs[at]?.last ?? ''])
      return (counts[at + 1] ?? 0) + loose > records
    })
  }

  /** The records from one pack on, and the loose ones from a position on, in their order. */
  *#stretches(firstPack: number, looseFrom: number): Generator<Stretch> {
    for (let at = firstPack; at < this.#packs.length; at++) {
      const pack = this.#packs[at]
      if (!pack) return
      for (let row = pack.live === 0 ? pack.count : 0; row < pack.count;) {
        // Also because a removed record may be there again as a loose one.
        if (!pack.has(row)) {
          row++
          continue
        }
        const next = this.loose.at(looseFrom)
        if (next && next.id < pack.id(row)) {
          const looseTo = this.loose.lowerBound([pack.id(row)])
          yield { pack: null, from: looseFrom, to: looseTo }
          looseFrom = looseTo
          continue
        }
        const to = next && next.id < pack.last ? pack.lowerBound(next.id) : pack.count
        yield { pack, from: row, to }
        row = to
      }
    }
    yield { pack: null, from: looseFrom, to: this.loose.size }
  }

  /** The pack and the row of an existing record that is in a pack. */
  locate(id: string): { pack: Packed; row: number } | null {
    // Its last id may be this one.
    const pack = this.#packs[this.#packsBefore(id)]
    const row = pack === undefined || id < pack.first ? -1 : pack.find(id)
    return pack && row >= 0 ? { pack, row } : null
  }

  /** Whether a record with this id can be in a pack. Fast, because most new records cannot. */
  mayRest(id: string): boolean {
    const last = this.#packs.at(-1)
    return last !== undefined && id <= last.last
  }

  /** The packs' ids next to an id, between which a new pack with this id must lie; null if the id is in the range of a pack. */
  gapAt(id: string): { after: string | null; before: string | null } | null {
    const at = this.#packsBefore(id)
    const next = this.#packs[at]
    if (next !== undefined && next.first <= id) return null
    return { after: this.#packs[at - 1]?.last ?? null, before: next?.first ?? null }
  }

  /** Inserts a pack. Its records must no longer be among the loose ones. */
  insert(pack: Packed): void {
    this.#packsChanged()
    this.#packs.splice(this.#packsBefore(pack.first), 0, pack)
  }

  /** Takes a pack out; without effect if it is not there. */
  remove(pack: Packed): void {
    this.#packsChanged()
    const at = this.#packs.indexOf(pack)
    if (at >= 0) this.#packs.splice(at, 1)
  }

  removeAt(pack: Packed, row: number): void {
    pack.remove(row)
    this.#packsChanged()
  }

  clear(): void {
    for (const pack of this.#packs) pack.removeAll()
    this.loose.clear()
    this.#packsChanged()
  }

  #packsChanged(): void {
    this.#packRevision++
    this.#counts = null
  }

  #packedBefore(id: IndexKey[number]): number {
    // Values of other types come before all strings.
    if (typeof id !== 'string') return 0
    const at = this.#packsBefore(id)
    const pack = this.#packs[at]
    const within = pack && pack.first < id ? pack.liveBefore(pack.lowerBound(id)) : 0
    return (this.#packCounts()[at] ?? 0) + within
  }

  /** How many packs end before an id. */
  #packsBefore(id: string): number {
    const last = this.#packs.at(-1)
    // New records come last.
    if (last === undefined || last.last < id) return this.#packs.length
    return firstWhere(this.#packs.length, (i) => (this.#packs[i]?.last ?? '') >= id)
  }

  #packCounts(): number[] {
    if (this.#counts) return this.#counts
    const counts = [0]
    let sum = 0
    for (const { live } of this.#packs) counts.push((sum += live))
    return (this.#counts = counts)
  }
}
