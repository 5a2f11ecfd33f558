import { forEachSlice } from '../core/slices.ts'
import type { Collection, Store, StoreChange, StoredRecord } from './store.ts'
import { pagesOf } from './repository.ts'

/** A copy in memory of the records of a small collection. Its methods may be called again for the same record. */
export interface RecordCopy<T extends StoredRecord> {
  ids(): Iterable<string>
  put(record: T): void | Promise<void>
  remove(id: string): void
}

/**
 * Keeps copies in memory up to date while other instances change the store. Without others, the code that changes
 * records changes the copy.
 */
export interface Following {
  /** Reads all records of a collection, and follows their changes until the listeners of the store end. @throws As reads. */
  open<T extends StoredRecord>(store: Store, collection: Collection<T>, copy: RecordCopy<T>): Promise<void>
  /**
   * Resolves when the copies have all changes that the store reported before the call.
   *
   * @throws As reads of the store. The next call reads again what could not be read.
   */
  settled(): Promise<void>
}

export function createFollowing(): Following {
  /** Those that have changes to read. */
  const behind = new Set<Follower>()
  async function catchUp(follower: Follower): Promise<void> {
    await follower.catchUp()
    if (!follower.isBehind) behind.delete(follower)
  }

  return {
    async open<T extends StoredRecord>(store: Store, collection: Collection<T>, copy: RecordCopy<T>) {
      const follower = new Follower(store, collection, copy)
      let stop = (): void => {}
      // Before the first read, so that nothing is missed between the two.
      if (store.isShared) {
        stop = store.changes(
          (change) => {
            follower.note(change)
            behind.add(follower)
            // After an error it stays in `behind`; `settled` reads it again and throws.
            catchUp(follower).catch(() => {})
          },
          { of: collection },
        )
      }
      try {
        await follower.catchUp()
      } catch (error) {
        stop()
        behind.delete(follower)
        throw error
      }
    },
    async settled() {
      await Promise.all(Array.from(behind, catchUp))
    },
  }
}

/** Reads the changes of one collection into its copy. */
class Follower {
  readonly #store: Store
  readonly #collection: Collection<StoredRecord>
  readonly #copy: RecordCopy<StoredRecord>
  /** The ids of records that changed since they were read. */
  #changed: Set<string> = new Set()
  /** Whether all records have to be read, because the changes are not known one by one. */
  #isAllChanged = true
  #reading: Promise<void> | null = null

  constructor(store: Store, collection: Collection<StoredRecord>, copy: RecordCopy<StoredRecord>) {
    this.#store = store
    this.#collection = collection
    this.#copy = copy
  }

  note(change: StoreChange): void {
    if (change.op === 'gap' || change.op === 'bulk') this.#isAllChanged = true
    else this.#changed.add(change.id)
  }

  /** Whether changes were noted that are not read yet. */
  get isBehind(): boolean {
    return this.#isAllChanged || this.#changed.size > 0 || this.#reading !== null
  }

  /** Reads what was noted, until nothing is left. Calls at the same time share the reads. */
  async catchUp(): Promise<void> {
    // `#readChanged` must await before it sets `#reading` to null, because its promise is assigned after that await has begun.
    if (this.isBehind) await (this.#reading ??= this.#readChanged())
  }

  async #readChanged(): Promise<void> {
    while (this.#isAllChanged || this.#changed.size > 0) {
      const [isAll, ids] = [this.#isAllChanged, this.#changed]
      this.#isAllChanged = false
      this.#changed = new Set()
      try {
        if (isAll) await this.#readAll()
        else for (const id of ids) await this.#readOne(id)
      } catch (error) {
        this.#isAllChanged ||= isAll
        for (const id of ids) this.#changed.add(id)
        this.#reading = null
        throw error
      }
    }
    // In the same turn as the last look: what is noted from now on is read by the next call.
    this.#reading = null
  }

  async #readOne(id: string): Promise<void> {
    const record = await this.#store.get(this.#collection, id)
    if (record) await this.#copy.put(record)
    else this.#copy.remove(id)
  }

  async #readAll(): Promise<void> {
    const gone = new Set(this.#copy.ids())
    for await (const records of pagesOf(this.#store, this.#collection, { limit: 500 }))
      await forEachSlice(records, (record) => {
        gone.delete(record.id)
        return this.#copy.put(record)
      })
    for (const id of gone) this.#copy.remove(id)
  }
}
