import type { BulkOutcome } from '../bulk.ts'
import type { CommitChange } from '../change-feed.ts'
import { databaseFault } from './faults.ts'
import { areWritten, type StagedBlobs } from './blobs.ts'
import type { FlagSetting } from './set-flag.ts'
import type { BulkRowChange, RowChange } from './row-change.ts'

/** What a commit stores in one partition. */
export type Work =
  | { readonly kind: 'commit'; readonly changes: readonly RowChange[]; readonly blobs: StagedBlobs }
  | ({ readonly kind: 'bulk'; readonly changes: readonly BulkRowChange[] } & BulkWork)
  | ({ readonly kind: 'flag'; readonly setting: FlagSetting } & BulkWork)
  /** Nothing is stored, but listeners get this change. */
  | { readonly kind: 'notice'; readonly change: CommitChange }

interface BulkWork {
  readonly outcome: BulkOutcome
  /** Whether listeners get one change for all records. */
  readonly isBulk: boolean
}

/** A commit that waits to be stored. */
export type Waiting = Work & {
  readonly partition: string
  readonly since: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The commits that are stored next, together. */
export function batchFrom(waiting: readonly Waiting[]): Waiting[] {
  const batch: Waiting[] = []
  let size = 0
  for (const next of waiting) {
    // A flag is set at once, and the staged changes of other commits are written later: so it gets its own transaction.
    const isAlone = next.kind === 'flag'
    if (batch.length > 0 && (isAlone || size >= maxBatchChanges || hasBlobsToWrite(next))) break
    batch.push(next)
    if (isAlone) break
    size += changesOf(next).length
  }
  return batch
}

/** The changes of records that have to be read before they are stored. */
export function changesOf(item: Waiting): readonly (RowChange | BulkRowChange)[] {
  return item.kind === 'commit' || item.kind === 'bulk' ? item.changes : []
}

/** Waits for the large blobs of a batch, outside of its transaction. A commit whose blobs failed is rejected and left out. */
export async function withBlobsWritten(batch: readonly Waiting[]): Promise<Waiting[]> {
  const ready: Waiting[] = []
  for (const item of batch) {
    try {
      ready.push(hasBlobsToWrite(item) ? { ...item, blobs: await item.blobs } : item)
    } catch (error) {
      item.reject(databaseFault(error))
    }
  }
  return ready
}

function hasBlobsToWrite(item: Waiting): item is Waiting & { kind: 'commit' } {
  return item.kind === 'commit' && !areWritten(item.blobs)
}

// A batch is staged without long pauses, so its size is limited.
const maxBatchChanges = 256
