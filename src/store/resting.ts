import type { LocalpostError } from '../core/errors.ts'
import { createRecentValues, type RecentValues } from '../core/recent-values.ts'
import { nextTurn } from '../core/machine.ts'
import { atRest, Entry, type Places } from './entry.ts'
import type { FactTable } from './facts.ts'
import { type PackFacts, unknownFacts } from './pack-facts.ts'
import { Packed, type PackedFile, packRows, type WrittenLine } from './packed.ts'
import type { CollectionState, Segment } from './collection-state.ts'

/** A record as it is in its segment file. */
export interface RestingRecord {
  readonly version: number
  readonly text: string
  readonly blobs: Places | null
}

export interface LineReader {
  /** The records of some rows; null for a row whose line is damaged or belongs to another record. */
  read(pack: Packed, rows: readonly number[]): Promise<(RestingRecord | null)[]>
  /** The error for a row that cannot be read. It names the file and the line. */
  damaged(pack: Packed, row: number): Promise<LocalpostError>
}

/** A record in a pack that a later commit in the log replaced or removed, found while the store is loaded. */
interface Replaced {
  readonly state: CollectionState
  readonly id: string
  readonly pack: Packed
  readonly row: number
  blobs?: Places | null
}

/**
 * Resting records: their text and the places of their blobs are only in segment files. Older records rest as soon as a
 * checkpoint has written them. A commit that changes one loads it into memory first.
 */
