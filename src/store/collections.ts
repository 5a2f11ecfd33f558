import { CollectionState, type Segment, recordsIn } from './collection-state.ts'
import { misuse } from './io-errors.ts'
import { assertCollectionName, collectionNameForm, nameInPartition, splitCollectionName } from './names.ts'
import type { Collection, StoredRecord } from './store.ts'

/** The collections of all partitions. The state of one in a partition is made when it is first named. */
export class Collections {
  readonly #states: Map<string, CollectionState> = new Map()
  readonly #definitions: ReadonlyMap<string, Collection<StoredRecord>>
  /** The collections of each partition, by their names without it. */
  readonly #byPartition: Map<string, Map<string, CollectionState>> = new Map()
  readonly #retired: Set<string> = new Set()

  constructor(definitions: readonly Collection<StoredRecord>[]) {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]))
    for (const { name } of definitions) {
      assertCollectionName(name)
      this.stateIfKnown(name)
    }
  }

  /** All collections that were named so far, of all partitions. */
  all(): Iterable<CollectionState> {
    return this.#states.values()
  }

  /** The state of a collection by its name, partition included, if it was named before. Does not make it. */
  used(name: string): CollectionState | undefined {
    return this.#states.get(name)
  }

  /** Whether the store was opened with this collection, or keeps it as an unknown one. Does not make its state. */
  isKnown(name: string): boolean {
    return this.#states.has(name) || this.#definitionOf(name) !== undefined
  }

  statesOf(partition: string): Iterable<CollectionState> {
    return this.#byPartition.get(partition)?.values() ?? []
  }

  /** A collection in each of the partitions in which it was used, by its name without them. */
  *everywhere(base: string): Generator<CollectionState> {
    for (const states of this.#byPartition.values()) {
      const state = states.get(base)
      if (state) yield state
    }
  }

  /** The names of the partitions that have records, without the main one. */
  partitions(): string[] {
    return [...this.#byPartition]
      .filter(([partition, states]) => partition !== '' && [...states.values()].some(({ size }) => size > 0))
      .map(([partition]) => partition)
  }

  /** The state of a collection, made if it was not named before. @throws internal_error if the store was opened without it. */
  state(name: string): CollectionState {
    const state = this.stateIfKnown(name)
    if (!state) throw misuse(`The store was opened without the collection ${JSON.stringify(name)}.`)
    return state
  }

  /** As `state`, by the names of the collection and of its partition. */
  stateIn(partition: string, name: string): CollectionState {
    return this.#byPartition.get(partition)?.get(name) ?? this.state(nameInPartition(name, partition))
  }

  /** As `state`, but undefined if the store was opened without the collection and does not keep it as an unknown one. */
  stateIfKnown(name: string): CollectionState | undefined {
    const state = this.#states.get(name)
    if (state) return state
    const definition = this.#definitionOf(name)
    return definition && this.#add(new CollectionState(definition, splitCollectionName(name).partition))
  }

  /** As `state`, but an unknown collection (of another version) is kept unchanged, without indexes. */
  stateOrUnknown(name: string, { large }: { large: boolean }): CollectionState {
    const known = this.stateIfKnown(name)
    if (known) return known
    assertCollectionName(name)
    const { base, partition } = splitCollectionName(name)
    return this.#add(new CollectionState({ name: base, large, indexes: {} }, partition))
  }

  #definitionOf(name: string): Collection<StoredRecord> | undefined {
    return collectionNameForm.test(name) ? this.#definitions.get(splitCollectionName(name).base) : undefined
  }

  #add(state: CollectionState): CollectionState {
    const { name, base, partition } = state
    this.#states.set(name, state)
    const states = this.#byPartition.get(partition)
    if (states) states.set(base, state)
    else this.#byPartition.set(partition, new Map([[base, state]]))
    return state
  }

  /** Marks a partition as removed: {@link Collections.dropRetired} drops its collections. */
  retire(partition: string): void {
    this.#retired.add(partition)
  }

  /**
   * Drops the collections of removed partitions whose changes have been written.
   *
   * @param dirty  The segments that changed since they were last written.
   * @returns The names of the collections that were dropped.
   */
  dropRetired(dirty: ReadonlySet<Segment>): string[] {
    const dropped: string[] = []
    for (const partition of this.#retired) {
      const states = this.#byPartition.get(partition) ?? new Map<string, CollectionState>()
      for (const [base, state] of states) {
        const isLeft = [...state.segments.values()].some((one) => recordsIn(one) > 0 || dirty.has(one))
        if (isLeft) continue
        states.delete(base)
        this.#states.delete(state.name)
        dropped.push(state.name)
      }
      if (states.size > 0) continue
      this.#byPartition.delete(partition)
      this.#retired.delete(partition)
    }
    return dropped
  }
}
