import type { BulkOutcome } from '../bulk.ts'
import type { CommitChange } from '../change-feed.ts'
import { databaseFault } from './faults.ts'
import { type NewCommit, newCommit } from './insert-new.ts'
import type { StagedBlobs } from './blobs.ts'
import type { FlagSetting } from './set-flag.ts'
import type { BulkRowChange, RowChange } from './staging.ts'
import type { Table } from './table.ts'

/** A commit that waits to be stored. */
export type Waiting = {
  readonly partition: string
  readonly since: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
} & (
  | {
      readonly changes: readonly RowChange[]
      readonly blobs: StagedBlobs
    }
  | {
      readonly bulk: readonly BulkRowChange[]
      readonly outcome: BulkOutcome
      /** Whether listeners get one change for all records. */
      readonly isBulk: boolean
    }
  | { readonly setting: FlagSetting; readonly outcome: BulkOutcome; readonly isBulk: boolean }
  | { readonly said: CommitChange }
)

/** The commits that are stored next, together. */
export function firstOf(waiting: readonly Waiting[]): Waiting[] {
  const batch: Waiting[] = []
  let size = 0
  for (const next of waiting) {
    const isWritten = 'blobs' in next && 'writing' in next.blobs
    if (batch.length > 0 && (size >= batchChanges || isWritten || 'setting' in next)) break
    batch.push(next)
    // It changes what is stored, which what other commits of the same transaction change is not yet.
    if ('setting' in next) break
    size += recordsOf(next).changes.length
  }
  return batch
}

/** A batch as one statement stores it; null if it contains anything else, or too much. */
export function newCommitsOf(batch: readonly Waiting[]): { table: Table; commits: NewCommit[] } | null {
  const [first] = batch
  const table = first && 'changes' in first ? first.changes[0]?.table : undefined
  if (!table) return null
  const commits: NewCommit[] = []
  let [rows, bytes] = [0, 0]
  for (const item of batch) {
    if (!('changes' in item) || 'writing' in item.blobs) return null
    const commit = newCommit(table, item.partition, item.changes, item.blobs.ready)
    if (!commit) return null
    commits.push(commit)
    rows += commit.rows.length
    for (const { size } of commit.blobs) bytes += size
  }
  return rows > newRows || bytes > newBytes ? null : { table, commits }
}

/** The records that a commit concerns. */
export function recordsOf(item: Waiting): {
  partition: string
  changes: readonly (RowChange | BulkRowChange)[]
} {
  const { partition } = item
  if ('bulk' in item) return { partition, changes: item.bulk }
  return { partition, changes: 'changes' in item ? item.changes : [] }
}

/** Waits for the large blobs of a batch, outside of its transaction. A commit whose blobs failed is rejected and left out. */
export async function withBlobsWritten(batch: readonly Waiting[]): Promise<Waiting[]> {
  const ready: Waiting[] = []
  for (const item of batch) {
    try {
      if ('blobs' in item && 'writing' in item.blobs)
        ready.push({ ...item, blobs: { ready: await item.blobs.writing } })
      else ready.push(item)
    } catch (error) {
      item.reject(databaseFault(error))
    }
  }
  return ready
}

// A batch is staged without long pauses, so its size is limited.
const batchChanges = 256
/** The most records, and the most bytes of their blobs, that one statement stores. */
const newRows = 1000
const newBytes = 4 * 1024 * 1024
