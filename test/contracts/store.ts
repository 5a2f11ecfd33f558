import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  blobOf,
  type BlobId,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoreChange,
  type StoredRecord,
  update,
} from '../../src/store/store.ts'

/** A record of the suite's own: what an email and a contact have in common. */
export interface Note extends StoredRecord {
  group: string
  name: string
  due: number | null
  seen: boolean
  tags: string[]
}

/** A large collection with every kind of index. */
export const notes: Collection<Note> = {
  name: 'notes',
  large: true,
  indexes: {
    name: { on: ['group', 'name'], unique: true },
    due: { on: ['due', 'id'] },
    seen: { on: ['group', 'seen', 'name'] },
  },
}

/** A small collection. */
export const labels: Collection<StoredRecord & { title: string }> = {
  name: 'labels',
  indexes: { title: { on: ['title'], unique: true } },
}

/** A note whose members follow from its number, so that orders are easy to tell. */
export function note(n: number, members: Partial<Note> = {}): Omit<Note, 'version'> {
  const digits = String(n).padStart(5, '0')
  return {
    id: `n_${digits}`,
    group: 'g',
    name: `name ${digits}`,
    due: null,
    seen: false,
    tags: [],
    ...members,
  }
}

/** Bytes that differ at every place. */
export function pattern(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let i = 0, x = seed; i < size; i++) bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >>> 16
  return bytes
}

/**
 * What every adapter of the store promises.
 *
 * @param open  Opens an empty store with these collections; the suite closes it.
 */
