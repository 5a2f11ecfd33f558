import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { forEachSlice } from '../core/slices.ts'
import { misuse } from './io-errors.ts'
import type { IndexKey } from './queries.ts'
import type { Change } from './store.ts'

export interface UniqueKey {
  readonly index: string
  /** The same for equal keys. */
  readonly text: string
  /** For the message of an error; not known of a record that was only looked up. */
  readonly key?: IndexKey
}

/** A record after the commits that were checked so far; null if it is removed. */
interface CheckedRecord<C, R> {
  readonly collection: C
  readonly id: string
  readonly record: R | null
}

/**
 * Checks the commits of one batch one after the other, each against what is stored and the commits before it: ids, versions,
 * unique keys. A refused commit has no effect. `C` is a collection of a partition, `R` what has to be known of a record.
 *
 * A subclass stages each commit within `stageCommit`, and awaits it before the next one. For each change it looks at
 * `current`, calls
 * `assertPossible` unless the change may be made to any version, and then `put` or `drop`. What else it notes of a commit is in maps
 * that it changes only by `set` and `unset`, or in what it empties itself if `stageCommit` throws.
 */
export abstract class CommitChecks<
  C extends { readonly name: string },
  R extends { readonly version: number },
> {
  /** The records that the batch changes, by `recordPlace`. */
  protected readonly changed: Map<string, CheckedRecord<C, R>> = new Map()
  /** The unique keys that the batch gives to a record or, with null, takes from one, by `holderPlace`. */
  readonly #holders: Map<string, string | null> = new Map()
  /** What takes back the steps of the commit that is being staged; null between two commits. */
  #undo: (() => void)[] | null = null

  protected abstract stored(collection: C, id: string): R | null
  protected abstract storedHolder(collection: C, key: UniqueKey): string | null
  protected abstract keysOf(collection: C, record: R): readonly UniqueKey[]

  /** Adds the changes of one commit. If one fails, nothing of the commit remains. */
  protected async stageCommit<T>(changes: Iterable<T>, add: (change: T) => void): Promise<void> {
    if (this.#undo) throw misuse('Another commit of the batch is being staged.')
    const steps: (() => void)[] = (this.#undo = [])
    try {
      await forEachSlice(changes, add)
    } catch (error) {
      for (const undo of steps.reverse()) undo()
      throw error
    } finally {
      this.#undo = null
    }
  }

  /** A record after the commits so far; null if there is none. */
  protected current(collection: C, id: string): R | null {
    const changed = this.changed.get(recordPlace(collection, id))
    return changed ? changed.record : this.stored(collection, id)
  }

  /**
   * @param version  That the record must have, for `update` and `remove`.
   * @throws unique_conflict for an insert of an existing id; version_conflict if `version` is not that of the record.
   */
  protected assertPossible(
    { name }: C,
    op: Change['op'],
    id: string,
    version: number | undefined,
    current: R | null,
  ): void {
    if (op === 'insert' && current) throw keyConflict(name, 'id', [id], id)
    if ((op !== 'update' && op !== 'remove') || version === undefined || current?.version === version) return
    const found = current ? `has version ${current.version}` : 'was removed'
    const message = `The record ${quote(id)} of ${name} ${found}, not version ${quote(version)}. Read it again and repeat the change.`
    throw new LocalpostError('version_conflict', message)
  }

  /** @param current  The present state of the record. @throws unique_conflict */
  protected put(collection: C, id: string, record: R, current: R | null): void {
    for (const key of this.keysOf(collection, record)) {
      const known = this.#holders.get(holderPlace(collection, key))
      const holder = known === undefined ? this.storedHolder(collection, key) : known
      if (holder !== null && holder !== id)
        throw keyConflict(collection.name, key.index, key.key ?? [], holder)
    }
    if (current) this.#claim(collection, current, null)
    this.#claim(collection, record, id)
    this.set(this.changed, recordPlace(collection, id), { collection, id, record })
  }

  /** @param current  null for a record that is not known. */
  protected drop(collection: C, id: string, current: R | null): void {
    if (current) this.#claim(collection, current, null)
    this.set(this.changed, recordPlace(collection, id), { collection, id, record: null })
  }

  #claim(collection: C, record: R, holder: string | null): void {
    for (const key of this.keysOf(collection, record))
      this.set(this.#holders, holderPlace(collection, key), holder)
  }

  /** Sets an entry; if the commit fails, it is as before. */
  protected set<V>(map: Map<string, V>, at: string, value: V): void {
    this.#keep(map, at)
    map.set(at, value)
  }

  /** Removes an entry; if the commit fails, it is there again. */
  protected unset<V>(map: Map<string, V>, at: string): void {
    this.#keep(map, at)
    map.delete(at)
  }

  #keep<V>(map: Map<string, V>, at: string): void {
    if (!this.#undo) throw misuse('A change is staged outside of a commit.')
    // No map has an entry that is undefined.
    const before = map.get(at)
    this.#undo.push(() => (before === undefined ? map.delete(at) : map.set(at, before)))
  }
}

/** The key of a record in the maps of a batch. */
export function recordPlace({ name }: { readonly name: string }, id: string): string {
  return `${name}\0${id}`
}

/** The key of a unique value in the maps of a batch. */
export function holderPlace({ name }: { readonly name: string }, { index, text }: UniqueKey): string {
  return `${name}\0${index}\0${text}`
}

function keyConflict(collection: string, index: string, key: IndexKey, holder: string): LocalpostError {
  const message = `The ${index} ${quote(key.length === 1 ? key[0] : key)} of ${collection} is taken by ${quote(holder)}. Use another value.`
  return new LocalpostError('unique_conflict', message)
}
