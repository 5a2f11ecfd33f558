import type { Place, Places } from '../entry.ts'
import type { PlaceKeeper } from '../records.ts'

/** Counts which blob bytes live records name, per log file, and which large files no record names any more. */
export class SpaceAccounting implements PlaceKeeper {
  /** Bytes of each log file that live records name. */
  readonly live: Map<number, number> = new Map()
  /** Large files to remove once a checkpoint no longer names them. */
  readonly deadLarge: Set<string> = new Set()
  /** Bytes moved to `deadLarge` so far. */
  deadLargeBytes = 0
  /** Large files that records name. */
  readonly large: Set<string> = new Set()

  hold(places: Places | null, without: Places | null): void {
    eachNew(places, without, (place) => {
      if ('log' in place) this.live.set(place.log, (this.live.get(place.log) ?? 0) + place.size)
      else if ('large' in place) this.large.add(place.large)
    })
  }

  release(places: Places | null, without: Places | null): void {
    eachNew(places, without, (place) => {
      if ('log' in place) this.live.set(place.log, (this.live.get(place.log) ?? 0) - place.size)
      else if ('large' in place && this.large.delete(place.large)) {
        this.deadLarge.add(place.large)
        this.deadLargeBytes += place.size
      }
    })
  }
}

/** Runs over the places that the other state of the record does not have. */
function eachNew(places: Places | null, without: Places | null, run: (place: Place) => void): void {
  if (places === null || places === without) return
  for (const name in places) {
    const place = places[name]
    if (place !== undefined && without?.[name] !== place) run(place)
  }
}
