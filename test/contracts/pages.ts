import { describe, expect } from 'vitest'
import { insert, put, remove, type Store } from '../../src/store/store.ts'
import { note, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** The contract of pages and counts: orders, bounds, conditions, and reads during writes. */
export function describePages(test: StoreTest): void {
  describe('pages and counts', () => {
    test('the id index is ascending by default, 50 to the page', async ({ store, add }) => {
      await add(...Array.from({ length: 60 }, (_, i) => 60 - i))
      const page = await store.page(notes)
      expect(page.records).toHaveLength(50)
      expect(page.more).toBe(true)
      expect(page.records[0]?.id).toBe('n_00001')
      expect(page.records.at(-1)?.id).toBe('n_00050')
    })

    test('pages follow each other without a gap in both directions, also where the last record was removed', async ({
      store,
      add,
      ids,
    }) => {
      await add(1, 2, 3, 4, 5)
      expect(await ids({ direction: 'desc', limit: 2 })).toEqual(['n_00005', 'n_00004'])
      await store.commit([remove(notes, 'n_00004')])
      expect(await ids({ direction: 'desc', limit: 2, after: ['n_00004'] })).toEqual(['n_00003', 'n_00002'])
      expect(await ids({ limit: 2, after: ['n_00002'] })).toEqual(['n_00003', 'n_00005'])
      expect(await ids({ after: ['n_00005'] })).toEqual([])
      expect((await store.page(notes, { limit: 4 })).more).toBe(false)
    })

    test('a prefix, a bound and a position after a key all narrow the page', async ({ store, add, ids }) => {
      for (let n = 1; n <= 6; n++)
        await store.commit([insert(notes, note(n, { due: n * 10, group: n % 2 ? 'odd' : 'even' }))])
      await add(7)
      expect(await ids({ index: 'due', until: [30] })).toEqual(['n_00001', 'n_00002', 'n_00003'])
      expect(await ids({ index: 'due', until: [30], direction: 'desc', limit: 1 })).toEqual(['n_00003'])
      expect(await ids({ index: 'due', after: [30, 'n_00003'] })).toEqual(['n_00004', 'n_00005', 'n_00006'])
      expect(await ids({ index: 'due', after: [30], direction: 'desc' })).toEqual(['n_00002', 'n_00001'])
      expect(await ids({ index: 'name', prefix: ['odd'] })).toEqual(['n_00001', 'n_00003', 'n_00005'])
      expect(await ids({ index: 'name', prefix: ['odd'], after: ['odd', 'name 00003'] })).toEqual(['n_00005'])
      expect(
        await ids({ index: 'name', prefix: ['odd'], after: ['odd', 'name 00003'], direction: 'desc' }),
      ).toEqual(['n_00001'])
      expect(await ids({ index: 'name', prefix: ['none'] })).toEqual([])
    })

    test('values are ordered by kind: false before true, numbers by value, strings by code unit', async ({
      store,
      ids,
    }) => {
      await store.commit([
        insert(notes, note(1, { seen: true, due: 9 })),
        insert(notes, note(2, { seen: false, due: 10 })),
        insert(notes, note(3, { seen: true, due: -1, name: 'B' })),
        insert(notes, note(4, { seen: true, due: 100, name: 'a' })),
      ])
      expect(await ids({ index: 'seen' })).toEqual(['n_00002', 'n_00003', 'n_00004', 'n_00001'])
      expect(await ids({ index: 'due' })).toEqual(['n_00003', 'n_00001', 'n_00002', 'n_00004'])
    })

    test('a record without a value is not in the index, and enters and leaves with it', async ({
      store,
      add,
      ids,
    }) => {
      await add(1)
      expect(await ids({ index: 'due' })).toEqual([])
      await store.commit([put(notes, note(1, { due: 5 }))])
      expect(await ids({ index: 'due' })).toEqual(['n_00001'])
      await store.commit([put(notes, note(1))])
      expect(await store.count(notes, { index: 'due' })).toBe(0)
    })

    test('counts are of all, of a prefix and of a condition', async ({ store }) => {
      await store.commit(
        [1, 2, 3, 4, 5].map((n) => insert(notes, note(n, { seen: n > 3, group: n === 5 ? 'h' : 'g' }))),
      )
      expect(await store.count(notes)).toBe(5)
      expect(await store.count(notes, { index: 'seen', prefix: ['g', false] })).toBe(3)
      expect(await store.count(notes, { index: 'name', prefix: ['h'] })).toBe(1)
      expect(await store.count(notes, { until: ['n_00002'] })).toBe(2)
      expect(await store.count(notes, { until: ['n_000025'] })).toBe(2)
      expect(await store.count(notes, { prefix: ['n_00003'], until: ['n_00002'] })).toBe(0)
      expect(await store.count(notes, { where: { member: 'seen', equals: true } })).toBe(2)
    })

    test('a condition with another index than `id` is an error of the caller', async ({ store }) => {
      const query = { index: 'name', where: { member: 'seen', equals: true } } as const
      const all = [store.count(notes, query), store.page(notes, query), store.ids(notes, query)]
      for (const one of all) await expect(one).rejects.toMatchObject({ code: 'internal_error' })
    })

    test('a condition is applied before the limit, and `more` counts matches only', async ({ store }) => {
      await store.commit(Array.from({ length: 30 }, (_, n) => insert(notes, note(n, { seen: n % 3 === 0 }))))
      const query = { where: { member: 'seen', equals: true }, limit: 5 } as const
      const first = await store.page(notes, query)
      expect(first.records.map((record) => record.id)).toEqual([
        'n_00000',
        'n_00003',
        'n_00006',
        'n_00009',
        'n_00012',
      ])
      expect(first.more).toBe(true)
      const second = await store.page(notes, { ...query, after: ['n_00012'] })
      expect(second.records).toHaveLength(5)
      expect(second.more).toBe(false)
    })

    test('every kind of condition works', async ({ store, ids }) => {
      await store.commit([
        insert(notes, note(1, { due: 5, tags: ['Red', 'blue'], name: 'Ünë "quoted"' })),
        insert(notes, note(2, { due: 10, tags: [] })),
        insert(notes, note(3)),
      ])
      const all = async (where: Parameters<Store['page']>[1] & object): Promise<string> =>
        (await ids(where)).map((id) => id.at(-1)).join('')
      expect(await all({ where: { member: 'due', equals: 10 } })).toBe('2')
      expect(await all({ where: { member: 'due', equals: null } })).toBe('3')
      expect(await all({ where: { member: 'absent', equals: null } })).toBe('123')
      expect(await all({ where: { member: 'name', equals: 'Ünë "quoted"' } })).toBe('1')
      expect(await all({ where: { member: 'name', contains: 'ÜNË' } })).toBe('1')
      expect(await all({ where: { member: 'tags', contains: 'red' } })).toBe('1')
      expect(await all({ where: { not: { member: 'tags', contains: 'red' } } })).toBe('23')
      expect(
        await all({
          where: {
            any: [
              { member: 'due', equals: 5 },
              { member: 'due', equals: null },
            ],
          },
        }),
      ).toBe('13')
      expect(
        await all({
          where: { all: [{ not: { member: 'due', equals: null } }, { not: { member: 'due', equals: 5 } }] },
        }),
      ).toBe('2')
      expect(await all({ where: { all: [] } })).toBe('123')
      expect(await all({ where: { any: [] } })).toBe('')
    })

    test('many simultaneous changes keep every order', async ({ store, ids }) => {
      const numbers = Array.from({ length: 500 }, (_, i) => (i * 7919) % 500)
      await store.commit(numbers.map((n) => insert(notes, note(n, { due: 500 - n }))))
      await store.commit([
        ...numbers.filter((n) => n % 3 === 0).map((n) => remove(notes, note(n).id)),
        ...numbers.filter((n) => n % 3 === 1).map((n) => put(notes, note(n, { due: n, seen: true }))),
        ...numbers.filter((n) => n % 3 === 0).map((n) => insert(notes, note(n + 1000, { due: n }))),
      ])
      const expected = [
        ...numbers.filter((n) => n % 3 !== 0),
        ...numbers.filter((n) => n % 3 === 0).map((n) => n + 1000),
      ]
      expect(await ids({ limit: 1000 })).toEqual(expected.map((n) => note(n).id).sort())
      const { records } = await store.page(notes, { index: 'due', limit: 1000 })
      const keys = records.map((record) => [record.due, record.id] as const)
      expect(keys).toEqual([...keys].sort((a, b) => Number(a[0]) - Number(b[0]) || (a[1] < b[1] ? -1 : 1)))
      expect(records).toHaveLength(500)
      expect(await store.count(notes, { index: 'seen', prefix: ['g', true] })).toBe(167)
    })

    test('an unknown index is an error of the caller', async ({ store }) => {
      await expect(store.page(notes, { index: 'nope' })).rejects.toMatchObject({ code: 'internal_error' })
    })
  })
}
