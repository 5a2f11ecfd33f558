import { nullAtEnd } from '../../core/files.ts'
import { nextTurn } from '../../core/machine.ts'
import { forEachSlice } from '../../core/slices.ts'
import type { CollectionState } from '../collection-state.ts'
import type { LogPlace, Places } from '../entry.ts'
import type { MaintainedEngine, Move } from '../medium.ts'
import { isWhole } from './blob-crc.ts'
import type { Log } from './log.ts'
import type { SpaceAccounting } from './space.ts'

interface BlobMoverDeps {
  readonly log: Log
  readonly space: Readonly<SpaceAccounting>
  readonly engine: MaintainedEngine
}

/** Moves the last live blobs out of log files that are mostly unused, so that the files can be removed. */
export class BlobMover {
  readonly #deps: BlobMoverDeps
  /** Files that are not worth moving, with their live bytes when this was determined. */
  readonly #kept = new Map<number, number>()

  constructor(deps: BlobMoverDeps) {
    this.#deps = deps
  }

  /**
   * Commits the live blobs of such files again.
   *
   * @param before  Only files with a lower number than this are examined.
   * @param maxLive  Only files with at most this many live bytes are examined: these bytes are written again first.
   * @param goOn  Called between steps; if it returns false, the move stops early.
   * @returns Whether anything was moved, so that files may be dead now.
   */
  async move(before: number, maxLive: number, goOn: () => boolean): Promise<boolean> {
    const candidates = [...this.#deps.log.lengths].filter(
      ([number, length]) => number < before && this.#isCandidate(number, length, maxLive),
    )
    if (candidates.length === 0) return false
    let hasMoved = false
    const found = await findPlaces(this.#deps.engine, new Set(candidates.map(([number]) => number)))
    for (const [number, length] of candidates) {
      const places = found.get(number) ?? []
      // Moving a blob writes its record again too, so moving small blobs can take more space than it frees.
      const cost = places.reduce((sum, place) => sum + place.cost, 0)
      if (cost >= length * worthwhileShare) {
        this.#kept.set(number, this.#liveIn(number))
        continue
      }
      let damagedBytes = 0
      for (let i = 0; i < places.length && goOn(); i += groupSize) {
        damagedBytes += await this.#moveGroup(places.slice(i, i + groupSize))
        hasMoved = true
      }
      if (damagedBytes > 0) this.#kept.set(number, damagedBytes)
    }
    return hasMoved
  }

  #isCandidate(number: number, length: number, maxLive: number): boolean {
    const live = this.#liveIn(number)
    const isWorthIt =
      live < length * worthwhileShare && live < (this.#kept.get(number) ?? Infinity) * retriedShare
    return live > 0 && live <= maxLive && isWorthIt
  }

  #liveIn(number: number): number {
    return this.#deps.space.live.get(number) ?? 0
  }

  /** @returns The number of damaged bytes. They are not moved, because a move would give them a valid checksum. */
  async #moveGroup(group: readonly Found[]): Promise<number> {
    const moves: Move[] = []
    let damagedBytes = 0
    for (const { collection, id, name, from } of group) {
      const bytes = await this.#deps.log.read(from.log, from.at, from.size).catch(nullAtEnd)
      if (bytes && isWhole(from, bytes)) moves.push({ collection, id, name, from, bytes })
      else damagedBytes += from.size
    }
    await this.#deps.engine.move(moves)
    return damagedBytes
  }
}

interface Found extends Omit<Move, 'bytes'> {
  readonly from: LogPlace
  readonly cost: number
}

const groupSize = 32
/** Reading the records of a whole segment in one turn takes some milliseconds. */
const readAtOnce = 100
/** About the bytes of a frame without its record and its blobs. */
const frameCost = 200
/** A file is moved if that writes less than this part of its length. */
const worthwhileShare = 0.5
/** A file that was kept is looked at again when less than this part of its live bytes is left. */
const retriedShare = 0.75

async function findPlaces(
  { records: { collections, resting } }: MaintainedEngine,
  logs: ReadonlySet<number>,
): Promise<Map<number, Found[]>> {
  const found = new Map<number, Found[]>([...logs].map((number) => [number, []]))
  function note(state: CollectionState, id: string, blobs: Places | null, text: string): void {
    for (const [name, from] of Object.entries(blobs ?? {})) {
      if (!('log' in from)) continue
      const cost = from.size + text.length + frameCost
      found.get(from.log)?.push({ collection: state.name, id, name, from, cost })
    }
  }
  for (const state of collections.all()) {
    await forEachSlice(state.byId.values(), ({ id, blobs, text }) => note(state, id, blobs, text))
    for (const pack of state.idIndex.packs) {
      if (![...pack.logs].some((log) => logs.has(log))) continue
      const rows = Array.from({ length: pack.count }, (_, row) => row).filter((row) => pack.has(row))
      const ids = rows.map((row) => pack.id(row)).filter((id) => state.rests(id))
      for (let from = 0; from < ids.length; from += readAtOnce) {
        const some = ids.slice(from, from + readAtOnce)
        for (const [i, record] of (await resting.reader.read(state, some)).entries())
          if (record && !(record instanceof Error)) note(state, some[i] ?? '', record.blobs, record.text)
        await nextTurn()
      }
    }
  }
  return found
}
