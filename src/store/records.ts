import type { CollectionState, Segment } from './collection-state.ts'
import { Collections } from './collections.ts'
import type { Entry, Places } from './entry.ts'
import { sameKey } from './keys.ts'
import type { Packed } from './packed.ts'
import { Resting } from './resting.ts'
import type { SortedIndex } from './sorted-index.ts'
import type { Collection, StoredRecord } from './store.ts'

/** The staged next state of a record. `move`: only the places of its blobs change. */
export type Effect = { readonly state: CollectionState } & (
  | { readonly op: 'put'; readonly draft: Entry; readonly kind: 'insert' | 'update' | 'move' }
  | { readonly op: 'remove'; readonly id: string }
  /** Removes all records of a collection. `count` is how many there were. */
  | { readonly op: 'clear'; readonly count: number }
)

/**
 * Counts the records that refer to each place of a blob. A record that changes holds the places of its new state and
 * releases those of its old one, in both cases without the places that both have.
 */
export interface PlaceKeeper {
  hold(places: Places | null, without: Places | null): void
  release(places: Places | null, without: Places | null): void
}

/** A record in a pack that a later commit in the log replaced or removed, found while the store is loaded. */
interface ReplacedRecord {
  readonly state: CollectionState
  readonly id: string
  readonly pack: Packed
  readonly row: number
  /** The places of its blobs; missing until `disk/load.ts` has read them, after the log. */
  blobs?: Places | null
}

/** All records in memory, and the segments that the next checkpoint must write. */
export class Records {
  readonly collections: Collections
  /** Segments that changed since they were last written. */
  readonly dirty: Set<Segment> = new Set()
  /** The commit that each snapshot file has to contain, by its name in `checkpoint.json`. Only loading and checkpoints use it. */
  readonly files: Map<string, number> = new Map()
  /** Only `loading.ts` and `disk/load.ts` use it, while the store is loaded. */
  readonly replaced: ReplacedRecord[] = []
  /** The records that are only in segment files. */
  readonly resting: Resting = new Resting()
  readonly keeper: PlaceKeeper

  constructor(definitions: readonly Collection<StoredRecord>[], keeper: PlaceKeeper) {
    this.collections = new Collections(definitions)
    this.keeper = keeper
  }

  /** Applies effects in order and synchronously, so that no reader sees only a part of them. */
  apply(effects: readonly Effect[]): void {
    // For fewer effects, updating the arrays one by one is cheaper than one pass over every index.
    const gathering = new Set(effects.length > gatherFrom ? effects.map(({ state }) => state) : [])
    eachIndex(gathering, (index) => index.gather())
    for (const effect of effects) {
      if (effect.op === 'remove') this.#remove(effect.state, effect.id)
      else if (effect.op === 'clear') this.#clear(effect.state)
      else {
        this.#put(effect.state, effect.draft)
        if (effect.kind !== 'move') this.#setFacts(effect.state, effect.draft)
      }
    }
    eachIndex(gathering, (index) => index.settle())
  }

  #put(state: CollectionState, draft: Entry): void {
    const entry = state.byId.get(draft.id)
    const segment = state.segment(draft.segment)
    this.dirty.add(segment)
    this.keeper.hold(draft.blobs, entry?.blobs ?? null)
    state.usage?.replace(entry?.blobs ?? null, draft.blobs)
    if (!entry) {
      // A record whose line is damaged is replaced without having been read.
      const damaged = state.idIndex.locate(draft.id)
      if (damaged) state.idIndex.removeAt(damaged.pack, damaged.row)
      state.byId.set(draft.id, draft)
      segment.entries.add(draft)
      state.idIndex.loose.add(draft)
      for (const index of state.indexes) index.add(draft)
      return
    }
    this.keeper.release(entry.blobs, draft.blobs)
    const moved = state.indexes.filter((_, at) => !sameKey(entry.keys[at] ?? null, draft.keys[at] ?? null))
    // Before the keys change: an index finds an entry by its keys.
    for (const index of moved) index.remove(entry)
    entry.version = draft.version
    entry.text = draft.text
    entry.keys = draft.keys
    entry.blobs = draft.blobs
    for (const index of moved) index.add(entry)
  }

  /** The facts of a record in a pack stay in the pack, even while the record is in memory. */
  #setFacts({ idIndex, byId }: CollectionState, { id, facts }: Entry): void {
    const packed = idIndex.mayRest(id) ? idIndex.locate(id) : null
    if (packed) packed.pack.facts?.set(packed.row, facts)
    else {
      const entry = byId.get(id)
      if (entry) entry.facts = facts
    }
  }

  #remove(state: CollectionState, id: string): void {
    const entry = state.byId.get(id)
    const packed = state.idIndex.locate(id)
    if (packed) {
      this.dirty.add(state.segment(packed.pack.segment.number))
      state.idIndex.removeAt(packed.pack, packed.row)
    }
    if (!entry) return
    state.byId.delete(id)
    if (!packed) {
      const segment = state.segment(entry.segment)
      this.dirty.add(segment)
      segment.entries.delete(entry)
      state.idIndex.loose.remove(entry)
    }
    for (const index of state.indexes) index.remove(entry)
    this.keeper.release(entry.blobs, null)
    state.usage?.replace(entry.blobs, null)
  }

  #clear(state: CollectionState): void {
    for (const segment of state.clear()) this.dirty.add(segment)
    const { usage } = state
    // Collections without a usage have no blobs.
    if (!usage) return
    this.keeper.release(usage.places(), null)
    usage.logs.clear()
    usage.large.clear()
  }
}

function eachIndex(states: Iterable<CollectionState>, run: (index: SortedIndex) => void): void {
  for (const { idIndex, indexes } of states) for (const index of [idIndex.loose, ...indexes]) run(index)
}

const gatherFrom = 64
