import type { CollectionState } from './collection-state.ts'
import type { Entry, Places } from './entry.ts'
import { corrupt } from './io-errors.ts'
import type { Records } from './records.ts'

// How records come from files into memory. Indexes are built at the end, and readers see nothing before.

/** Adds a record in its state by a file or a commit of the log, in place of an earlier one. */
export function loadRecord(records: Records, state: CollectionState, entry: Entry): void {
  forgetRecord(records, state, entry.id)
  state.byId.set(entry.id, entry)
  state.segment(entry.segment).entries.add(entry)
}

/** Removes a record, and marks its segment to be written again. */
export function forgetRecord(records: Records, state: CollectionState, id: string): void {
  const old = state.byId.get(id)
  const packed = state.idIndex.locate(id)
  if (packed) {
    records.replaced.push({ state, id, ...packed })
    state.idIndex.removeAt(packed.pack, packed.row)
    state.byId.delete(id)
    records.dirty.add(state.segment(packed.pack.segment.number))
    return
  }
  if (!old) return
  state.byId.delete(id)
  const segment = state.segment(old.segment)
  segment.entries.delete(old)
  records.dirty.add(segment)
}

/** Removes all records of a collection, and marks their segments to be written again. */
export function forgetCollection(records: Records, state: CollectionState): void {
  for (const segment of state.clear()) records.dirty.add(segment)
  // The space of removed records must not count as used.
  for (const pack of state.idIndex.packs) pack.forgetUsage()
  const { replaced } = records
  // In place and one by one: there may be more of them than a call can have arguments.
  let kept = 0
  for (const one of replaced) if (one.state !== state) replaced[kept++] = one
  replaced.length = kept
}

/**
 * Ends the loading: builds the indexes and passes every blob to the keeper.
 *
 * @throws store_corrupt when two records have the same key in a unique index.
 */
export function endLoading(records: Records, folder: string): void {
  for (const state of records.collections.all()) settleCollection(records, state, folder)
}

function settleCollection(records: Records, state: CollectionState, folder: string): void {
  state.continueLastSegment()
  const entries = [...state.byId.values()]
  for (const index of state.indexes) {
    const duplicates = index.replaceAll(entries)
    if (!duplicates) continue
    const ids = duplicates.map((entry) => entry.id).join(' and ')
    const what = `the records ${ids} of ${state.name} have the same ${index.on.join(', ')}.`
    throw corrupt(folder, what, 'Change or remove one of them in its file.')
  }
  holdBlobs(records, state)
}

/**
 * Passes the blobs of all records to the keeper: for a pack, the totals of its blobs, without those of records that
 * were replaced later.
 */
function holdBlobs(records: Records, state: CollectionState): void {
  for (const { pack } of state.segments.values())
    if (pack?.usage) holdNew(records, state, pack.usage.places(), null)
  const before = new Map<string, Places | null>()
  for (const replaced of records.replaced) {
    if (replaced.state !== state) continue
    const { id, blobs = null } = replaced
    records.keeper.release(blobs, state.byId.get(id)?.blobs ?? null)
    state.usage?.replace(blobs, null)
    before.set(id, blobs)
  }
  for (const { entries } of state.segments.values())
    for (const { id, blobs } of entries) holdNew(records, state, blobs, before.get(id) ?? null)
}

/** Passes blobs to the keeper, except those in `without`, which it has already. */
function holdNew(
  records: Records,
  { usage }: CollectionState,
  blobs: Places | null,
  without: Places | null,
): void {
  records.keeper.hold(blobs, without)
  usage?.add(blobs)
}
