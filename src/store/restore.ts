import { Entry } from './entry.ts'
import { withVersion } from './record-text.ts'
import type { CollectionState } from './collection-state.ts'
import type { Effect } from './records.ts'
import type { Collection, StoredRecord } from './store.ts'
import type { PartitionedStore } from './partitioned-store.ts'

/** A store whose records can be noted and restored, in memory, until it is closed. */
export interface RestorableStore extends PartitionedStore {
  /** Notes the records of these collections with their blobs. Texts and bytes are shared, so each takes a few machine words. */
  snapshot(collections: readonly Collection<StoredRecord>[]): StoreSnapshot
  /**
   * Restores the records of a snapshot's collections in one commit: later records are removed, and removed or changed
   * ones are restored with a higher version than that of the snapshot and the present one.
   *
   * @throws closed.
   */
  restore(snapshot: StoreSnapshot): Promise<void>
}

/** Records as they were: by collection, by id. */
export type StoreSnapshot = ReadonlyMap<CollectionState, ReadonlyMap<string, SavedRecord>>

/** An earlier state of an {@link Entry}; its members are never changed in place. */
export type SavedRecord = Readonly<Omit<Entry, 'id'>>

/** Notes the present records of collections. */
export function saveRecords(states: Iterable<CollectionState>): StoreSnapshot {
  const saved = new Map<CollectionState, Map<string, SavedRecord>>()
  for (const state of states) {
    const records = new Map<string, SavedRecord>()
    for (const { id, segment, version, text, keys, blobs, facts } of state.byId.values())
      records.set(id, { segment, version, text, keys, blobs, facts })
    saved.set(state, records)
  }
  return saved
}

/** The changes that restore the records: removals first, so that unique keys are free again. */
export function restoringEffects(snapshot: StoreSnapshot): Effect[] {
  const removals: Effect[] = []
  const puts: Effect[] = []
  for (const [state, records] of snapshot) {
    for (const id of state.byId.keys()) if (!records.has(id)) removals.push({ op: 'remove', state, id })
    for (const [id, saved] of records) {
      const current = state.byId.get(id)
      if (current?.text === saved.text && current.blobs === saved.blobs) continue
      // Code that still holds a later state must not mistake the earlier one for it.
      const version = Math.max(current?.version ?? 0, saved.version) + 1
      const text = withVersion(saved.text, version)
      const draft = new Entry({ ...saved, id, version, text })
      puts.push({ op: 'put', state, draft, kind: current ? 'update' : 'insert' })
    }
  }
  return [...removals, ...puts]
}
