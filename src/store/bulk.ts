import type { Budget } from '../core/byte-budget.ts'
import { forEachSlice } from '../core/slices.ts'
import type { FactRow } from './facts.ts'
import { toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import { membersOf } from './keys.ts'
import type { FlagChange, IndexKey } from './queries.ts'
import type { BulkOptions, StoredRecord } from './store.ts'

/**
 * A change of a record that was read at a version. A null `next` removes the record, and a flag is set, whatever its version is.
 */
export interface BulkChange {
  readonly state: CollectionState
  readonly id: string
  readonly version: number
  readonly next: RecordChange | FlagChange | null
}

/** A changed record: its text, keys and facts. */
export interface RecordChange {
  readonly text: string
  readonly keys: readonly (IndexKey | null)[]
  readonly facts: FactRow | null
}

export interface BulkOutcome {
  applied: number
  /** The ids of records that changed after they were read. */
  stale: string[]
}

/** What a bulk call needs of an adapter. `C` is the change of one record, as the adapter stores it. */
interface BulkDeps<C> {
  /** The texts of records, in the order of their ids; null for a record that does not exist. */
  read(ids: readonly string[]): Promise<(string | null)[]>
  /** @param version  That the record had when it was read. */
  put(record: StoredRecord, text: string, version: number): C
  remove(id: string): C
  /**
   * Commits a flag of records. Those that have it already are left as they are. `stale` are those in which only reading them tells
   * where the member is.
   *
   * @param isBulk  As for `commit`.
   */
  setFlag(ids: readonly string[], change: FlagChange, isBulk: boolean): Promise<BulkOutcome>
  /** @param isBulk  Whether listeners get one change for all records. */
  commit(changes: readonly C[], isBulk: boolean): Promise<BulkOutcome>
  /** Tells listeners that the call has ended, if they get bulk changes. */
  end(): Promise<void>
  readonly pending: Budget
  assertOpen(): void
}

/** Commits a bulk change part by part; see `Store.bulk`. @returns How many records were changed or removed. */
export async function runBulk<T extends StoredRecord, C>(
  ids: readonly string[],
  change: ((record: T) => T) | FlagChange | 'remove',
  deps: BulkDeps<C>,
  options: BulkOptions = {},
): Promise<number> {
  const isBulk = ids.length > mostTold
  try {
    return await commitParts(ids, change, deps, options, isBulk)
  } finally {
    if (isBulk) await deps.end()
  }
}

async function commitParts<T extends StoredRecord, C>(
  ids: readonly string[],
  change: ((record: T) => T) | FlagChange | 'remove',
  { read, put, remove, setFlag, commit, pending, assertOpen }: BulkDeps<C>,
  { onProgress, signal }: BulkOptions,
  isBulk: boolean,
): Promise<number> {
  // Records that were changed after they were read come again at the end.
  const left = [...ids]
  const edit = editOf(change)
  let [at, changed] = [0, 0]
  while (at < left.length && !signal?.aborted) {
    const changes: C[] = []
    let bytes = 0
    if (edit === null) {
      const part = left.slice(at, at + mostRemovals)
      for (const id of part) changes.push(remove(id))
      at += part.length
    } else if (typeof change === 'object' && at < ids.length) {
      const part = ids.slice(at, at + mostUpdates)
      assertOpen()
      const { applied, stale } = await setFlag(part, change, isBulk)
      changed += applied
      left.push(...stale)
      at += part.length
    } else {
      const end = Math.min(at + mostUpdates, left.length)
      while (at < end && bytes < mostBytes) {
        const texts = await read(left.slice(at, Math.min(at + readAtOnce, end)))
        await forEachSlice(texts, (text) => {
          if (bytes >= mostBytes) return
          at++
          const record = text === null ? null : toRecord<T>(text)
          const next = record && edit(record)
          if (!record || !next || next === record) return
          const { id, version } = record
          const stored = { ...next, id, version: version + 1 }
          const json = JSON.stringify(stored)
          changes.push(put(stored, json, version))
          bytes += json.length
        })
      }
    }
    assertOpen()
    if (changes.length > 0) {
      pending.takeAnyway(bytes)
      try {
        const { applied, stale } = await commit(changes, isBulk)
        changed += applied
        left.push(...stale)
      } finally {
        pending.give(bytes)
      }
    }
    onProgress?.(at - (left.length - ids.length))
  }
  return changed
}

/** The change of one record that was read; null for its removal. */
function editOf<T extends StoredRecord>(
  change: ((record: T) => T) | FlagChange | 'remove',
): ((record: T) => T) | null {
  if (typeof change !== 'object') return change === 'remove' ? null : change
  const { flag, is } = change
  return (record) => (membersOf(record)[flag] === is ? record : { ...record, [flag]: is })
}

/** Up to this many records, listeners get one change for each, so that they need not read everything again. */
const mostTold = 100
const readAtOnce = 100
// Other commits wait while a part is encoded and applied. These limits bound that time.
const mostUpdates = 500
const mostRemovals = 1000
const mostBytes = 1024 * 1024
