import { forEachSlice } from '../core/slices.ts'
import type { Collection, Store, StoredRecord } from './store.ts'
import { pagesOf } from './repository.ts'

/** A copy in memory of the records of a small collection. Its methods may be called again for the same record. */
export interface Memory<T extends StoredRecord> {
  ids(): Iterable<string>
  put(record: T): void | Promise<void>
  remove(id: string): void
}

/**
 * Keeps copies in memory up to date while other instances change the store. If only this process uses the store, the
 * records are read once: the code that changes them changes the copy as well.
 */
export interface Following {
  /** Reads all records of a collection, and follows their changes until the listeners of the store end. @throws As reads. */
  open<T extends StoredRecord>(store: Store, collection: Collection<T>, memory: Memory<T>): Promise<void>
  /**
   * Resolves when memory has all changes that the store reported before the call.
   *
   * @throws As reads of the store. The next call reads again what could not be read.
   */
  settled(): Promise<void>
}

export function createFollowing(): Following {
  /** For each collection that has changes to read: reads them. */
  const behind = new Set<() => Promise<void>>()

  return {
    async open(store, collection, memory) {
      const noted = new Set<string>()
      let isAll: boolean = true
      let reading: Promise<void> | null = null

      async function readOne(id: string): Promise<void> {
        const record = await store.get(collection, id)
        if (record) await memory.put(record)
        else memory.remove(id)
      }

      async function readAll(): Promise<void> {
        const gone = new Set(memory.ids())
        for await (const records of pagesOf(store, collection, { limit: 500 }))
          await forEachSlice(records, (record) => {
            gone.delete(record.id)
            return memory.put(record)
          })
        for (const id of gone) memory.remove(id)
      }

      async function readNoted(): Promise<void> {
        while (isAll || noted.size > 0) {
          const ids = [...noted]
          noted.clear()
          const wasAll = isAll
          isAll = false
          try {
            if (wasAll) await readAll()
            else for (const id of ids) await readOne(id)
          } catch (error) {
            isAll ||= wasAll
            for (const id of ids) noted.add(id)
            throw error
          }
        }
      }

      /** Reads what was noted, until nothing is left. Calls at the same time share the reads. */
      const catchUp = (): Promise<void> => (reading ??= readNoted().finally(() => (reading = null)))

      let stop = (): void => {}
      // Before the first read, so that nothing is missed between the two.
      if (store.isShared) {
        stop = store.changes(
          (change) => {
            if (change.op === 'gap' || change.op === 'bulk') isAll = true
            else noted.add(change.id)
            behind.add(catchUp)
            // After an error it stays in `behind`; `settled` reads it again and throws.
            catchUp().then(
              () => void behind.delete(catchUp),
              () => {},
            )
          },
          { of: collection },
        )
      }
      try {
        await catchUp()
      } catch (error) {
        stop()
        behind.delete(catchUp)
        throw error
      }
    },
    async settled() {
      await Promise.all(
        Array.from(behind, async (catchUp) => {
          await catchUp()
          behind.delete(catchUp)
        }),
      )
    },
  }
}
