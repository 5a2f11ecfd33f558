import { describe, expect } from 'vitest'
import { insert, remove, type StoreChange, update } from '../../src/store/store.ts'
import { flagged, flaggedNote, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** The contract of flags that a bulk change sets. */
export function describeFlags(test: StoreTest): void {
  describe('flags that a bulk change sets', () => {
    test('are set in records that have the other state, and only these are counted and announced', async ({
      store,
    }) => {
      await store.commit([1, 2, 3, 4].map((n) => insert(flagged, flaggedNote(n, { open: n !== 3 }))))
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change))
      const given = ['n_00004', 'n_00009', 'n_00003', 'n_00001']
      expect(await store.bulk(flagged, given, { flag: 'open', is: false })).toBe(2)
      expect(heard).toMatchObject([
        { op: 'update', collection: 'flagged', id: 'n_00004' },
        { op: 'update', collection: 'flagged', id: 'n_00001' },
      ])
      expect(await store.ids(flagged, { where: { flag: 'open' } })).toEqual(['n_00002'])
      expect(await store.get(flagged, 'n_00003')).toEqual({ ...flaggedNote(3, { open: false }), version: 1 })
      expect(await store.get(flagged, 'n_00004')).toEqual({ ...flaggedNote(4, { open: false }), version: 2 })
      expect(await store.bulk(flagged, given, { flag: 'open', is: false })).toBe(0)
      expect(await store.bulk(flagged, [], { flag: 'open', is: false })).toBe(0)
      expect(await store.bulk(flagged, given, { flag: 'open', is: true })).toBe(3)
      expect(await store.count(flagged, { where: { flag: 'open' } })).toBe(4)
      expect(heard).toHaveLength(5)
    })

    test('leave every other member as it is, whatever its text contains', async ({ store }) => {
      const names = [
        'plain',
        '"open":true',
        '\\"open":true,"version":1',
        'open":true',
        '\u0000 NUL \ud83d\ude00 \ud800 "version":1}',
        `a${'"'.repeat(9)}\\`,
      ]
      const nested = [
        { open: true, version: 1 },
        { '"open': true },
        { 'x"version': 1 },
        null,
        [1.5e300, -0.1],
      ]
      const all = names.flatMap((name, i) =>
        nested.map((more, j) => flaggedNote(i * 10 + j, { name, more, open: (i + j) % 2 === 0 })),
      )
      await store.commit(all.map((one) => insert(flagged, one)))
      const ids = all.map(({ id }) => id)
      for (const [round, is] of [true, false].entries()) {
        await store.bulk(flagged, ids, { flag: 'open', is })
        for (const one of all) {
          const stored = await store.get(flagged, one.id)
          const before = one.open ? 1 : 2
          expect(stored).toEqual({ ...one, open: is, version: before + round })
          expect(Object.keys(stored ?? {})).toEqual([...Object.keys(one), 'version'])
        }
      }
    })

    test('are set where the facts of a record cannot be determined', async ({ store }) => {
      await store.commit([
        insert(flagged, flaggedNote(1, { name: 'broken' })),
        insert(flagged, flaggedNote(2)),
      ])
      expect(await store.bulk(flagged, ['n_00001', 'n_00002'], { flag: 'open', is: false })).toBe(2)
      expect(await store.get(flagged, 'n_00001')).toMatchObject({ open: false, version: 2 })
      expect(await store.bulk(flagged, ['n_00001', 'n_00002'], { flag: 'open', is: false })).toBe(0)
    })

    test('are set in the order of the calls, whatever the state of a record is at the call', async ({
      store,
    }) => {
      await store.commit([1, 2, 3].map((n) => insert(flagged, flaggedNote(n, { open: n !== 2 }))))
      const ids = ['n_00001', 'n_00002']
      const counts = await Promise.all([
        store.bulk(flagged, ids, { flag: 'open', is: false }),
        store.bulk(flagged, ids, { flag: 'open', is: true }),
      ])
      expect(counts).toEqual([1, 2])
      expect((await store.page(flagged)).records.map(({ open, version }) => [open, version])).toEqual([
        [true, 3],
        [true, 2],
        [true, 1],
      ])
      const broken = { ...flaggedNote(3, { open: false, name: 'broken' }), version: 1 }
      await Promise.all([
        store.commit([update(flagged, broken)]),
        store.bulk(flagged, ['n_00003'], { flag: 'open', is: true }),
      ])
      expect(await store.get(flagged, 'n_00003')).toEqual({ ...broken, open: true, version: 3 })
    })

    test('are refused if they are no member of the records', async ({ store, add }) => {
      await add(1)
      await store.commit([insert(flagged, flaggedNote(1))])
      for (const flag of ['short', 'name', 'other'])
        await expect(store.bulk(flagged, ['n_00001'], { flag, is: true })).rejects.toMatchObject({
          code: 'internal_error',
          message: expect.stringContaining(`"${flag}"`) as unknown,
        })
      await expect(store.bulk(notes, ['n_00001'], { flag: 'seen', is: true })).rejects.toMatchObject({
        code: 'internal_error',
      })
      expect(await store.get(flagged, 'n_00001')).toEqual({ ...flaggedNote(1), version: 1 })
    })

    test('that are stored are reported as done, even if the store is closed meanwhile', async ({ store }) => {
      await store.commit([1, 2].map((n) => insert(flagged, flaggedNote(n))))
      const counts: number[] = []
      const ids = ['n_00001', 'n_00002']
      const onProgress = (done: number): void => void counts.push(done)
      const setting = store.bulk(flagged, ids, { flag: 'open', is: false }, { onProgress })
      await store.close()
      expect(await setting).toBe(2)
      expect(counts).toEqual([2])
    })

    test('are set between other commits, and removed records stay removed', async ({ store }) => {
      const numbers = Array.from({ length: 1500 }, (_, n) => n)
      await store.commit(numbers.map((n) => insert(flagged, flaggedNote(n))))
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change))
      const counts: number[] = []
      const setting = store.bulk(
        flagged,
        await store.ids(flagged),
        { flag: 'open', is: false },
        { onProgress: (count) => counts.push(count) },
      )
      const others = numbers.map(async (n) => {
        const { id } = flaggedNote(n)
        if (n % 3 === 0) return store.commit([remove(flagged, id)])
        for (;;) {
          const record = await store.get(flagged, id)
          if (!record) throw new Error('gone')
          try {
            return await store.commit([update(flagged, { ...record, name: `changed ${n}` })])
          } catch {
            // The flag was set first: the next attempt has its record.
          }
        }
      })
      const [set] = await Promise.all([setting, ...others])
      expect(counts.at(-1)).toBe(1500)
      const bulks = heard.filter((change) => change.op === 'bulk')
      expect(bulks.reduce((sum, { updated }) => sum + updated, 0)).toBe(set)
      expect(bulks.at(-1)).toMatchObject({ isLast: true })
      const { records } = await store.page(flagged, { limit: 1500 })
      expect(records).toHaveLength(1000)
      for (const { open, name, version, id } of records)
        expect([open, name.startsWith('changed'), version, id]).toEqual([false, true, 3, id])
      expect(await store.count(flagged, { where: { flag: 'open' } })).toBe(0)
    })
  })
}