export class Resting {
  /** How many segments, from the newest on, stay in memory. */
  awakeSegments = 4
  reader: LineReader | null = null
  /** Called with the error of a record that cannot be read, when the other records of the same read are still returned. */
  onDamaged: (error: LocalpostError) => void = () => {}
  /** Segments that the start loaded from their index, until their files are checked. */
  readonly unchecked: Set<Segment> = new Set()
  /** Filled while the store is loaded. */
  readonly replaced: Replaced[] = []
  /** Segments that have records both in their file and in memory. */
  readonly #awake: Set<Segment> = new Set()
  /** A changed record is in a new pack, so that what is cached of the old one does not count, and must not keep it in memory. */
  readonly #cache: RecentValues<{ pack: WeakRef<Packed>; record: RestingRecord }> = createRecentValues(
    cachedText,
    ({ record }) => record.text.length,
    mostCachedText,
  )
  #held = 0
  #waiting: (() => unknown)[] = []

  /**
   * Reads resting records.
   *
   * @returns For each id the record; null if it no longer rests; or the error if it cannot be read.
   */
  async read(
    state: CollectionState,
    ids: readonly string[],
  ): Promise<(RestingRecord | LocalpostError | null)[]> {
    const found: (RestingRecord | LocalpostError | null)[] = ids.map(() => null)
    let wanted = [...ids.keys()]
    while (wanted.length > 0) {
      const again: number[] = []
      for (const [pack, places] of this.#byPack(state, ids, wanted, found)) {
        const records =
          (await this.reader?.read(
            pack,
            places.map(({ row }) => row),
          )) ?? []
        for (const [i, { at, id, row }] of places.entries()) {
          const record = records[i] ?? null
          found[at] = record
          if (record && ids.length <= mostKept)
            this.#cache.put(`${state.name} ${id}`, { pack: new WeakRef(pack), record })
          if (record) continue
          if (state.idIndex.locate(id)?.pack !== pack) again.push(at)
          else if (pack.segment.replacing) {
            await pack.segment.replacing
            again.push(at)
          } else found[at] = (await this.reader?.damaged(pack, row)) ?? null
        }
      }
      wanted = again
    }
    return found
  }

  /** The rows of the wanted records, by pack. Records that are cached are put into `found` instead. */
  #byPack(
    state: CollectionState,
    ids: readonly string[],
    wanted: readonly number[],
    found: (RestingRecord | LocalpostError | null)[],
  ): Map<Packed, { at: number; id: string; row: number }[]> {
    const packs = new Map<Packed, { at: number; id: string; row: number }[]>()
    for (const at of wanted) {
      const id = ids[at] ?? ''
      const located = state.idIndex.locate(id)
      if (!located) continue
      const { pack, row } = located
      const cached = this.#cache.get(`${state.name} ${id}`)
      if (cached?.pack.deref() === pack) {
        found[at] = cached.record
        continue
      }
      const rows = packs.get(pack)
      if (rows) rows.push({ at, id, row })
      else packs.set(pack, [{ at, id, row }])
    }
    return packs
  }

  /**
   * Loads resting records into memory, before a commit changes them. Records that cannot be read keep resting.
   *
   * @param withText  Whether the text is needed too.
   * @returns undefined if none of them rests.
   */
  wake(state: CollectionState, ids: readonly string[], withText: boolean = false): Promise<void> | undefined {
    const wanted = ids.filter((id) => state.rests(id) || (withText && state.byId.get(id)?.text === ''))
    return wanted.length === 0 ? undefined : this.#loadIntoMemory(state, wanted, withText)
  }

  async #loadIntoMemory(state: CollectionState, ids: readonly string[], withText: boolean): Promise<void> {
    for (let from = 0; from < ids.length; from += wokenAtOnce) {
      if (from > 0) await nextTurn()
      const part = ids.slice(from, from + wokenAtOnce)
      for (const [i, record] of (await this.read(state, part)).entries()) {
        const id = part[i] ?? ''
        const located = state.idIndex.locate(id)
        if (!located || record === null || record instanceof Error) continue
        const text = withText ? record.text : ''
        const entry = state.byId.get(id)
        const { number } = located.pack.segment
        this.#awake.add(state.segment(number))
        if (!entry) {
          state.byId.set(id, new Entry(id, number, record.version, text, state.noKeys, record.blobs))
        } else if (entry.text === '') {
          entry.text = text
          entry.blobs = record.blobs
        }
      }
    }
  }

  /** Keeps all records in memory until {@link Resting.letGo}. Calls may be nested. */
  hold(): void {
    this.#held++
  }

  letGo(): void {
    if (--this.#held > 0) return
    for (const run of this.#waiting.splice(0)) run()
  }

  /**
   * Notes where the records of a segment are in its file, which was just read or written.
   *
   * @param file  Null if some lines of the file are damaged.
   */
  adopt(
    segment: Segment,
    path: string,
    lines: readonly WrittenLine[],
    logs: ReadonlySet<number>,
    file: PackedFile | null,
  ): Packed | null {
    const { state, pack: old } = segment
    const { idIndex, byId } = state
    const wasPacked = (id: string): boolean => old !== null && old.find(id) >= 0
    const there = lines.filter(({ id }) => {
      const entry = byId.get(id)
      return (entry !== undefined && segment.entries.has(entry)) || wasPacked(id)
    })
    // Usually already sorted, because ids follow the order of arrival.
    if (there.some(({ id }, at) => at > 0 && (there[at - 1]?.id ?? '') > id))
      there.sort((a, b) => (a.id < b.id ? -1 : 1))
    const anchor = old === null ? undefined : there.find(({ id }) => wasPacked(id))
    if (old) idIndex.takeOut(old)
    const room = anchor
      ? idIndex.roomAt(anchor.id)
      : there.reduce<ReturnType<typeof idIndex.roomAt>>((room, { id }) => room ?? idIndex.roomAt(id), null)
    const isWithin = ({ id }: WrittenLine): boolean =>
      room !== null && (room.after === null || id > room.after) && (room.before === null || id < room.before)
    const rows = there.filter(isWithin)
    const pack = rows.length > 0 ? new Packed(segment, path, packRows(rows), logs) : null
    if (pack && rows.length === lines.length) pack.file = file
    if (pack && state.facts) pack.facts = factsForPack(state.facts, rows, state, old)
    segment.pack = pack
    if (pack) idIndex.insert(pack)
    idIndex.gather()
    for (const { id } of rows) {
      const entry = byId.get(id)
      if (!entry) continue
      entry.facts = null
      if (segment.entries.delete(entry)) idIndex.remove(entry)
    }
    idIndex.settle()
    this.#awake.add(segment)
    return pack
  }

  /** Drops the pack of a segment whose file was removed, if the segment still has no records. */
  release(segment: Segment): void {
    const { pack, state } = segment
    if (pack === null || pack.live > 0) return
    state.idIndex.takeOut(pack)
    segment.pack = null
    this.#awake.delete(segment)
    this.unchecked.delete(segment)
  }

  /** Takes records out of memory if they are in segment files, except those of the newest and of changed segments. */
  async settle(isDirty: (segment: Segment) => boolean): Promise<void> {
    for (const segment of this.#awake) {
      if (segment.number > segment.state.openSegment - this.awakeSegments || isDirty(segment)) continue
      // A running commit refers to records in memory.
      if (this.#held > 0) this.#waiting.push(() => isDirty(segment) || this.rest(segment))
      else this.rest(segment)
      await nextTurn()
    }
  }

  /** Takes the records of a segment out of memory. Its file must contain all of them in their current state. */
  rest(segment: Segment): void {
    this.#awake.delete(segment)
    const { pack, state } = segment
    if (pack) pack.keyed = 0
    for (let row = 0; pack && row < pack.count; row++) {
      const id = pack.id(row)
      const entry = pack.has(row) ? state.byId.get(id) : undefined
      if (!entry) continue
      if (entry.keys.every((key) => key === null)) state.byId.delete(id)
      else {
        // The record stays in the indexes.
        pack.keyed++
        entry.text = ''
        entry.blobs = atRest
      }
    }
  }
}

/** The facts for a new pack: from the pack that it replaces, or else from the records in memory. */
function factsForPack(
  table: FactTable,
  lines: readonly WrittenLine[],
  { byId }: CollectionState,
  old: Packed | null,
): PackFacts {
  const facts = unknownFacts(table, lines.length)
  let row = 0
  for (const { id } of lines) {
    const before = old === null ? -1 : old.find(id)
    facts.set(row++, old && before >= 0 ? (old.facts?.get(before) ?? null) : (byId.get(id)?.facts ?? null))
  }
  return facts
}

const wokenAtOnce = 250
/** If more records than this are read together, for example by a scan, they are not cached: they would evict all others. */
const mostKept = 64
const cachedText = 2 * 1024 * 1024
const mostCachedText = 64 * 1024
