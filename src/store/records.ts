import { CollectionState, type Segment, sizeOf } from './collection-state.ts'
import { Entry, type Places } from './entry.ts'
import type { IdOrder } from './id-order.ts'
import { corrupt, misuse } from './io-errors.ts'
import { sameKey } from './keys.ts'
import { assertCollectionName, collectionNameForm, nameInPartition, splitCollectionName } from './names.ts'
import { Resting } from './resting.ts'
import type { SortedIndex } from './sorted-index.ts'
import type { Collection, StoredRecord } from './store.ts'

/** The staged next state of a record. */
export type Effect =
  | {
      readonly op: 'put'
      readonly state: CollectionState
      readonly draft: Entry
      readonly kind: 'insert' | 'update' | 'move'
    }
  | { readonly op: 'remove'; readonly state: CollectionState; readonly id: string }
  /** Removes all records of a collection. `count` is how many there were. */
  | { readonly op: 'clear'; readonly state: CollectionState; readonly count: number }

/** Called with the places of blobs that records refer to. The same place may be passed once for each record. */
export interface PlaceKeeper {
  hold(places: Places | null, without: Places | null): void
  release(places: Places | null, without: Places | null): void
}

/** All records in memory, and the segments that the next checkpoint must write. */
export class Records {
  readonly collections: Map<string, CollectionState> = new Map()
  /** Segments that changed since they were last written. */
  dirty: Set<Segment> = new Set()
  /** The commit that each snapshot file has to contain, by its name in `checkpoint.json`. */
  readonly files: Map<string, number> = new Map()
  /** Whether some collections are not read yet; see {@link Records.ready}. */
  isPartial = false
  /** The records that are only in segment files. */
  readonly resting: Resting = new Resting()
  readonly #keeper: PlaceKeeper
  /** The definitions of the collections, by name. */
  readonly #definitions: ReadonlyMap<string, Collection<StoredRecord>>
  /** The collections of each partition, by their names without it. */
  readonly #partitions: Map<string, Map<string, CollectionState>> = new Map()
  readonly #retired: Set<string> = new Set()

  constructor(collections: readonly Collection<StoredRecord>[], keeper: PlaceKeeper) {
    this.#keeper = keeper
    this.#definitions = new Map(collections.map((collection) => [collection.name, collection]))
    for (const { name } of collections) {
      assertCollectionName(name)
      this.known(name)
    }
  }

  /** @throws internal_error when the store was not opened with this collection. */
  state(name: string): CollectionState {
    const state = this.known(name)
    if (!state) throw misuse(`The store was opened without the collection ${JSON.stringify(name)}.`)
    return state
  }

  /** The state of a collection in a partition. @throws as `state`. */
  stateIn(partition: string, name: string): CollectionState {
    return this.#partitions.get(partition)?.get(name) ?? this.state(nameInPartition(name, partition))
  }

  /** The collections of a partition that were used. */
  statesOf(partition: string): Iterable<CollectionState> {
    return this.#partitions.get(partition)?.values() ?? []
  }

  /** The names of the partitions that have records, without the main one. */
  partitions(): string[] {
    const hasRecords = ({ segments, deferred }: CollectionState): boolean =>
      deferred !== null || [...segments.values()].some((segment) => sizeOf(segment) > 0)
    return [...this.#partitions]
      .filter(([partition, states]) => partition !== '' && [...states.values()].some(hasRecords))
      .map(([partition]) => partition)
  }

  /** The collection of this name, which may include a partition; undefined if the store was opened without it. */
  known(name: string): CollectionState | undefined {
    const state = this.collections.get(name)
    if (state) return state
    const { base, partition } = splitCollectionName(name)
    const definition = collectionNameForm.test(name) ? this.#definitions.get(base) : undefined
    return definition && this.#add(new CollectionState(definition, partition))
  }

  /** The collection of this name. An unknown collection (of another version) is kept unchanged, without indexes. */
  stateOrUnknown(name: string, large: boolean): CollectionState {
    const known = this.known(name)
    if (known) return known
    assertCollectionName(name)
    const { base, partition } = splitCollectionName(name)
    return this.#add(new CollectionState({ name: base, large, indexes: {} }, partition))
  }

  #add(state: CollectionState): CollectionState {
    const { name, base, partition } = state
    this.collections.set(name, state)
    const states = this.#partitions.get(partition)
    if (states) states.set(base, state)
    else this.#partitions.set(partition, new Map([[base, state]]))
    return state
  }

