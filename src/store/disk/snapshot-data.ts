import type { IndexKey } from '../store.ts'

/** One record in a snapshot: its text, and where its blobs are. Entries are such lines as they stand. */
export interface SnapshotLine {
  readonly text: string
  readonly blobs: unknown
  /** The parsed text, where it had to be parsed. */
  readonly record?: unknown
  /** What the text says, and the keys that were made of it; absent where the text must be parsed for it. */
  readonly id?: string
  readonly version?: number
  readonly keys?: readonly (IndexKey | null)[]
}

/** What one file of the snapshot holds: `db.json`, or one segment of a large collection. */
export interface Snapshot {
  schema: number
  /** Whether a person edited it: the next checkpoint writes it again, with its checksums. */
  edited?: boolean
  /** By collection, what its records' keys are made of. */
  indexes: Map<string, string>
  /** Records by collection. Read once: lines may be made while they are written. */
  sections: Map<string, Iterable<SnapshotLine>>
}

/** lowdb's default data. */
export function emptySnapshot(): Snapshot {
  return { schema: 1, indexes: new Map(), sections: new Map() }
}
