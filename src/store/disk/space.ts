import { eachNew, type Places } from '../entry.ts'
import type { PlaceKeeper } from '../records.ts'

/** Counts the blob bytes in each log file that live records use, and collects the large files that no record uses. */
export class SpaceAccounting implements PlaceKeeper {
  // Only this class changes these: others have a `Readonly<SpaceAccounting>`.
  /** By log file, the number of bytes that live records use; and their sum. */
  readonly live: Map<number, number> = new Map()
  liveBytes = 0
  /** Total size of all blobs in log files that ever became unused. */
  freedBytesEver = 0
  /** Large files to remove once the commits that made them unused are synced, with their sizes; and the sum of these. */
  readonly deadLarge: Map<string, number> = new Map()
  deadLargeBytes = 0
  /** Total size of all files ever added to `deadLarge`. */
  deadLargeBytesEver = 0
  /** Large files that records use, and their total size. */
  readonly large: Set<string> = new Set()
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

  release(places: Places | null, without: Places | null): void {
    eachNew(places, without, (place) => {
      if ('log' in place) {
        this.#count(place.log, -place.size)
        this.freedBytesEver += place.size
      } else if ('large' in place && this.large.delete(place.large)) {
        this.largeBytes -= place.size
        this.deadLarge.set(place.large, place.size)
        this.deadLargeBytesEver += place.size
        this.deadLargeBytes += place.size
      }
    })
  }

  /** Call it when a file of `deadLarge` was removed. */
  forgetLarge(name: string): void {
    this.deadLargeBytes -= this.deadLarge.get(name) ?? 0
    this.deadLarge.delete(name)
  }

  #count(log: number, bytes: number): void {
    this.live.set(log, (this.live.get(log) ?? 0) + bytes)
    this.liveBytes += bytes
  }
}

/** How large a log file gets, and how much is freed before a checkpoint: half of the live data, within bounds. */
export function unitBytes({ liveBytes }: Readonly<SpaceAccounting>, maxBytes: number): number {
  return Math.min(Math.max(liveBytes / 2, minUnitBytes), maxBytes)
}

const minUnitBytes = 4 * 1024 * 1024
