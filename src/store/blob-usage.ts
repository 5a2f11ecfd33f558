import type { BlobPlace, Places } from './entry.ts'

/** The space that the blobs of many records use. These are sums, because a start does not read each record. */
export class BlobUsage {
  /** For each log file, the number of bytes, and the end of the last blob in it. */
  readonly logs: Map<number, { bytes: number; end: number }> = new Map()
  readonly large: Map<string, number> = new Map()

  add(blobs: Places | null): void {
    for (const name in blobs) {
      const place = blobs[name]
      if (!place) continue
      if ('large' in place) this.large.set(place.large, place.size)
      else if ('log' in place) {
        const { bytes = 0, end = 0 } = this.logs.get(place.log) ?? {}
        // An empty blob has no bytes that could be missing.
        const ends = place.size === 0 ? end : Math.max(end, place.at + place.size)
        this.logs.set(place.log, { bytes: bytes + place.size, end: ends })
      }
    }
  }

  /** Replaces the blobs of a record in the sums; null if it has none. */
  replace(before: Places | null, after: Places | null): void {
    if (before === after) return
    for (const name in before) {
      const place = before[name]
      if (!place) continue
      if ('large' in place) this.large.delete(place.large)
      else if ('log' in place) {
        const { bytes = 0, end = 0 } = this.logs.get(place.log) ?? {}
        if (bytes > place.size) this.logs.set(place.log, { bytes: bytes - place.size, end })
        else this.logs.delete(place.log)
      }
    }
    this.add(after)
  }

  /**
   * The sums as places, to be held or released by the keeper: only their sizes and files are right, names and checksums
   * are not.
   */
  places(): Places {
    const places: Record<string, BlobPlace> = {}
    for (const [log, { bytes }] of this.logs) places[`log ${log}`] = { log, at: 0, size: bytes, crc: 0 }
    for (const [large, size] of this.large) places[`large ${large}`] = { large, size, crc: 0 }
    return places
  }
}
