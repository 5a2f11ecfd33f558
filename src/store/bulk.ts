import type { Budget } from '../core/byte-budget.ts'
import { forEachSlice } from '../core/slices.ts'
import type { FactRow } from './facts.ts'
import { readTexts, toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import type { Records } from './records.ts'
import { membersOf } from './stored.ts'
import type { IndexKey } from './queries.ts'
import type { BulkOptions, StoredRecord } from './store.ts'

/** A change of a record that was read at a version. A null `next` removes the record, whatever its version is. */
export interface BulkChange {
  readonly state: CollectionState
  readonly id: string
  readonly version: number
  readonly next: {
    readonly text: string
    readonly keys: readonly (IndexKey | null)[]
    readonly facts: FactRow | null
  } | null
}

/** The outcome of one commit. */
export interface BulkOutcome {
  /** How many records were changed or removed. */
  applied: number
  /** The ids of records that changed after they were read. */
  stale: string[]
}

/** The rest of a bulk change. `C` is a change of one record, as the adapter stores it. */
export interface BulkWork<C> {
  /** Prepares the next commit, which may be empty, with the number of ids that are done after it; null at the end. */
  next(): Promise<{ changes: C[]; bytes: number; done: number } | null>
  /** Notes records that changed after they were read: they are read again. */
  again(ids: readonly string[]): void
}

/** Divides a bulk change into commits. */
export function bulkWork<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  ids: readonly string[],
  change: ((record: T) => T) | 'remove',
): BulkWork<BulkChange> {
  let left = ids
  let at = 0
  let stale: string[] = []
  let done = 0
  const most = change === 'remove' ? mostRemovals : mostUpdates

  function prepare(id: string, text: string | null): BulkChange | null {
    if (change === 'remove') return { state, id, version: 0, next: null }
    if (text === null) return null
    const record = toRecord<T>(text)
    const { version } = record
    const changed = change(record)
    if (changed === record) return null
    const next = { ...changed, id, version: version + 1 }
    const [keys, facts] = [state.keysOf(membersOf(next)), state.factsOf(next)]
    return { state, id, version, next: { text: JSON.stringify(next), keys, facts } }
  }

  return {
    async next() {
      if (at === left.length && stale.length === 0) return null
      const changes: BulkChange[] = []
      let bytes = 0
      for (let looked = 0; looked < most && bytes < mostBytes;) {
        if (at === left.length) {
          if (stale.length === 0) break
          left = stale
          stale = []
          at = 0
        }
        const ids = left.slice(at, at + Math.min(readAtOnce, most - looked))
        const rows = ids.map((id) => ({ id }))
        const texts = change === 'remove' ? [] : await readTexts(records, state, rows)
        await forEachSlice(ids.entries(), ([i, id]) => {
          if (bytes >= mostBytes) return
          const prepared = prepare(id, texts[i] ?? null)
          at++
          looked++
          done++
          if (prepared) {
            changes.push(prepared)
            bytes += prepared.next?.text.length ?? 0
          }
        })
      }
      return { changes, bytes, done }
    },
    again(ids) {
      stale.push(...ids)
      done -= ids.length
    },
  }
}

/** Commits a bulk change part by part. @returns How many records were changed or removed. */
export async function runBulk<C>(
  deps: {
    work: BulkWork<C>
    commit(changes: readonly C[]): Promise<BulkOutcome>
    pending: Budget
    assertOpen(): void
  },
  { onProgress, signal }: BulkOptions,
): Promise<number> {
  const { work, commit, pending, assertOpen } = deps
  let changed = 0
  while (!signal?.aborted) {
    const part = await work.next()
    if (!part) break
    assertOpen()
    if (part.changes.length === 0) {
      onProgress?.(part.done)
      continue
    }
    pending.takeAnyway(part.bytes)
    try {
      const outcome = await commit(part.changes)
      changed += outcome.applied
      work.again(outcome.stale)
      onProgress?.(part.done - outcome.stale.length)
    } finally {
      pending.give(part.bytes)
    }
  }
  return changed
}

const readAtOnce = 100
// Other commits wait while a part is encoded and applied. These limits bound that time.
export const mostUpdates = 500
export const mostRemovals = 1000
const mostBytes = 1024 * 1024
