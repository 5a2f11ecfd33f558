import type { FactRow } from './facts.ts'
import type { IndexKey } from './queries.ts'

/** Where the bytes of one blob are. Persisted with its record, so its members are the stored names. */
export type BlobPlace = LogPlace | LargePlace | HeldPlace

/**
 * In the log. While its frame is being written or read, `log` is 0 and `at` counts from the end of the frame's first
 * line. Afterwards both are the place in the log, and do not change.
 */
export interface LogPlace {
  log: number
  at: number
  readonly size: number
  /** The CRC-32 of the bytes. */
  readonly crc: number
}

export interface LargePlace {
  /** The file's name in the folder `large`. */
  readonly large: string
  readonly size: number
  readonly crc: number
}

export interface HeldPlace {
  readonly bytes: Uint8Array
  readonly size: number
}

/** A record's blobs by name. The list is never changed: it is shared between a record's states. */
export type Places = Readonly<Record<string, BlobPlace>>

/** Stands for the blobs of a record until they are read from its segment file. */
export const atRest: Places = Object.freeze({})

export function samePlace(a: BlobPlace | undefined, b: BlobPlace | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b
  if ('log' in a) return 'log' in b && a.log === b.log && a.at === b.at && a.size === b.size
  return 'large' in a && 'large' in b && a.large === b.large
}

/** Calls `run` for each place that the other version of the record does not have. */
export function eachNew(places: Places | null, other: Places | null, run: (one: BlobPlace) => void): void {
  if (places === null || places === other) return
  for (const name in places) {
    const place = places[name]
    if (place !== undefined && !samePlace(other?.[name], place)) run(place)
  }
}

/**
 * One record in memory. The record itself is kept as its JSON text, which takes less memory than an object. Each reader
 * parses its own copy.
 */
export class Entry {
  readonly id: string
  /**
   * The number of its segment, from 1; 0 for a record in `db.json`, also for one that its collection had before it
   * became large.
   */
  readonly segment: number
  version: number
  /** `""` if the text is only in the segment file. */
  text: string
  /** Its key in each index of the collection, in the order of `CollectionState.indexes`. */
  keys: readonly (IndexKey | null)[]
  /** The places of its blobs; {@link atRest} if they are only in the segment file. */
  blobs: Places | null
  /** The facts of the record; null if they are not known yet, and for records in a pack, which has them. */
  facts: FactRow | null

  constructor(members: Omit<Entry, 'facts'> & Partial<Pick<Entry, 'facts'>>) {
    this.id = members.id
    this.segment = members.segment
    this.version = members.version
    this.text = members.text
    this.keys = members.keys
    this.blobs = members.blobs
    this.facts = members.facts ?? null
  }
}
