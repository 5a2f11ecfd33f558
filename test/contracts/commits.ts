import { describe, expect } from 'vitest'
import { insert, put, remove, type StoredRecord, type Collection, update } from '../../src/store/store.ts'
import { labels, note, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** The contract of commits: all or nothing, in order, with versions and unique keys. */
export function describeCommits(test: StoreTest): void {
  describe('commits', () => {
    test('a record is returned as it was given, with version 1', async ({ store }) => {
      const given = note(1, { tags: ['ä', '\u2028', '"'], due: 12.5 })
      await store.commit([insert(notes, given)])
      expect(await store.get(notes, 'n_00001')).toEqual({ ...given, version: 1 })
    })

    test('an unknown id is null', async ({ store }) => {
      expect(await store.get(notes, 'n_00001')).toBeNull()
      expect(await store.find(notes, 'name', ['g', 'x'])).toBeNull()
      await store.commit([insert(labels, { id: '5', title: 'five' })])
      expect(await store.find(labels, 'id', ['5'])).toMatchObject({ title: 'five' })
      expect(await store.find(labels, 'id', [5])).toBeNull()
    })

    test('get answers a copy that belongs to the caller', async ({ store, add }) => {
      await add(1)
      const first = await store.get(notes, 'n_00001')
      first?.tags.push('mine')
      expect((await store.get(notes, 'n_00001'))?.tags).toEqual([])
    })

    test('a record that is changed after the call is stored as it was at the call', async ({ store }) => {
      const given = note(1)
      const done = store.commit([insert(notes, given)])
      given.tags.push('late')
      given.name = 'late'
      await done
      expect(await store.get(notes, 'n_00001')).toMatchObject({ tags: [], name: 'name 00001' })
    })

    test('a commit is visible once it resolves', async ({ store }) => {
      await store.commit([insert(notes, note(1))])
      expect(await store.get(notes, 'n_00001')).not.toBeNull()
    })

    test('put adds a record, then replaces any version, and increments the version', async ({ store }) => {
      await store.commit([put(notes, note(1))])
      await store.commit([put(notes, note(1, { name: 'second' }))])
      expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, name: 'second' })
      expect(await store.count(notes)).toBe(1)
    })

    test('update requires the stored version and increments it', async ({ store, add }) => {
      await add(1)
      const record = await store.get(notes, 'n_00001')
      if (!record) throw new Error('it was inserted')
      await store.commit([update(notes, { ...record, seen: true })])
      expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, seen: true })
      await expect(store.commit([update(notes, record)])).rejects.toMatchObject({
        code: 'version_conflict',
      })
    })

    test('update of a record that is gone is refused', async ({ store }) => {
      await expect(store.commit([update(notes, { ...note(1), version: 1 })])).rejects.toMatchObject({
        code: 'version_conflict',
      })
    })

    test('remove without a version succeeds, also where the record is missing', async ({ store, add }) => {
      await add(1)
      await store.commit([remove(notes, 'n_00001')])
      await store.commit([remove(notes, 'n_00001')])
      expect(await store.count(notes)).toBe(0)
    })

    test('remove with a version is refused unless it is the stored one', async ({ store, add }) => {
      await add(1)
      await expect(store.commit([remove(notes, 'n_00001', 2)])).rejects.toMatchObject({
        code: 'version_conflict',
      })
      await store.commit([remove(notes, 'n_00001', 1)])
      await expect(store.commit([remove(notes, 'n_00001', 1)])).rejects.toMatchObject({
        code: 'version_conflict',
      })
    })

    test('a used id and a used unique key are refused, and the error names the existing record', async ({
      store,
      add,
    }) => {
      await add(1)
      await expect(add(1)).rejects.toMatchObject({ code: 'unique_conflict' })
      const same = note(2, { name: 'name 00001' })
      await expect(store.commit([insert(notes, same)])).rejects.toMatchObject({
        code: 'unique_conflict',
        message: expect.stringContaining('n_00001') as unknown,
      })
      await expect(store.commit([put(notes, same)])).rejects.toMatchObject({ code: 'unique_conflict' })
    })

    test('a refused change rejects the whole commit', async ({ store, add, ids }) => {
      await add(1)
      const commit = store.commit([
        insert(notes, note(2)),
        remove(notes, 'n_00001'),
        insert(labels, { id: 'l', title: 't' }),
        update(notes, { ...note(3), version: 1 }),
      ])
      await expect(commit).rejects.toMatchObject({ code: 'version_conflict' })
      expect(await ids({})).toEqual(['n_00001'])
      expect(await store.count(labels)).toBe(0)
      await store.commit([insert(notes, note(2))])
    })

    test('changes of one commit are applied in order, each on the result of the one before', async ({
      store,
      add,
    }) => {
      await add(1)
      await store.commit([
        remove(notes, 'n_00001'),
        insert(notes, note(2, { name: 'name 00001' })),
        update(notes, { ...note(2, { name: 'again' }), version: 1 }),
        insert(notes, note(3, { name: 'name 00001' })),
      ])
      expect(await store.get(notes, 'n_00002')).toMatchObject({ name: 'again', version: 2 })
      expect((await store.find(notes, 'name', ['g', 'name 00001']))?.id).toBe('n_00003')
    })

    test('a released unique key can be used again, and keys of other groups are separate', async ({
      store,
      add,
    }) => {
      await add(1)
      await store.commit([put(notes, note(1, { name: 'other' }))])
      await store.commit([insert(notes, note(2, { name: 'name 00001' }))])
      await store.commit([insert(notes, note(3, { name: 'name 00001', group: 'h' }))])
      expect(await store.count(notes)).toBe(3)
    })

    test('waiting commits are applied in the order of the calls, and an invalid one is refused alone', async ({
      store,
      ids,
    }) => {
      const results = await Promise.allSettled([
        store.commit([insert(notes, note(1))]),
        store.commit([insert(notes, note(1))]),
        store.commit([update(notes, { ...note(1, { seen: true }), version: 1 })]),
        store.commit([insert(notes, note(2, { name: 'name 00001' }))]),
        store.commit([remove(notes, 'n_00001')]),
        store.commit([insert(notes, note(2, { name: 'name 00001' }))]),
      ])
      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ])
      expect(await ids({})).toEqual(['n_00002'])
    })

    test('of many updates of one version exactly one succeeds', async ({ store, add }) => {
      await add(1)
      const racers = Array.from({ length: 50 }, (_, i) =>
        store.commit([update(notes, { ...note(1, { name: `racer ${i}` }), version: 1 })]),
      )
      const won = (await Promise.allSettled(racers)).filter((result) => result.status === 'fulfilled')
      expect(won).toHaveLength(1)
      expect((await store.get(notes, 'n_00001'))?.version).toBe(2)
    })

    test('an empty commit resolves', async ({ store }) => {
      await store.commit([])
    })

    test('an unknown collection is an error of the caller', async ({ store }) => {
      const unknown: Collection<StoredRecord> = { name: 'unknown', indexes: {} }
      await expect(store.commit([insert(unknown, { id: 'x' })])).rejects.toMatchObject({
        code: 'internal_error',
      })
      await expect(store.get(unknown, 'x')).rejects.toMatchObject({ code: 'internal_error' })
    })
  })
}
