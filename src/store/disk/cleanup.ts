import { isWhole } from './blob-crc.ts'
import type { LogPlace, Places } from '../entry.ts'
import { codeOf } from '../../core/errors.ts'
import { endCode } from '../../core/files.ts'
import type { Log } from './log.ts'
import type { Move, Maintenance } from '../medium.ts'
import type { Packed } from '../packed.ts'
import type { CollectionState } from '../collection-state.ts'
import { forEachSlice } from '../../core/slices.ts'
import { nextTurn } from '../../core/machine.ts'
import type { SpaceAccounting } from './space.ts'

/** The log files before the given number that no live record refers to. */
export function deadLogs(log: Log, space: SpaceAccounting, before: number): number[] {
  return [...log.lengths.keys()].filter((number) => number < before && (space.live.get(number) ?? 0) === 0)
}

/** Finds log files that are mostly unused, and commits their live blobs again, so that the files can be removed. */
export interface Mover {
  /**
   * @param before  Only files with a lower number than this are examined.
   * @param mostLive  Only files with at most this many live bytes are examined: these bytes are written again first.
   * @param goOn  Called between steps. If it returns false, the move stops early.
   * @returns Whether anything was moved, so that files may be dead now.
   */
  moveLive(before: number, mostLive: number, goOn: () => boolean): Promise<boolean>
}

export function createMover(log: Log, space: SpaceAccounting, maintenance: Maintenance): Mover {
  /** Files that are not worth moving, with their live bytes when this was determined. */
  const kept = new Map<number, number>()

  function isCandidate(number: number, length: number, before: number): boolean {
    const live = space.live.get(number) ?? 0
    return number < before && live > 0 && live * 2 < length && live < (kept.get(number) ?? Infinity) * 0.75
  }

  return {
    async moveLive(before, mostLive, goOn) {
      const candidates = new Set<number>()
      for (const [number, length] of log.lengths)
        if (isCandidate(number, length, before) && (space.live.get(number) ?? 0) <= mostLive)
          candidates.add(number)
      if (candidates.size === 0) return false
      let moved = false
      for (const [number, places] of await findPlaces(maintenance, candidates)) {
        // Moving a blob writes its record again too, so moving small blobs can take more space than it frees.
        const cost = places.reduce((sum, place) => sum + place.cost, 0)
        if (cost * 2 >= (log.lengths.get(number) ?? 0)) {
          kept.set(number, space.live.get(number) ?? 0)
          continue
        }
        let damagedBytes = 0
        for (let i = 0; i < places.length && goOn(); i += groupSize) {
          damagedBytes += await moveGroup(log, maintenance, places.slice(i, i + groupSize))
          moved = true
        }
        if (damagedBytes > 0) kept.set(number, damagedBytes)
      }
      return moved
    },
  }
}

interface Found {
  readonly collection: string
  readonly id: string
  readonly name: string
  readonly from: LogPlace
  readonly cost: number
}

const groupSize = 32
/** Reading the records of a whole segment in one turn takes some milliseconds. */
const readAtOnce = 100
const frameCost = 200

async function findPlaces(
  maintenance: Maintenance,
  candidates: ReadonlySet<number>,
): Promise<Map<number, Found[]>> {
  const found = new Map<number, Found[]>([...candidates].map((number) => [number, []]))
  const { collections, resting } = maintenance.records
  function note(state: CollectionState, id: string, blobs: Places | null, text: string): void {
    for (const name in blobs) {
      const from = blobs[name]
      if (!from || !('log' in from)) continue
      const cost = from.size + text.length + frameCost
      found.get(from.log)?.push({ collection: state.name, id, name, from, cost })
    }
  }
  for (const state of collections.values()) {
    await forEachSlice(state.byId.values(), ({ id, blobs, text }) => note(state, id, blobs, text))
    for (const pack of state.idIndex.packs) {
      if (![...pack.logs].some((log) => candidates.has(log))) continue
      const ids = idsOf(pack).filter((id) => state.rests(id))
      for (let from = 0; from < ids.length; from += readAtOnce) {
        const some = ids.slice(from, from + readAtOnce)
        const records = await resting.read(state, some)
        for (const [i, record] of records.entries())
          if (record && !(record instanceof Error)) note(state, some[i] ?? '', record.blobs, record.text)
        await nextTurn()
      }
    }
  }
  return found
}

function idsOf(pack: Packed): string[] {
  const ids: string[] = []
  for (let row = 0; row < pack.count; row++) if (pack.has(row)) ids.push(pack.id(row))
  return ids
}

/**
 * Moves intact blobs. A damaged blob is not moved, because a move would give it a valid checksum.
 *
 * @returns The number of damaged bytes that were not moved.
 */
async function moveGroup(log: Log, maintenance: Maintenance, group: readonly Found[]): Promise<number> {
  const moves: Move[] = []
  let damagedBytes = 0
  for (const { collection, id, name, from } of group) {
    const bytes = await readThere(log, from)
    if (bytes && isWhole(from, bytes)) moves.push({ collection, id, name, from, bytes })
    else damagedBytes += from.size
  }
  await maintenance.move(moves)
  return damagedBytes
}

/** The bytes at a place, or null when the file ends before them. */
async function readThere(log: Log, { log: number, at, size }: LogPlace): Promise<Buffer | null> {
  try {
    return await log.read(number, at, size)
  } catch (error) {
    if (codeOf(error) === endCode) return null
    throw error
  }
}
