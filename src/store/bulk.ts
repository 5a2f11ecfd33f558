import type { Budget } from '../core/byte-budget.ts'
import { forEachSlice } from '../core/slices.ts'
import type { FactRow } from './facts.ts'
import { toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import { misuse } from './io-errors.ts'
import type { FlagChange, IndexKey } from './queries.ts'
import { type BulkOptions, type StoredRecord, recordMembers } from './store.ts'

/** A change of one record. */
export type BulkChange = { readonly state: CollectionState; readonly id: string } & (
  | RecordChange
  /** Whatever its version is. */
  | { readonly op: 'flag'; readonly change: FlagChange }
  /** Whatever its version is. */
  | { readonly op: 'remove' }
)

/** A record that was read and changed. */
export interface RecordChange {
  readonly op: 'update'
  /** The new one, as in the text: one more than the record had when it was read. */
  readonly version: number
  readonly text: string
  readonly keys: readonly (IndexKey | null)[]
  readonly facts: FactRow | null
}

export interface BulkOutcome {
  applied: number
  /** The ids of records that have to be read again, or at all, to be changed. */
  stale: string[]
}

/** A part of a bulk change that waits to be stored. */
export interface StagedBulk {
  readonly bulk: readonly BulkChange[]
  /** Receives the number of changes that were stored, and the ids of records that have to be read for theirs. */
  readonly outcome: BulkOutcome
  /** Whether listeners get one change for all records. */
  readonly isBulk: boolean
}

/** What a bulk call needs of an adapter. `C` is the change of one record, as the adapter stores it. */
interface BulkDeps<C> {
  /** Of the collection. */
  readonly facts: { readonly members?: readonly string[] } | undefined
  /** The texts of records, in the order of their ids; null for a record that does not exist. */
  read(ids: readonly string[]): Promise<(string | null)[]>
  /** @param record  With its new version. */
  put(record: StoredRecord, text: string): C
  remove(id: string): C
  /** About how many bytes of text are in memory while a flag of this record is set. */
  textBytes(id: string): number
  /**
   * Commits a flag of records. Those that have it already are left as they are. `stale` are those in which only reading them tells
   * where the member is, and those that cannot be read.
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

type BulkEdit<T> = ((record: T) => T) | FlagChange | 'remove'

/**
 * Commits a bulk change part by part; see `Store.bulk`.
 *
 * @returns How many records were changed or removed.
 * @throws internal_error when a flag is no member of the records.
 */
export async function runBulk<T extends StoredRecord, C>(
  ids: readonly string[],
  change: BulkEdit<T>,
  deps: BulkDeps<C>,
  options: BulkOptions = {},
): Promise<number> {
  if (typeof change === 'object' && !deps.facts?.members?.includes(change.flag))
    throw misuse(`The collection has no flag ${JSON.stringify(change.flag)} that is a member of its records.`)
  const isBulk = ids.length > mostTold
  try {
    return await commitParts(ids, change, deps, options, isBulk)
  } finally {
    if (isBulk) await deps.end()
  }
}

async function commitParts<T extends StoredRecord, C>(
  ids: readonly string[],
  change: BulkEdit<T>,
  { read, put, remove, textBytes, setFlag, commit, pending, assertOpen }: BulkDeps<C>,
  { onProgress, signal }: BulkOptions,
  isBulk: boolean,
): Promise<number> {
  // Records that have to be read again come again at the end.
  const left = [...ids]
  let [at, changed] = [0, 0]

  /** @param bytes  How much text is in memory meanwhile. */
  async function store(bytes: number, run: () => Promise<BulkOutcome>): Promise<void> {
    pending.takeAnyway(bytes)
    try {
      const { applied, stale } = await run()
      changed += applied
      left.push(...stale)
    } finally {
      pending.give(bytes)
    }
  }

  while (at < left.length && !signal?.aborted) {
    assertOpen()
    let bytes = 0
    if (change === 'remove') {
      const part = left.slice(at, at + mostRemovals)
      at += part.length
      await store(bytes, () => commit(part.map(remove), isBulk))
    } else if (typeof change === 'object' && at < ids.length) {
      const part: string[] = []
      for (const id of ids.slice(at, at + mostUpdates)) {
        if (bytes >= mostBytes) break
        part.push(id)
        bytes += textBytes(id)
      }
      at += part.length
      await store(bytes, () => setFlag(part, change, isBulk))
    } else {
      const edit = typeof change === 'object' ? editOf<T>(change) : change
      const changes: C[] = []
      const end = Math.min(at + mostUpdates, left.length)
      while (at < end && bytes < mostBytes) {
        const texts = await read(left.slice(at, Math.min(at + readAtOnce, end)))
        await forEachSlice(texts, (text) => {
          if (bytes >= mostBytes) return
          at++
          const record = text === null ? null : toRecord<T>(text)
          const next = record && edit(record)
          if (!record || !next || next === record) return
          const stored = { ...next, id: record.id, version: record.version + 1 }
          const json = JSON.stringify(stored)
          changes.push(put(stored, json))
          bytes += json.length
        })
      }
      // It may have been closed while the records were read.
      assertOpen()
      if (changes.length > 0) await store(bytes, () => commit(changes, isBulk))
    }
    onProgress?.(at - (left.length - ids.length))
  }
  return changed
}

/** Sets a flag in a record that was read. */
function editOf<T extends StoredRecord>({ flag, is }: FlagChange): (record: T) => T {
  return (record) => (recordMembers(record)[flag] === is ? record : { ...record, [flag]: is })
}

/** Up to this many records, listeners get one change for each, so that they need not read everything again. */
const mostTold = 100
const readAtOnce = 100
// Other commits wait while a part is encoded and applied. These limits bound that time.
const mostUpdates = 500
const mostRemovals = 1000
const mostBytes = 1024 * 1024