export function describeStoreContract(
  name: string,
  open: (collections: readonly Collection<StoredRecord>[]) => Promise<Store>,
): void {
  describe(`the store contract: ${name}`, () => {
    let store: Store
    beforeEach(async () => {
      store = await open([notes, labels])
    })
    afterEach(() => store.close())

    const add = (...numbers: number[]): Promise<void> =>
      store.commit(numbers.map((n) => insert(notes, note(n))))
    const ids = async (query: Parameters<Store['page']>[1]): Promise<string[]> =>
      (await store.page(notes, query)).records.map((record) => record.id)

    describe('commits', () => {
      test('a record comes back as it was given, with version 1', async () => {
        const given = note(1, { tags: ['ä', '\u2028', '"'], due: 12.5 })
        await store.commit([insert(notes, given)])
        expect(await store.get(notes, 'n_00001')).toEqual({ ...given, version: 1 })
      })

      test('an unknown id is null', async () => {
        expect(await store.get(notes, 'n_00001')).toBeNull()
        expect(await store.find(notes, 'name', ['g', 'x'])).toBeNull()
      })

      test('what get answers is the own copy of the caller', async () => {
        await add(1)
        const first = await store.get(notes, 'n_00001')
        first?.tags.push('mine')
        expect((await store.get(notes, 'n_00001'))?.tags).toEqual([])
      })

      test('a record that is changed after the call is stored as it was at the call', async () => {
        const given = note(1)
        const done = store.commit([insert(notes, given)])
        given.tags.push('late')
        given.name = 'late'
        await done
        expect(await store.get(notes, 'n_00001')).toMatchObject({ tags: [], name: 'name 00001' })
      })

      test('a commit is visible to none before it resolves and to all after', async () => {
        const done = store.commit([insert(notes, note(1))])
        expect(await store.get(notes, 'n_00001')).toBeNull()
        await done
        expect(await store.get(notes, 'n_00001')).not.toBeNull()
      })

      test('put adds, then replaces whatever the version, and counts versions on', async () => {
        await store.commit([put(notes, note(1))])
        await store.commit([put(notes, note(1, { name: 'second' }))])
        expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, name: 'second' })
        expect(await store.count(notes)).toBe(1)
      })

      test('update takes the stored version and makes the next', async () => {
        await add(1)
        const record = await store.get(notes, 'n_00001')
        if (!record) throw new Error('it was inserted')
        await store.commit([update(notes, { ...record, seen: true })])
        expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, seen: true })
        await expect(store.commit([update(notes, record)])).rejects.toMatchObject({
          code: 'version_conflict',
        })
      })

      test('update of a record that is gone is refused', async () => {
        await expect(store.commit([update(notes, { ...note(1), version: 1 })])).rejects.toMatchObject({
          code: 'version_conflict',
        })
      })

      test('remove without a version removes, and is content when the record is gone', async () => {
        await add(1)
        await store.commit([remove(notes, 'n_00001')])
        await store.commit([remove(notes, 'n_00001')])
        expect(await store.count(notes)).toBe(0)
      })

      test('remove with a version is refused unless it is the stored one', async () => {
        await add(1)
        await expect(store.commit([remove(notes, 'n_00001', 2)])).rejects.toMatchObject({
          code: 'version_conflict',
        })
        await store.commit([remove(notes, 'n_00001', 1)])
        await expect(store.commit([remove(notes, 'n_00001', 1)])).rejects.toMatchObject({
          code: 'version_conflict',
        })
      })

      test('a taken id and a taken unique key are refused, and the error names the holder', async () => {
        await add(1)
        await expect(add(1)).rejects.toMatchObject({ code: 'unique_conflict' })
        const same = note(2, { name: 'name 00001' })
        await expect(store.commit([insert(notes, same)])).rejects.toMatchObject({
          code: 'unique_conflict',
          message: expect.stringContaining('n_00001') as unknown,
        })
        await expect(store.commit([put(notes, same)])).rejects.toMatchObject({ code: 'unique_conflict' })
      })

      test('a refused change takes the whole commit with it', async () => {
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

      test('changes of one commit build on each other in their order', async () => {
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

      test('a unique key that a change gives up is free, and one in another group never was taken', async () => {
        await add(1)
        await store.commit([put(notes, note(1, { name: 'other' }))])
        await store.commit([insert(notes, note(2, { name: 'name 00001' }))])
        await store.commit([insert(notes, note(3, { name: 'name 00001', group: 'h' }))])
        expect(await store.count(notes)).toBe(3)
      })

      test('commits that wait together are taken in the order of the calls, and a bad one is refused alone', async () => {
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

      test('of many that race for one version exactly one wins', async () => {
        await add(1)
        const racers = Array.from({ length: 50 }, (_, i) =>
          store.commit([update(notes, { ...note(1, { name: `racer ${i}` }), version: 1 })]),
        )
        const won = (await Promise.allSettled(racers)).filter((result) => result.status === 'fulfilled')
        expect(won).toHaveLength(1)
        expect((await store.get(notes, 'n_00001'))?.version).toBe(2)
      })

      test('an empty commit resolves', async () => {
        await store.commit([])
      })

      test('a collection that the store was not opened with is a fault of the caller', async () => {
        const unknown: Collection<StoredRecord> = { name: 'unknown', indexes: {} }
        await expect(store.commit([insert(unknown, { id: 'x' })])).rejects.toMatchObject({
          code: 'internal_error',
        })
        await expect(store.get(unknown, 'x')).rejects.toMatchObject({ code: 'internal_error' })
      })
    })

    describe('pages and counts', () => {
      test('the id index is ascending by default, 50 to the page', async () => {
        await add(...Array.from({ length: 60 }, (_, i) => 60 - i))
        const page = await store.page(notes)
        expect(page.records).toHaveLength(50)
        expect(page.more).toBe(true)
        expect(page.records[0]?.id).toBe('n_00001')
        expect(page.records.at(-1)?.id).toBe('n_00050')
      })

      test('pages follow each other without a gap in both directions, whether or not the last record is there', async () => {
        await add(1, 2, 3, 4, 5)
        expect(await ids({ direction: 'desc', limit: 2 })).toEqual(['n_00005', 'n_00004'])
        await store.commit([remove(notes, 'n_00004')])
        expect(await ids({ direction: 'desc', limit: 2, after: ['n_00004'] })).toEqual(['n_00003', 'n_00002'])
        expect(await ids({ limit: 2, after: ['n_00002'] })).toEqual(['n_00003', 'n_00005'])
        expect(await ids({ after: ['n_00005'] })).toEqual([])
        expect((await store.page(notes, { limit: 4 })).more).toBe(false)
      })

      test('a prefix, a bound and a place after a key all narrow the page', async () => {
        for (let n = 1; n <= 6; n++)
          await store.commit([insert(notes, note(n, { due: n * 10, group: n % 2 ? 'odd' : 'even' }))])
        await add(7)
        expect(await ids({ index: 'due', until: [30] })).toEqual(['n_00001', 'n_00002', 'n_00003'])
        expect(await ids({ index: 'due', until: [30], direction: 'desc', limit: 1 })).toEqual(['n_00003'])
        expect(await ids({ index: 'due', after: [30, 'n_00003'] })).toEqual(['n_00004', 'n_00005', 'n_00006'])
        expect(await ids({ index: 'due', after: [30], direction: 'desc' })).toEqual(['n_00002', 'n_00001'])
        expect(await ids({ index: 'name', prefix: ['odd'] })).toEqual(['n_00001', 'n_00003', 'n_00005'])
        expect(await ids({ index: 'name', prefix: ['odd'], after: ['odd', 'name 00003'] })).toEqual([
          'n_00005',
        ])
        expect(
          await ids({ index: 'name', prefix: ['odd'], after: ['odd', 'name 00003'], direction: 'desc' }),
        ).toEqual(['n_00001'])
        expect(await ids({ index: 'name', prefix: ['none'] })).toEqual([])
      })

      test('values are ordered by kind: false before true, numbers by value, strings by code unit', async () => {
        await store.commit([
          insert(notes, note(1, { seen: true, due: 9 })),
          insert(notes, note(2, { seen: false, due: 10 })),
          insert(notes, note(3, { seen: true, due: -1, name: 'B' })),
          insert(notes, note(4, { seen: true, due: 100, name: 'a' })),
        ])
        expect(await ids({ index: 'seen' })).toEqual(['n_00002', 'n_00003', 'n_00004', 'n_00001'])
        expect(await ids({ index: 'due' })).toEqual(['n_00003', 'n_00001', 'n_00002', 'n_00004'])
      })

      test('a record without a value is not in the index, and comes and goes with it', async () => {
        await add(1)
        expect(await ids({ index: 'due' })).toEqual([])
        await store.commit([put(notes, note(1, { due: 5 }))])
        expect(await ids({ index: 'due' })).toEqual(['n_00001'])
        await store.commit([put(notes, note(1))])
        expect(await store.count(notes, { index: 'due' })).toBe(0)
      })

      test('counts are of all, of a prefix and of a condition', async () => {
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
        expect(
          await store.count(notes, { index: 'name', prefix: ['g'], where: { member: 'seen', equals: true } }),
        ).toBe(1)
      })

      test('a condition selects before the limit, and more tells of matches alone', async () => {
        await store.commit(
          Array.from({ length: 30 }, (_, n) => insert(notes, note(n, { seen: n % 3 === 0 }))),
        )
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

      test('every form of a condition', async () => {
        await store.commit([
          insert(notes, note(1, { due: 5, tags: ['Red', 'blue'], name: 'Ünë "quoted"' })),
          insert(notes, note(2, { due: 10, tags: [] })),
          insert(notes, note(3)),
        ])
        const all = async (where: Parameters<Store['page']>[1] & object): Promise<string> =>
          (await ids(where)).map((id) => id.at(-1)).join('')
        expect(await all({ where: { member: 'due', above: 5 } })).toBe('2')
        expect(await all({ where: { member: 'due', below: 10 } })).toBe('1')
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
          await all({ where: { all: [{ member: 'due', above: 1 }, { not: { member: 'due', equals: 5 } }] } }),
        ).toBe('2')
        expect(await all({ where: { all: [] } })).toBe('123')
        expect(await all({ where: { any: [] } })).toBe('')
      })

      test('many changes at once keep every order', async () => {
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

      test('a long scan lets the event loop turn and misses nothing while others write', async () => {
        await store.commit(
          Array.from({ length: 20_000 }, (_, n) => insert(notes, note(n * 2, { tags: ['x'.repeat(50)] }))),
        )
        let turns = 0
        const counting = { now: true }
        const count = store.count(notes, { where: { member: 'tags', contains: 'x' } }).finally(() => {
          counting.now = false
        })
        for (; counting.now; turns++) {
          if (turns === 1) void store.commit([insert(notes, note(1)), remove(notes, note(0).id)])
          await turn()
        }
        expect(turns).toBeGreaterThan(2)
        expect(Math.abs((await count) - 20_000)).toBeLessThanOrEqual(1)
      })

      test.each(['asc', 'desc'] as const)(
        'a scan while others write sees every record that stays exactly once (%s)',
        async (direction) => {
          const stay = Array.from({ length: 3000 }, (_, n) => n * 3)
          await store.commit(stay.map((n) => insert(notes, note(n, { seen: true }))))
          const page = store.page(notes, {
            direction,
            limit: 10_000,
            where: { member: 'seen', equals: true },
          })
          const writes = stay.map((n) =>
            store.commit([insert(notes, note(n + 1)), insert(notes, note(n + 2))]),
          )
          const { records } = await page
          const expected = stay.map((n) => note(n).id)
          expect(records.map((record) => record.id)).toEqual(
            direction === 'asc' ? expected : expected.reverse(),
          )
          await Promise.all(writes)
        },
      )

      test('an unknown index is a fault of the caller', async () => {
        await expect(store.page(notes, { index: 'nope' })).rejects.toMatchObject({ code: 'internal_error' })
      })
    })

    describe('blobs', () => {
      const id: BlobId = 'n_00001/message'
      const read = async (of: BlobId = id): Promise<string | null> =>
        (await store.readBlob(of))?.toString() ?? null

      test('bytes come back whole, in part, and with their size', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, 'hello world')])
        expect(await read()).toBe('hello world')
        expect(await store.blobSize(id)).toBe(11)
        const part = async (range?: { start?: number; end?: number }): Promise<string> => {
          const stream = await store.openBlob(id, range)
          return stream ? await text(stream) : 'null'
        }
        expect(await part()).toBe('hello world')
        expect(await part({ start: 6 })).toBe('world')
        expect(await part({ end: 5 })).toBe('hello')
        expect(await part({ start: 4, end: 7 })).toBe('o w')
        expect(await part({ start: 11 })).toBe('')
        expect(await part({ start: 5, end: 500 })).toBe(' world')
      })

      test('a blob that is not there is null everywhere', async () => {
        await add(1)
        expect(await store.readBlob(id)).toBeNull()
        expect(await store.openBlob(id)).toBeNull()
        expect(await store.blobSize(id)).toBeNull()
        expect(await store.blobSize('nobody/message')).toBeNull()
      })

      test('blobs are no members of the record', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, 'x')])
        expect(await store.get(notes, 'n_00001')).toEqual({ ...note(1), version: 1 })
      })

      test('an empty blob is a blob', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, '')])
        expect(await store.blobSize(id)).toBe(0)
        expect(await read()).toBe('')
        const stream = await store.openBlob(id)
        expect(stream && (await text(stream))).toBe('')
      })

      test('a change without blobs keeps them, one with a blob of the same id replaces it', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, 'one'), blobOf('n_00001/other', 'other')])
        await store.commit([put(notes, note(1, { seen: true }))])
        expect(await read()).toBe('one')
        await store.commit([put(notes, note(1))], [blobOf(id, 'two')])
        expect(await read()).toBe('two')
        expect(await read('n_00001/other')).toBe('other')
      })

      test('blobs go with their record and do not come back with its id', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, 'one')])
        await store.commit([remove(notes, 'n_00001')])
        expect(await read()).toBeNull()
        await add(1)
        expect(await read()).toBeNull()
      })

      test('a refused commit stores no blob', async () => {
        await store.commit([insert(notes, note(1))], [blobOf(id, 'one')])
        await expect(store.commit([insert(notes, note(1))], [blobOf(id, 'two')])).rejects.toThrow()
        expect(await read()).toBe('one')
      })

      test('a blob without its record in the commit is a fault of the caller', async () => {
        await add(1)
        await expect(store.commit([], [blobOf(id, 'x')])).rejects.toMatchObject({ code: 'internal_error' })
        await expect(store.commit([remove(notes, 'n_00001')], [blobOf(id, 'x')])).rejects.toMatchObject({
          code: 'internal_error',
        })
        expect(await store.get(notes, 'n_00001')).not.toBeNull()
      })

      test('a reader reads to the end although the blob is replaced or removed meanwhile', async () => {
        for (const size of [10_000, 900_000]) {
          const bytes = pattern(size)
          await store.commit([put(notes, note(1))], [blobOf(id, bytes)])
          const [one, two] = [await store.openBlob(id), await store.openBlob(id, { start: 5, end: size - 5 })]
          await store.commit([put(notes, note(1))], [blobOf(id, 'new')])
          await store.commit([remove(notes, 'n_00001')])
          expect(Buffer.concat(one ? await one.toArray() : []).equals(bytes)).toBe(true)
          expect(Buffer.concat(two ? await two.toArray() : []).equals(bytes.subarray(5, size - 5))).toBe(true)
        }
      })

      test.each([0, 1, 5000, 256 * 1024, 256 * 1024 + 1, 1_500_000])(
        'a writer takes %i bytes in pieces',
        async (size) => {
          const bytes = pattern(size)
          const writer = store.createBlob(id)
          for (let at = 0; at < size; at += 65_521) await writer.write(bytes.subarray(at, at + 65_521))
          expect(writer.size).toBe(size)
          const blob = await writer.finish()
          expect(blob).toMatchObject({ id, size })
          await store.commit([insert(notes, note(1))], [blob])
          await writer.discard()
          expect((await store.readBlob(id))?.equals(bytes)).toBe(true)
          const stream = await store.openBlob(id, { start: Math.floor(size / 3), end: size - 1 })
          const part = Buffer.concat(stream ? await stream.toArray() : [])
          expect(part.equals(bytes.subarray(Math.floor(size / 3), Math.max(0, size - 1)))).toBe(true)
        },
      )

      test('a writer that is discarded leaves nothing, before and after its end', async () => {
        const early = store.createBlob(id)
        await early.write(pattern(400_000))
        await early.discard()
        const late = store.createBlob(id)
        await late.write(pattern(400_000))
        await late.finish()
        await late.discard()
        await store.createBlob(id).discard()
        expect(await store.readBlob(id)).toBeNull()
      })

      test('a blob of a refused commit can be committed again', async () => {
        const writer = store.createBlob(id)
        await writer.write(pattern(400_000))
        const blob = await writer.finish()
        await expect(store.commit([update(notes, { ...note(1), version: 1 })], [blob])).rejects.toThrow()
        await store.commit([insert(notes, note(1))], [blob])
        expect(await store.blobSize(id)).toBe(400_000)
      })

      test('a large blob keeps its commit in the order of the calls', async () => {
        const first = store.commit([insert(notes, note(1))], [blobOf(id, pattern(2_000_000))])
        const second = store.commit([update(notes, { ...note(1, { seen: true }), version: 1 })])
        await Promise.all([first, second])
        expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, seen: true })
        expect(await store.blobSize(id)).toBe(2_000_000)
      })
    })

    describe('changes', () => {
      test('a listener hears every later change in order, once it is visible', async () => {
        await add(1)
        const heard: StoreChange[] = []
        const visible: Promise<unknown>[] = []
        const end = store.changes((change) => {
          heard.push(change)
          if (change.op === 'insert' && change.collection === 'notes')
            visible.push(store.get(notes, change.id))
        })
        await store.commit([insert(notes, note(2)), put(notes, note(1)), remove(notes, 'n_00002')])
        await store.commit([insert(labels, { id: 'l', title: 't' }), insert(notes, note(3))])
        end()
        await add(4)
        const [first] = heard
        const seq = first?.seq ?? 0
        expect(heard).toEqual([
          { seq, op: 'insert', collection: 'notes', id: 'n_00002' },
          { seq, op: 'update', collection: 'notes', id: 'n_00001' },
          { seq, op: 'remove', collection: 'notes', id: 'n_00002' },
          { seq: seq + 1, op: 'insert', collection: 'labels', id: 'l' },
          { seq: seq + 1, op: 'insert', collection: 'notes', id: 'n_00003' },
        ])
        expect((await Promise.all(visible)).map((record) => record !== null)).toEqual([false, true])
      })

      test('refused commits and removals of nothing are not heard', async () => {
        const heard: StoreChange[] = []
        store.changes((change) => heard.push(change))
        await store.commit([update(notes, { ...note(1), version: 1 })]).catch(() => {})
        await store.commit([remove(notes, 'n_00001')])
        await add(1)
        expect(heard.map((change) => change.op)).toEqual(['insert'])
      })

      test('who names a seq hears what came since before the call returns', async () => {
        const all: StoreChange[] = []
        store.changes((change) => all.push(change))
        for (const n of [1, 2, 3]) await add(n)
        const heard: StoreChange[] = []
        store.changes((change) => heard.push(change), all[0]?.seq)
        expect(heard).toEqual(all.slice(1))
        await add(4)
        expect(heard).toEqual(all.slice(1))
        expect(heard).toHaveLength(3)
      })

      test('who names a seq that is too old hears of a gap first', async () => {
        const seqs: number[] = []
        store.changes((change) => seqs.push(change.seq))
        await add(1)
        for (let i = 0; i < 6; i++)
          await store.commit(Array.from({ length: 5000 }, (_, n) => put(notes, note(n))))
        const heard: StoreChange[] = []
        store.changes((change) => heard.push(change), seqs[0])
        expect(heard[0]?.op).toBe('gap')
        expect(heard.slice(1).every((change) => change.op !== 'gap')).toBe(true)
        expect(heard.length).toBeGreaterThan(10_000)
        const ahead: StoreChange[] = []
        store.changes((change) => ahead.push(change), 1e9)
        expect(ahead[0]?.op).toBe('gap')
        await add(9000)
        expect(ahead.at(-1)).toMatchObject({ op: 'insert', id: 'n_09000' })
      })
    })

    describe('closing', () => {
      test('close waits for running commits, then everything is refused; closing twice is one', async () => {
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

    test('removing 50,000 records in one commit never holds the event loop for long', async () => {
      const numbers = Array.from({ length: 50_000 }, (_, n) => n)
      await store.commit(numbers.map((n) => insert(notes, note(n, { due: (n * 7919) % 50_000 }))))
      const changes = numbers.map((n) => remove(notes, note(n).id))
      let stalls = 0
      let last = performance.now()
      const timer = setInterval(() => {
        if (performance.now() - last > 250) stalls++
        last = performance.now()
      }, 1)
      await store.commit(changes)
      clearInterval(timer)
      // Taking them out of sorted arrays one by one takes seconds; the bound leaves room for a busy machine.
      expect(stalls).toBe(0)
      expect(await store.count(notes)).toBe(0)
      expect(await store.count(notes, { index: 'due' })).toBe(0)
    })
  })
}
