import type { LocalpostError } from '../core/errors.ts'
import { nextTurn } from '../core/machine.ts'
import { atRest, Entry } from './entry.ts'
import { factsForPack, rowsForPack } from './pack-rows.ts'
import { Packed, type PackedFile, packRows, type WrittenLine } from './packed.ts'
import type { BlobUsage } from './blob-usage.ts'
import type { CollectionState, Segment } from './collection-state.ts'
import { type LineReader, RestingReader } from './resting-reader.ts'

/** What resting records need of a store in files; given before it is loaded. In memory, no record rests. */
export interface RestingFiles {
  readonly lines: LineReader
  /** How many segments, from the newest on, stay in memory. Default: {@link awakeByDefault}. */
  readonly awakeSegments?: number | undefined
  /** Called with the error of a record that cannot be read, when the other records of the same read are still returned. */
  readonly onDamaged: (error: LocalpostError) => void
}

/**
 * Resting records: their text and the places of their blobs are only in segment files. Older records rest as soon as a
 * checkpoint has written them. A commit that changes one loads it into memory first.
 *
 * The life of a segment: `adopt` gives it a pack when its file was read or written, `evict` takes the records of that pack out
 * of memory, `wake` brings some of them back, and `release` drops the pack when its file was removed. A record that is
 * back in memory keeps its row, also when it is changed: its segment is dirty then, and not evicted before it is written.
 */
export class Resting {
  readonly reader: RestingReader = new RestingReader()
  #files: RestingFiles | null = null
  /** Segments whose pack may have records in memory as well: each is in here from `adopt` or `wake` until `evict`. */
  readonly #awake: Set<Segment> = new Set()
  /** How many commits run that refer to records in memory. */
  #holds = 0
  /** Evictions that wait until no such commit runs. */
  #heldEvictions: (() => void)[] = []

  /** Call it before the load: which segments rest depends on it. */
  useFiles(files: RestingFiles): void {
    this.#files = files
    this.reader.useLines(files.lines)
  }

  /** See {@link RestingFiles.onDamaged}. */
  reportDamaged(error: LocalpostError): void {
    this.#files?.onDamaged(error)
  }

  /** Whether the records of a segment rest once a checkpoint wrote them. @param newest  The newest segment of its collection. */
  isOld(segment: number, newest: number): boolean {
    return segment <= newest - (this.#files?.awakeSegments ?? awakeByDefault)
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
      for (const [i, record] of (await this.reader.read(state, part)).entries()) {
        const id = part[i] ?? ''
        const located = state.idIndex.locate(id)
        if (!located || record === null || record instanceof Error) continue
        const text = withText ? record.text : ''
        const entry = state.byId.get(id)
        const { number } = located.pack.segment
        this.#awake.add(state.segment(number))
        if (!entry) {
          const { version, blobs } = record
          state.byId.set(id, new Entry({ id, segment: number, version, text, keys: state.noKeys, blobs }))
        } else if (entry.text === '') {
          entry.text = text
          entry.blobs = record.blobs
        }
      }
    }
  }

  /** Keeps all records in memory until {@link Resting.letGo}. Calls may be nested. */
  hold(): void {
    this.#holds++
  }

  /** Ends a {@link Resting.hold}. With the last one, the evictions that wait are done. */
  letGo(): void {
    if (--this.#holds > 0) return
    for (const evict of this.#heldEvictions.splice(0)) evict()
  }

  /**
   * Notes where the records of a segment are in its file, which was just read or written.
   *
   * The order matters: ranges of packs never overlap, and a record is in a pack or loose, never both. So the old pack is taken
   * out first, and the new one is inserted last. Nothing is awaited, so no reader sees a state in between.
   *
   * @param blobs  The log files that the blobs may be in; when the store starts, also the space that they use.
   * @param file  Null if some lines of the file are damaged.
   * @returns The new pack; null if no record can be in one. Its records stay in memory until {@link Resting.evict}.
   */
  adopt(
    segment: Segment,
    path: string,
    lines: readonly WrittenLine[],
    blobs: { readonly logs: ReadonlySet<number>; readonly usage?: BlobUsage },
    file: PackedFile | null,
  ): Packed | null {
    const { state, pack: old } = segment
    const { idIndex, byId } = state
    if (old) idIndex.remove(old)
    const rows = rowsForPack(segment, lines)
    this.#awake.add(segment)
    segment.pack = null
    if (rows.length === 0) return null
    const pack = new Packed(segment, path, packRows(rows), {
      ...blobs,
      facts: state.facts && factsForPack(state.facts, rows, state, old),
      // A file that has other records too must not have an index: that of the pack would lack them.
      file: rows.length === lines.length ? file : null,
    })
    segment.pack = pack
    idIndex.loose.gather()
    for (const { id } of rows) {
      const entry = byId.get(id)
      if (!entry) continue
      entry.facts = null
      if (segment.entries.delete(entry)) idIndex.loose.remove(entry)
    }
    idIndex.loose.settle()
    idIndex.insert(pack)
    return pack
  }

  /** Drops the pack of a segment whose file was removed, if the segment still has no records. */
  release(segment: Segment): void {
    const { pack, state } = segment
    if (pack === null || pack.live > 0) return
    state.idIndex.remove(pack)
    segment.pack = null
    this.#awake.delete(segment)
  }

  /** Takes records out of memory if they are in segment files, except those of the newest and of changed segments. */
  async evictOld(isDirty: (segment: Segment) => boolean): Promise<void> {
    for (const segment of this.#awake) {
      if (!this.isOld(segment.number, segment.state.openSegment) || isDirty(segment)) continue
      const evict = (): void => {
        if (!isDirty(segment)) this.evict(segment)
      }
      if (this.#holds > 0) this.#heldEvictions.push(evict)
      else evict()
      await nextTurn()
    }
  }

  /** Takes the records of a segment out of memory. Its file must contain all of them in their current state. */
  evict(segment: Segment): void {
    this.#awake.delete(segment)
    const { pack, state } = segment
    if (!pack) return
    pack.keyed = 0
    for (let row = 0; row < pack.count; row++) {
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

const awakeByDefault = 4
const wokenAtOnce = 250
