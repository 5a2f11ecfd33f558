import { firstWhere } from '../core/first-where.ts'
import type { Entry } from './entry.ts'
import type { Packed } from './packed.ts'
import { SortedIndex, type Row, type RowSpan } from './sorted-index.ts'
import type { IndexKey } from './queries.ts'

/** Successive records in the order of their ids: rows of a pack, `to` exclusive, or records that are in no pack. */
export type IdRun =
  | { readonly pack: Packed; readonly from: number; readonly to: number }
  | { readonly entries: readonly Entry[] }

/**
 * The order of a collection by id: records that rest in segment files, and the others, which are in a sorted array. The
 * ids of two segments never overlap, so a position is found by the number of records in the segments before it.
 */
export class IdOrder {
  readonly name = 'id'
  /** In the order of their ids. */
  readonly #packs: Packed[] = []
  readonly #loose: SortedIndex
  /** The number of records before each pack, and the number of all; null after a change. */
  #before: number[] | null = null
  #revision = 0

  /** @param loose  All records that are in no pack. */
  constructor(loose: () => Iterable<Entry>) {
    this.#loose = new SortedIndex('id', { on: ['id'], unique: true, slot: null, all: loose })
  }

  get revision(): number {
    return this.#revision + this.#loose.revision
  }

  get packs(): readonly Packed[] {
    return this.#packs
  }

  /** The pack and the row of an existing record that is in a pack. */
  locate(id: string): { pack: Packed; row: number } | null {
    const at = this.#packsBefore(id)
    // Its last id may be this one.
    const pack = this.#packs[at]
    const row = pack === undefined || id < pack.first ? -1 : pack.find(id)
    return pack && row >= 0 ? { pack, row } : null
  }

  /** Whether a record with this id can be in a pack. Fast, because most new records cannot. */
  mayRest(id: string): boolean {
    const last = this.#packs.at(-1)
    return last !== undefined && id <= last.last
  }

  /** The ids between which a new pack must lie, given an id in it; null if another pack has that range. */
  roomAt(id: string): { after: string | null; before: string | null } | null {
    const at = this.#packsBefore(id)
    const next = this.#packs[at]
    if (next !== undefined && next.first <= id) return null
    return { after: this.#packs[at - 1]?.last ?? null, before: next?.first ?? null }
  }

  /** Inserts a pack. Its records must no longer be among the loose ones. */
  insert(pack: Packed): void {
    this.#changed()
    this.#packs.splice(this.#packsBefore(pack.first), 0, pack)
  }

  /** Takes a pack out; without effect if it is not there. */
  takeOut(pack: Packed): void {
    this.#changed()
    const at = this.#packs.indexOf(pack)
    if (at >= 0) this.#packs.splice(at, 1)
  }

  removeAt(pack: Packed, row: number): void {
    pack.remove(row)
    this.#changed()
  }

  clear(): void {
    for (const pack of this.#packs) pack.removeAll()
    this.#loose.clear()
    this.#changed()
  }

  add(entry: Entry): void {
    this.#loose.add(entry)
  }

  remove(entry: Entry): void {
    this.#loose.remove(entry)
  }

  gather(): void {
    this.#loose.gather()
  }

  settle(): void {
    this.#loose.settle()
  }

  find([id]: IndexKey): Row | undefined {
    if (typeof id !== 'string') return undefined
    return this.#loose.find([id]) ?? (this.locate(id) ? { id } : undefined)
  }

  span(prefix: IndexKey = [], until?: IndexKey): RowSpan {
    const start = prefix.length === 0 ? 0 : this.lowerBound(prefix)
    const end = prefix.length === 0 ? this.size : this.upperBound(prefix)
    return { start, end: until === undefined ? end : Math.min(end, this.upperBound(until)) }
  }

  lowerBound([value]: IndexKey): number {
    if (value === undefined) return 0
    return this.#packedBefore(value) + this.#loose.lowerBound([value])
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

  /** The records from `start` up to `end`, as rows of packs and as records that are in no pack. */
  *runs(start: number, end: number): Generator<IdRun> {
    let left = Math.min(end, this.size) - start
    let loose = left <= 0 ? 0 : this.#looseBefore(start)
    const counts = this.#counts()
    const position = start - loose
    let at = firstWhere(this.#packs.length, (i) => (counts[i + 1] ?? 0) > position)
    for (let before = position - (counts[at] ?? 0); at < this.#packs.length && left > 0; at++, before = 0) {
      const pack = this.#packs[at]
      if (!pack || pack.live === 0) continue
      for (let from = pack.rowAt(before); from < pack.count && left > 0;) {
        // A removed record may be there again, in no pack.
        if (!pack.has(from)) {
          from++
          continue
        }
        const next = this.#loose.at(loose)
        if (next && next.id < pack.id(from)) {
          const until = Math.min(this.#loose.lowerBound([pack.id(from)]), loose + left)
          yield { entries: this.#loose.slice(loose, until) }
          left -= until - loose
          loose = until
          continue
        }
        const most = next && next.id < pack.last ? pack.lowerBound(next.id) : pack.count
        const isWhole = from === 0 && most === pack.count && pack.live <= left
        const first = isWhole ? 0 : pack.liveBefore(from)
        const live = isWhole ? pack.live : Math.min(pack.liveBefore(most) - first, left)
        const to = isWhole || live < left ? most : pack.rowAt(first + live)
        yield { pack, from, to }
        left -= live
        from = to
      }
    }
    if (left > 0) yield { entries: this.#loose.slice(loose, loose + left) }
  }

  #changed(): void {
    this.#revision++
    this.#before = null
  }

  get size(): number {
    return (this.#counts().at(-1) ?? 0) + this.#loose.size
  }

  #looseBefore(position: number): number {
    return firstWhere(this.#loose.size, (at) => {
      const entry = this.#loose.at(at)
      return entry === undefined || at + this.#packedBefore(entry.id) >= position
    })
  }

  /** How many records in packs have a smaller id. */
  #packedBefore(value: IndexKey[number]): number {
    // Values of other types come before all strings.
    if (typeof value !== 'string') return 0
    const counts = this.#counts()
    const at = this.#packsBefore(value)
    const pack = this.#packs[at]
    const within = pack && pack.first < value ? pack.liveBefore(pack.lowerBound(value)) : 0
    return (counts[at] ?? 0) + within
  }

  /** How many packs end before an id. */
  #packsBefore(id: string): number {
    const last = this.#packs.at(-1)
    // New records come last.
    if (last === undefined || last.last < id) return this.#packs.length
    return firstWhere(this.#packs.length, (i) => (this.#packs[i]?.last ?? '') >= id)
  }

  #counts(): number[] {
    if (this.#before) return this.#before
    const before = [0]
    let sum = 0
    for (const { live } of this.#packs) before.push((sum += live))
    return (this.#before = before)
  }
}
