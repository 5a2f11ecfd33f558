import { test, type TestAPI } from 'vitest'
import { type Collection, insert, type Store, type StoredRecord } from '../../src/store/store.ts'
import { flagged, labels, note, notes } from './notes.ts'

/** Opens an empty store with these collections; the suite closes it. */
export type OpenStore = (collections: readonly Collection<StoredRecord>[]) => Promise<Store>

interface Opened {
  store: Store
  /** Inserts notes of these numbers, in one commit. */
  add: (...numbers: number[]) => Promise<void>
  /** The ids of a page of notes. */
  ids: (query: Parameters<Store['page']>[1]) => Promise<string[]>
}

/** A test of the contract, with an empty store of its own. */
export type StoreTest = TestAPI<Opened>

/** Makes the tests of one adapter. */
export function storeTest(open: OpenStore): StoreTest {
  return test.extend<Opened>({
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures it uses there
    store: async ({}, use) => {
      const store = await open([notes, labels, flagged])
      await use(store)
      await store.close()
    },
    add: ({ store }, use) => use((...numbers) => store.commit(numbers.map((n) => insert(notes, note(n))))),
    ids: ({ store }, use) =>
      use(async (query) => (await store.page(notes, query)).records.map((record) => record.id)),
  })
}
