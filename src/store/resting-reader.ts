import type { LocalpostError } from '../core/errors.ts'
import { createRecentValues, type RecentValues } from '../core/recent-values.ts'
import type { CollectionState } from './collection-state.ts'
import type { Places } from './entry.ts'
import type { Packed } from './packed.ts'

/** A record as it is in its segment file. */
export interface RestingRecord {
  readonly version: number
  readonly text: string
  readonly blobs: Places | null
}

/** Reads lines of segment files. */
export interface LineReader {
  /** The records of some rows; null for a row whose line is damaged or belongs to another record. */
  read(pack: Packed, rows: readonly number[]): Promise<(RestingRecord | null)[]>
  /** The error for a row that cannot be read. It names the file and the line. */
  damaged(pack: Packed, row: number): Promise<LocalpostError>
}

/** Reads resting records from their segment files. In memory, where no record rests, it has no files and finds nothing. */
export class RestingReader {
  #lines: LineReader | null = null
  /** Halves the time of a page that is read again. What is cached of an old pack does not count, and must not keep that alive. */
  readonly #cache: RecentValues<{ pack: WeakRef<Packed>; record: RestingRecord }> = createRecentValues(
    maxCachedText,
    ({ record }) => record.text.length,
    maxCachedRecord,
  )

  useLines(lines: LineReader): void {
    this.#lines = lines
  }

  /** Reads rows of a pack from its file, past the cache; see {@link LineReader.read}. Empty without files. */
  readRows(pack: Packed, rows: readonly number[]): Promise<(RestingRecord | null)[]> {
    return this.#lines?.read(pack, rows) ?? Promise.resolve([])
  }

  /** Reads resting records. @returns For each id the record, null if it no longer rests, or the error if it cannot be read. */
  async read(
    state: CollectionState,
    ids: readonly string[],
  ): Promise<(RestingRecord | LocalpostError | null)[]> {
    const found = new Map<string, RestingRecord | LocalpostError>()
    const keyOf = (id: string): string => `${state.name} ${id}`
    for (const id of ids) {
      const cached = this.#cache.get(keyOf(id))
      const pack = cached?.pack.deref()
      if (cached && pack && pack === state.idIndex.locate(id)?.pack) found.set(id, cached.record)
    }
    for (let pending = ids.filter((id) => !found.has(id)); pending.length > 0;) {
      const moved: string[] = []
      for (const [pack, rows] of rowsByPack(state, pending)) {
        const records = await this.readRows(pack, rows)
        for (const [i, row] of rows.entries()) {
          const id = pack.id(row)
          const record = records[i]
          if (record) {
            found.set(id, record)
            if (ids.length <= maxCachedAtOnce) this.#cache.put(keyOf(id), { pack: new WeakRef(pack), record })
          } else if (state.idIndex.locate(id)?.pack !== pack) {
            // A new file replaced the one that was read, or the record was removed: the next round tells which.
            moved.push(id)
          } else if (pack.segment.replacing) {
            // What was read may be the new file already, whose places are known only when it is done.
            await pack.segment.replacing
            moved.push(id)
          } else if (this.#lines) {
            // The file is the current one, so its line is damaged.
            found.set(id, await this.#lines.damaged(pack, row))
          }
        }
      }
      pending = moved
    }
    return ids.map((id) => found.get(id) ?? null)
  }
}

/** The rows of resting records, by pack; without those that no longer rest. */
function rowsByPack({ idIndex }: CollectionState, ids: readonly string[]): Map<Packed, number[]> {
  const packs = new Map<Packed, number[]>()
  for (const id of ids) {
    const located = idIndex.locate(id)
    if (!located) continue
    const rows = packs.get(located.pack)
    if (rows) rows.push(located.row)
    else packs.set(located.pack, [located.row])
  }
  return packs
}

/** If more records than this are read together, for example by a scan, they are not cached: they would evict all others. */
const maxCachedAtOnce = 64
const maxCachedText = 2 * 1024 * 1024
const maxCachedRecord = 64 * 1024
