import { describe, expect } from 'vitest'
import { describeBlobs } from './blobs.ts'
import { describeBulk } from './bulk.ts'
import { describeChanges } from './changes.ts'
import { describeCommits } from './commits.ts'
import { describeFlags } from './flags.ts'
import { notes } from './notes.ts'
import { describePages } from './pages.ts'
import { type OpenStore, storeTest } from './store-test.ts'

/** The contract of every adapter of the store. */
export function describeStoreContract(name: string, open: OpenStore): void {
  const test = storeTest(open)
  describe(`the store contract: ${name}`, () => {
    describeCommits(test)
    describePages(test)
    describeBlobs(test)
    describeChanges(test)
    describeBulk(test)
    describeFlags(test)

    describe('closing', () => {
      test('close waits for running commits, then all calls are refused; a second close is the same as the first', async ({
        store,
        add,
      }) => {
        const done = add(1)
        const closed = Promise.all([store.close(), store.close()])
        await done
        await closed
        await expect(store.get(notes, 'n_00001')).rejects.toMatchObject({ code: 'closed' })
        await expect(store.page(notes)).rejects.toMatchObject({ code: 'closed' })
        await expect(store.count(notes)).rejects.toMatchObject({ code: 'closed' })
        await expect(add(2)).rejects.toMatchObject({ code: 'closed' })
        await expect(store.readBlob('a/b')).rejects.toMatchObject({ code: 'closed' })
        expect(() => store.createBlob('a/b')).toThrow(expect.objectContaining({ code: 'closed' }))
        expect(() => store.changes(() => {})).toThrow(expect.objectContaining({ code: 'closed' }))
      })
    })
  })
}
