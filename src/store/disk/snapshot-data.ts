import type { IndexKey } from '../queries.ts'

/** One record in a snapshot: its text, and where its blobs are. An entry in memory can be used as such a line. */
export interface SnapshotLine {
  readonly text: string
  readonly blobs: unknown
  /** The whole line, copied from the replaced file. If it is set, the other members but `id` are ignored. */
  readonly raw?: Buffer
  /** Where the line is in the file that was read, without the comma. */
  readonly at?: number
  readonly length?: number
  /** The parsed text, if it was already parsed. */
  readonly record?: unknown
  /** The id and version in the text, and the index keys computed from it. Absent when the text has to be parsed first. */
  readonly id?: string
  readonly version?: number
  readonly keys?: readonly (IndexKey | null)[]
}

/** The content of one snapshot file: `db.json`, or one segment of a large collection. */
export interface Snapshot {
  /** The commit up to which the file contains all commits; absent if a person removed it. */
  seq?: number | undefined
  /** Whether a person edited the file. The next checkpoint then rewrites it with checksums. */
  edited?: boolean
  /** The size and the checksum of a file that was read, if nobody edited it. */
  file?: { readonly size: number; readonly crc: number }
  /** By collection, the definition of its indexes that the keys were computed with. */
  indexes: Map<string, string>
  /** Records by collection. Iterate only once: lines may be created lazily. */
  sections: Map<string, Iterable<SnapshotLine>>
  /** Called for each line as it is written, in order, with its place in the file. */
  onLine?: (at: number, length: number) => void
  /** Called when all pieces were made, with the size of the file and the checksum in its last line. */
  onEnd?: (size: number, crc: number) => void
}

/** lowdb's default data. */
export function emptySnapshot(): Snapshot {
  return { indexes: new Map(), sections: new Map() }
}