  /** Drops the collections of a removed partition, as soon as their changes have been written. */
  retire(partition: string): void {
    this.#retired.add(partition)
    this.dropRetired()
  }

  /** @returns The names of the collections that were dropped. */
  dropRetired(): string[] {
    const dropped: string[] = []
    for (const partition of this.#retired) {
      const states = this.#partitions.get(partition) ?? new Map<string, CollectionState>()
      for (const [base, state] of states) {
        const isLeft = [...state.segments.values()].some(
          (segment) => sizeOf(segment) > 0 || this.dirty.has(segment),
        )
        if (isLeft) continue
        states.delete(base)
        this.collections.delete(state.name)
        dropped.push(state.name)
      }
      if (states.size > 0) continue
      this.#partitions.delete(partition)
      this.#retired.delete(partition)
    }
    return dropped
  }

  /** Applies effects in order and synchronously, so that no reader sees only a part of them. */
  apply(effects: readonly Effect[]): void {
    const gathering = effects.length > gatherFrom
    const states = gathering ? new Set(effects.map(({ state }) => state)) : []
    if (gathering) eachIndex(states, (index) => index.gather())
    for (const effect of effects) {
      if (effect.op === 'remove') this.#remove(effect.state, effect.id)
      else if (effect.op === 'clear') this.#clear(effect.state)
      else {
        this.#put(effect.state, effect.draft)
        if (effect.kind !== 'move') this.#setFacts(effect.state, effect.draft)
      }
    }
    if (gathering) eachIndex(states, (index) => index.settle())
  }

  /** While loading: adds a record of the snapshot. Duplicates are rare, so they are detected only after adding. */
  fill(state: CollectionState, entry: Entry): void {
    // A crash while a collection became large can leave a record both in `db.json` and in a segment.
    if ((state.hasSmall && entry.segment > 0) || state.idIndex.locate(entry.id)) this.forget(state, entry.id)
    const before = state.byId.size
    state.byId.set(entry.id, entry)
    if (state.byId.size === before) this.#dropDuplicate(state, entry.id)
    state.segment(entry.segment).entries.add(entry)
  }

  /** While loading: adds a record or replaces the one with its id, without updating indexes. */
  restore(state: CollectionState, entry: Entry): void {
    this.forget(state, entry.id)
    state.byId.set(entry.id, entry)
    state.segment(entry.segment).entries.add(entry)
  }

  /** While loading: removes a record, and marks its segment to be written again. */
  forget(state: CollectionState, id: string): void {
    const old = state.byId.get(id)
    const packed = state.idIndex.locate(id)
    if (packed) {
      this.resting.replaced.push({ state, id, ...packed })
      state.idIndex.removeAt(packed.pack, packed.row)
      state.byId.delete(id)
      this.dirty.add(state.segment(packed.pack.segment.number))
      return
    }
    if (!old) return
    state.byId.delete(id)
    const segment = state.segment(old.segment)
    segment.entries.delete(old)
    this.dirty.add(segment)
  }

  /** While loading: removes all records of a collection, and marks their segments to be written again. */
  forgetAll(state: CollectionState): void {
    for (const segment of state.clear()) this.dirty.add(segment)
    // The space of removed records must not count as used.
    for (const pack of state.idIndex.packs) pack.usage = null
    const { replaced } = this.resting
    replaced.splice(0, replaced.length, ...replaced.filter((one) => one.state !== state))
  }

  /**
   * Ends the loading: builds the indexes and passes every blob to the keeper. For deferred collections this happens when
   * they are read.
   *
   * @throws store_corrupt when two records have the same key in a unique index.
   */
  settle(folder: string): void {
    for (const state of this.collections.values()) {
      if (state.deferred) state.deferred.add(() => this.#settle(state, folder))
      else this.#settle(state, folder)
    }
    this.isPartial = this.#deferred().length > 0
  }

  /** Reads the parts of these collections that the start deferred. */
  async ready(states: Iterable<CollectionState>): Promise<void> {
    for (const { deferred } of states) await deferred?.run()
  }

  /** Reads deferred collections that have commits in the log, because a checkpoint replaces that part of the log. */
  async readyForCheckpoint(): Promise<void> {
    for (const { deferred } of this.#deferred()) if (deferred?.holdsCommits) await deferred.run()
  }

  #deferred(): CollectionState[] {
    return [...this.collections.values()].filter(({ deferred }) => deferred !== null)
  }

  #settle(state: CollectionState, folder: string): void {
    state.settleArrivals()
    if (state.hasSmall) this.#spread(state)
    const entries = [...state.byId.values()]
    for (const index of state.indexes) {
      const duplicates = index.takeAll(entries)
      if (!duplicates) continue
      const ids = duplicates.map((entry) => entry.id).join(' and ')
      const what = `the records ${ids} of ${state.name} have the same ${index.on.join(', ')}.`
      throw corrupt(folder, what, 'Change or remove one of them in its file.')
    }
    this.#holdBlobs(state)
    state.deferred = null
    this.isPartial = this.#deferred().length > 0
  }

