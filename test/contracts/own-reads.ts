import { expect } from 'vitest'
import { insert } from '../../src/store/store.ts'
import { note, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** What the adapters add to the contract that keep the records in this process: nothing is read before it is stored. */
export function describeOwnReads(test: StoreTest): void {
  test('a commit is invisible before it resolves', async ({ store }) => {
    const done = store.commit([insert(notes, note(1))])
    expect(await store.get(notes, 'n_00001')).toBeNull()
    await done
    expect(await store.get(notes, 'n_00001')).not.toBeNull()
  })
}
