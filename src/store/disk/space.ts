import { eachNew, type Places } from '../entry.ts'
import type { PlaceKeeper } from '../records.ts'

/** Counts the blob bytes in each log file that live records use, and collects the large files that no record uses. */
export class SpaceAccounting implements PlaceKeeper {
  /** By log file, the number of bytes that live records use. */
  readonly live: Map<number, number> = new Map()
  liveBytes = 0
  /** Total size of all blobs in log files that became unused. */
  freedBytes = 0
  /** Large files to remove once the commits that made them unused are synced, with their sizes. */
  readonly deadLarge: Map<string, number> = new Map()
  /** Their total size. */
  waitingBytes = 0
  /** Total size of all files ever added to `deadLarge`. */
  deadLargeBytes = 0
  /** Large files that records use. */
  readonly large: Set<string> = new Set()
  /** Their total size. */
  largeBytes = 0

  hold(places: Places | null, without: Places | null): void {
    eachNew(places, without, (place) => {
      if ('log' in place) this.#count(place.log, place.size)
      else if ('large' in place && !this.large.has(place.large)) {
        this.large.add(place.large)
        this.largeBytes += place.size
      }
    })
  }

  removed(large: string): void {
    this.waitingBytes -= this.deadLarge.get(large) ?? 0
    this.deadLarge.delete(large)
  }

  release(places: Places | null, without: Places | null): void {
    eachNew(places, without, (place) => {
      if ('log' in place) {
        this.#count(place.log, -place.size)
        this.freedBytes += place.size
      } else if ('large' in place && this.large.delete(place.large)) {
        this.largeBytes -= place.size
        this.deadLarge.set(place.large, place.size)
        this.deadLargeBytes += place.size
        this.waitingBytes += place.size
      }
    })
  }

  #count(log: number, bytes: number): void {
    this.live.set(log, (this.live.get(log) ?? 0) + bytes)
    this.liveBytes += bytes
  }
}

/** How large a log file gets, and how much is freed before a checkpoint: half of the live data, within bounds. */
export function unitBytes({ liveBytes }: SpaceAccounting, maxBytes: number): number {
  return Math.min(Math.max(liveBytes / 2, minUnitBytes), maxBytes)
}

const minUnitBytes = 4 * 1024 * 1024