  /**
   * Passes the blobs of all records to the keeper: for a pack, the totals of its blobs, without those of records that
   * were replaced later.
   */
  #holdBlobs(state: CollectionState): void {
    for (const { pack } of state.segments.values())
      if (pack?.usage) this.#hold(state, pack.usage.places(), null)
    const before = new Map<string, Places | null>()
    for (const replaced of this.resting.replaced) {
      if (replaced.state !== state) continue
      const { id, blobs = null } = replaced
      this.#keeper.release(blobs, state.byId.get(id)?.blobs ?? null)
      state.usage?.replace(blobs, null)
      before.set(id, blobs)
    }
    for (const { entries } of state.segments.values())
      for (const { id, blobs } of entries) this.#hold(state, blobs, before.get(id) ?? null)
  }

  /** Passes blobs to the keeper, except those in `without`, which it has already. */
  #hold({ usage }: CollectionState, blobs: Places | null, without: Places | null): void {
    this.#keeper.hold(blobs, without)
    usage?.add(blobs)
  }

  /** Assigns the records of a collection that used to be small to segments. */
  #spread(state: CollectionState): void {
    const small = state.segment(0)
    this.dirty.add(small)
    for (const { id, version, text, keys, blobs, facts } of small.entries) {
      const entry = new Entry(id, state.assign(), version, text, keys, blobs, facts)
      const segment = state.segment(entry.segment)
      state.byId.set(id, entry)
      segment.entries.add(entry)
      this.dirty.add(segment)
    }
    small.entries.clear()
  }

  #dropDuplicate(state: CollectionState, id: string): void {
    for (const segment of state.segments.values()) {
      for (const old of segment.entries) {
        if (old.id !== id) continue
        segment.entries.delete(old)
        this.dirty.add(segment)
      }
    }
  }

  #put(state: CollectionState, draft: Entry): void {
    const entry = state.byId.get(draft.id)
    const segment = state.segment(draft.segment)
    this.dirty.add(segment)
    this.#keeper.hold(draft.blobs, entry?.blobs ?? null)
    state.usage?.replace(entry?.blobs ?? null, draft.blobs)
    if (!entry) {
      // A record whose line is damaged is replaced without having been read.
      const damaged = state.idIndex.locate(draft.id)
      if (damaged) state.idIndex.removeAt(damaged.pack, damaged.row)
      state.byId.set(draft.id, draft)
      segment.entries.add(draft)
      state.idIndex.add(draft)
      for (const index of state.indexes) index.add(draft)
      return
    }
    this.#keeper.release(entry.blobs, draft.blobs)
    const moved = state.indexes.filter(
      (_, slot) => !sameKey(entry.keys[slot] ?? null, draft.keys[slot] ?? null),
    )
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
      state.idIndex.remove(entry)
    }
    for (const index of state.indexes) index.remove(entry)
    this.#keeper.release(entry.blobs, null)
    state.usage?.replace(entry.blobs, null)
  }

  #clear(state: CollectionState): void {
    for (const segment of state.clear()) this.dirty.add(segment)
    const { usage } = state
    if (!usage) return
    this.#keeper.release(usage.places(), null)
    usage.logs.clear()
    usage.large.clear()
  }
}

function eachIndex(states: Iterable<CollectionState>, run: (index: SortedIndex | IdOrder) => void): void {
  for (const { idIndex, indexes } of states) for (const index of [idIndex, ...indexes]) run(index)
}

// For fewer effects, updating the arrays one by one is cheaper than one pass over every index.
const gatherFrom = 64
