import type { Budget } from '../core/byte-budget.ts'
import { forEachSlice } from '../core/slices.ts'
import type { FactRow } from './facts.ts'
import { toRecord } from './read-records.ts'
import type { CollectionState } from './collection-state.ts'
import { misuse } from './io-errors.ts'
import type { FlagChange, IndexKey } from './queries.ts'
import { type BulkOptions, type StoredRecord, recordMembers } from './store.ts'

/** A change of one record. A flag is set, and a record is removed, whatever its version is. */
export type BulkChange = { readonly state: CollectionState; readonly id: string } & (
  | RecordChange
  | { readonly op: 'flag'; readonly change: FlagChange }
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

/** What a bulk call needs of an adapter. `C` is the change of one record, as the adapter stores it. */
export interface BulkDeps<C> {
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
   * Commits a flag of records. Those that have it already are left as they are. `stale`: the records whose text must be read to
   * find the member, and those whose text is not in memory.
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

/**
 * Commits a bulk change part by part; see `Store.bulk`.
 *
 * @returns How many records were changed or removed.
 * @throws internal_error when a flag is no member of the records.
 */
export async function runBulk<T extends StoredRecord, C>(
  ids: readonly string[],
  change: ((record: T) => T) | FlagChange | 'remove',
  deps: BulkDeps<C>,
  { onProgress, signal }: BulkOptions = {},
): Promise<number> {
  const flag = typeof change === 'object' ? change : null
  if (flag && !deps.facts?.members?.includes(flag.flag))
    throw misuse(`The collection has no flag ${JSON.stringify(flag.flag)} that is a member of its records.`)
  const edit = typeof change === 'object' ? settingFlag<T>(change) : change
  const isBulk = ids.length > maxSingleChanges
  // The given ids, and after them the stale ones, each as often as its record has to be read again.
  const queue = [...ids]
  let [taken, retries, changed] = [0, 0, 0]
  try {
    while (taken < queue.length && !signal?.aborted) {
      deps.assertOpen()
      const isFirstTry = taken < ids.length
      let part: BulkPart
      if (edit === 'remove') part = removalPart(queue.slice(taken, taken + maxRemovals), deps)
      else if (flag && isFirstTry) part = flagPart(ids.slice(taken, taken + maxUpdates), flag, deps)
      else {
        part = await editPart(queue.slice(taken, taken + maxUpdates), edit, deps)
        // The store may have been closed while the records were read.
        deps.assertOpen()
      }
      taken += part.count
      const { applied, stale } = await commitPart(part, deps.pending, isBulk)
      changed += applied
      retries += stale.length
      queue.push(...stale)
      onProgress?.(taken - retries)
    }
  } finally {
    if (isBulk) await deps.end()
  }
  return changed
}

/** The next changes of a bulk call. */
interface BulkPart {
  /** How many ids it has used up. */
  readonly count: number
  /** How much text is in memory until it is stored. */
  readonly bytes: number
  commit(isBulk: boolean): Promise<BulkOutcome>
}

function removalPart<C>(ids: readonly string[], { remove, commit }: BulkDeps<C>): BulkPart {
  return { count: ids.length, bytes: 0, commit: (isBulk) => commit(ids.map(remove), isBulk) }
}

function flagPart<C>(
  ids: readonly string[],
  flag: FlagChange,
  { textBytes, setFlag }: BulkDeps<C>,
): BulkPart {
  let [count, bytes] = [0, 0]
  for (; count < ids.length && bytes < maxBytes; count++) bytes += textBytes(ids[count] ?? '')
  return { count, bytes, commit: (isBulk) => setFlag(ids.slice(0, count), flag, isBulk) }
}

async function editPart<T extends StoredRecord, C>(
  ids: readonly string[],
  edit: (record: T) => T,
  { read, put, commit }: BulkDeps<C>,
): Promise<BulkPart> {
  const changes: C[] = []
  let [count, bytes] = [0, 0]
  while (count < ids.length && bytes < maxBytes) {
    const texts = await read(ids.slice(count, count + readAtOnce))
    await forEachSlice(texts, (text) => {
      if (bytes >= maxBytes) return
      count++
      const record = text === null ? null : toRecord<T>(text)
      const next = record && edit(record)
      if (!record || !next || next === record) return
      const stored = { ...next, id: record.id, version: record.version + 1 }
      const json = JSON.stringify(stored)
      changes.push(put(stored, json))
      bytes += json.length
    })
  }
  const isEmpty = changes.length === 0
  return { count, bytes, commit: async (isBulk) => (isEmpty ? nothingChanged : commit(changes, isBulk)) }
}

async function commitPart(part: BulkPart, pending: Budget, isBulk: boolean): Promise<BulkOutcome> {
  pending.takeAnyway(part.bytes)
  try {
    return await part.commit(isBulk)
  } finally {
    pending.give(part.bytes)
  }
}

const nothingChanged: BulkOutcome = { applied: 0, stale: [] }

/** Sets a flag in a record that was read. */
function settingFlag<T extends StoredRecord>({ flag, is }: FlagChange): (record: T) => T {
  return (record) => (recordMembers(record)[flag] === is ? record : { ...record, [flag]: is })
}

/** Up to this many records, listeners get one change for each, so that they need not read everything again. */
const maxSingleChanges = 100
const readAtOnce = 100
// Other commits wait while a part is encoded and applied. These limits bound that time.
const maxUpdates = 500
const maxRemovals = 1000
const maxBytes = 1024 * 1024
