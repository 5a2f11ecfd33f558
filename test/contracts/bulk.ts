import { describe, expect } from 'vitest'
import { blobOf, insert, remove, type StoreChange, update } from '../../src/store/store.ts'
import { type Note, note, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

const see = (record: Note): Note => ({ ...record, seen: true })

/** The contract of bulk changes, and of reading ids alone. */
export function describeBulk(test: StoreTest): void {
  describe('bulk changes', () => {
    test('change and remove records by their ids; ids without a record are skipped', async ({
      store,
      add,
      ids,
    }) => {
      await add(1, 2, 3, 4)
      expect(await store.bulk(notes, ['n_00003', 'n_00009', 'n_00001'], see)).toBe(2)
      expect(await ids({ index: 'seen', prefix: ['g', true] })).toEqual(['n_00001', 'n_00003'])
      expect(await store.get(notes, 'n_00001')).toMatchObject({ seen: true, version: 2 })
      expect(await store.bulk(notes, ['n_00001', 'n_00009', 'n_00004'], 'remove')).toBe(2)
      expect(await store.ids(notes)).toEqual(['n_00002', 'n_00003'])
      expect(await store.bulk(notes, [], 'remove')).toBe(0)
    })

    test('records that a change leaves as they are keep their version and are not announced', async ({
      store,
      add,
    }) => {
      await add(1, 2)
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change))
      const changed = await store.bulk(notes, ['n_00001', 'n_00002'], (one) =>
        one.id === 'n_00001' ? one : see(one),
      )
      expect(changed).toBe(1)
      expect((await store.get(notes, 'n_00001'))?.version).toBe(1)
      expect(heard).toMatchObject([{ op: 'update', collection: 'notes', id: 'n_00002' }])
    })

    test('go through in several commits, report progress, and tell listeners of commits instead of records', async ({
      store,
    }) => {
      const numbers = Array.from({ length: 3000 }, (_, n) => n)
      await store.commit(numbers.map((n) => insert(notes, note(n))))
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change))
      const done: number[] = []
      const all = await store.ids(notes)
      expect(await store.bulk(notes, all, see, { onProgress: (count) => done.push(count) })).toBe(3000)
      expect(done.length).toBeGreaterThan(2)
      expect(done.at(-1)).toBe(3000)
      expect(done).toEqual([...done].sort((a, b) => a - b))
      expect(heard.every(({ op }) => op === 'bulk')).toBe(true)
      expect(heard).toHaveLength(done.length + 1)
      expect(heard.reduce((sum, change) => sum + (change.op === 'bulk' ? change.updated : 0), 0)).toBe(3000)
      expect(heard.at(-1)).toMatchObject({ isLast: true })
      expect(await store.count(notes, { index: 'seen', prefix: ['g', true] })).toBe(3000)
    })

    test('keep changes that other commits make meanwhile, and skip what they remove', async ({ store }) => {
      const numbers = Array.from({ length: 2000 }, (_, n) => n)
      await store.commit(numbers.map((n) => insert(notes, note(n))))
      const done = store.bulk(notes, await store.ids(notes), see)
      const others = numbers.map(async (n) => {
        if (n % 3 === 0) return store.commit([remove(notes, note(n).id)])
        for (;;) {
          const record = await store.get(notes, note(n).id)
          if (!record) throw new Error('gone')
          try {
            return await store.commit([update(notes, { ...record, due: n })])
          } catch {
            // The bulk change was first: the next attempt has its record.
          }
        }
      })
      await Promise.all([done, ...others])
      const { records } = await store.page(notes, { limit: 3000 })
      expect(records).toHaveLength(numbers.filter((n) => n % 3 !== 0).length)
      expect(records.every(({ seen, due, id }) => seen && note(due ?? -1).id === id)).toBe(true)
    })

    test('stop before the next commit when they are aborted, and say how many were changed', async ({
      store,
    }) => {
      await store.commit(Array.from({ length: 3000 }, (_, n) => insert(notes, note(n))))
      const abort = new AbortController()
      const changed = await store.bulk(notes, await store.ids(notes), see, {
        signal: abort.signal,
        onProgress: () => abort.abort(),
      })
      expect(changed).toBeGreaterThan(0)
      expect(changed).toBeLessThan(3000)
      expect(await store.count(notes, { index: 'seen', prefix: ['g', true] })).toBe(changed)
      expect(await store.bulk(notes, ['n_00001'], 'remove', { signal: AbortSignal.abort() })).toBe(0)
    })

    test('keep the blobs of changed records, and remove those of removed ones', async ({ store }) => {
      for (const n of [1, 2]) {
        const id = note(n).id
        await store.commit([insert(notes, note(n))], [blobOf(`${id}/message`, `message ${n}`)])
      }
      await store.bulk(notes, ['n_00001'], see)
      await store.bulk(notes, ['n_00002'], 'remove')
      expect((await store.readBlob('n_00001/message'))?.toString()).toBe('message 1')
      expect(await store.readBlob('n_00002/message')).toBeNull()
    })

    test('are refused where a unique key would be taken twice; what came before stays', async ({
      store,
      add,
    }) => {
      await add(1, 2)
      const same = (record: Note): Note => ({ ...record, name: 'one' })
      await expect(store.bulk(notes, ['n_00001', 'n_00002'], same)).rejects.toMatchObject({
        code: 'unique_conflict',
      })
      expect((await store.get(notes, 'n_00001'))?.name).toBe('name 00001')
    })
  })

  describe('ids', () => {
    test('are those of a page, in its order, and all without a limit', async ({ store, add }) => {
      await add(...Array.from({ length: 60 }, (_, n) => n))
      expect(await store.ids(notes)).toHaveLength(60)
      expect(await store.ids(notes, { direction: 'desc', limit: 2 })).toEqual(['n_00059', 'n_00058'])
      expect(await store.ids(notes, { index: 'name', prefix: ['none'] })).toEqual([])
      const where = { member: 'id', equals: 'n_00007' } as const
      expect(await store.ids(notes, { where })).toEqual(['n_00007'])
    })
  })

  describe('an offset', () => {
    test('skips records in the direction of the page, with and without bounds and conditions', async ({
      store,
      ids,
    }) => {
      for (let n = 0; n < 10; n++)
        await store.commit([insert(notes, note(n, { due: n, group: n % 2 ? 'odd' : 'even' }))])
      expect(await ids({ offset: 4, limit: 2 })).toEqual(['n_00004', 'n_00005'])
      expect(await ids({ offset: 4, limit: 2, direction: 'desc' })).toEqual(['n_00005', 'n_00004'])
      expect(await ids({ offset: 9, limit: 2 })).toEqual(['n_00009'])
      expect(await ids({ offset: 9, limit: 2, direction: 'desc' })).toEqual(['n_00000'])
      expect(await ids({ offset: 10 })).toEqual([])
      expect(await ids({ offset: 1e9, direction: 'desc' })).toEqual([])
      expect(await ids({ index: 'name', prefix: ['odd'], offset: 3 })).toEqual(['n_00007', 'n_00009'])
      expect(await ids({ after: ['n_00002'], offset: 1, limit: 1 })).toEqual(['n_00004'])
      const where = { member: 'group', equals: 'even' } as const
      expect(await ids({ where, offset: 2, limit: 2 })).toEqual(['n_00004', 'n_00006'])
      expect((await store.page(notes, { offset: 8, limit: 2 })).more).toBe(false)
      expect((await store.page(notes, { offset: 7, limit: 2 })).more).toBe(true)
    })
  })
}
