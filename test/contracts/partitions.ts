import { describe, expect, test } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import {
  blobOf,
  type Collection,
  insert,
  remove,
  type StoreChange,
  type StoredRecord,
  update,
} from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes } from './notes.ts'

/** Opens an empty store with these collections. */
export type OpenPartitioned = (collections: readonly Collection<StoredRecord>[]) => Promise<PartitionedStore>

/** The contract of the partitions of a store, beside the contract that each partition meets as a store. */
export function describePartitions(name: string, open: OpenPartitioned): void {
  describe(`the partitions of a store: ${name}`, () => {
    test('the same ids, unique keys and blobs live in each of them', async () => {
      const store = await open([notes, labels])
      const views = [store, store.partition('acc_1'), store.partition('acc_2')]
      for (const [at, view] of views.entries()) {
        await view.commit(
          [insert(notes, note(1, { group: `g${at}` }))],
          [blobOf('n_00001/raw', `bytes ${at}`)],
        )
        await view.commit([insert(labels, { id: 'l', title: `title ${at}` })])
      }
      for (const [at, view] of views.entries()) {
        expect(await view.get(notes, 'n_00001')).toMatchObject({ group: `g${at}` })
        expect((await view.readBlob('n_00001/raw'))?.toString()).toBe(`bytes ${at}`)
        expect(await view.count(notes)).toBe(1)
        expect(await view.count(notes, { index: 'name', prefix: [`g${at}`] })).toBe(1)
        expect(await view.find(labels, 'title', [`title ${(at + 1) % 3}`])).toBeNull()
        await expect(view.commit([insert(notes, note(1))])).rejects.toMatchObject({ code: 'unique_conflict' })
      }
      expect(store.partitions().sort()).toEqual(['acc_1', 'acc_2'])
      await store.close()
    })

    test('the totals are of all of them, and the figures say what was stored', async () => {
      const store = await open([notes, labels])
      expect(await store.total(notes)).toBe(0)
      const before = await store.figures()
      expect(before).toMatchObject({ commits: 0, failures: 0 })
      const views = [store, store.partition('acc_1'), store.partition('acc_2')]
      for (const [at, view] of views.entries()) {
        await view.commit(
          [insert(notes, note(1)), insert(notes, note(2, { due: 5 }))],
          [blobOf('n_00001/raw', 'x'.repeat(1000 * (at + 1)))],
        )
      }
      expect(await store.total(notes)).toBe(6)
      expect(await store.total(labels)).toBe(0)
      // A record without a value is not in the index.
      expect(await store.total(notes, 'due')).toBe(3)
      const stored = await store.figures()
      expect(stored).toMatchObject({ commits: 3, failures: 0 })
      const grown = (stored.bytes ?? 0) - (before.bytes ?? 0)
      // A database counts its tables.
      if (grown !== 6000) expect(stored.bytes).toBeGreaterThan(60_000)
      await store.removePartition('acc_2')
      await store.commit([remove(notes, 'n_00001')])
      expect(await store.total(notes)).toBe(3)
      expect((await store.figures()).commits).toBeGreaterThan(3)
      await store.close()
    })

    test('no call on one of them reads or changes another', async () => {
      const store = await open([notes, labels])
      const [own, other] = [store.partition('own'), store.partition('other')]
      await other.commit([insert(notes, note(1))], [blobOf('n_00001/raw', 'secret')])
      const { version: _, ...before } = (await other.get(notes, 'n_00001')) ?? { version: 0 }
      for (const view of [own, store]) {
        expect(await view.get(notes, 'n_00001')).toBeNull()
        expect(await view.find(notes, 'name', ['g', 'name 00001'])).toBeNull()
        expect((await view.page(notes)).records).toEqual([])
        expect(await view.ids(notes)).toEqual([])
        expect(await view.count(notes)).toBe(0)
        expect(await view.readBlob('n_00001/raw')).toBeNull()
        expect(await view.blobSize('n_00001/raw')).toBeNull()
        expect(await view.openBlob('n_00001/raw')).toBeNull()
        await view.commit([remove(notes, 'n_00001')])
        expect(await view.bulk(notes, ['n_00001'], 'remove')).toBe(0)
        await expect(view.commit([update(notes, { ...note(1), version: 1 })])).rejects.toMatchObject({
          code: 'version_conflict',
        })
      }
      expect(await other.get(notes, 'n_00001')).toMatchObject(before)
      await store.close()
    })

    test('listeners get the changes of their partition alone, also those that they missed', async () => {
      const store = await open([notes, labels])
      const [one, two] = [store.partition('one'), store.partition('two')]
      const seen: Record<string, string[]> = { main: [], one: [], two: [] }
      const tell = (into: string[] | undefined) => (change: StoreChange) =>
        into?.push('id' in change ? `${change.op} ${change.collection} ${change.id}` : change.op)
      store.changes(tell(seen.main))
      one.changes(tell(seen.one))
      const stop = two.changes(tell(seen.two))
      await one.commit([insert(notes, note(1))])
      await two.commit([insert(notes, note(2))])
      await store.commit([insert(notes, note(3))])
      stop()
      await two.commit([remove(notes, 'n_00002')])
      const many = Array.from({ length: 101 }, (_, n) => `l_${n}`)
      await one.commit(many.map((id) => insert(labels, { id, title: id })))
      await one.bulk(labels, many, 'remove')
      expect(seen).toEqual({
        main: ['insert notes n_00003'],
        one: ['insert notes n_00001', ...many.map((id) => `insert labels ${id}`), 'bulk', 'bulk'],
        two: ['insert notes n_00002'],
      })
      const caught: string[] = []
      two.changes(tell(caught), { after: 0 })
      expect(caught).toEqual(['insert notes n_00002', 'remove notes n_00002'])
      await store.close()
    })

    test('a removed partition is empty, its name is free, and the others stay', async () => {
      const store = await open([notes, labels])
      const [gone, stays] = [store.partition('gone'), store.partition('stays')]
      const numbers = Array.from({ length: 250 }, (_, n) => n)
      for (const view of [gone, stays]) {
        await view.commit(numbers.map((n) => insert(notes, note(n))))
        await view.commit([insert(labels, { id: 'l', title: 't' })])
        await view.commit([insert(notes, note(999))], [blobOf('n_00999/raw', 'bytes')])
      }
      await store.removePartition('gone')
      expect(store.partitions()).toEqual(['stays'])
      const again = store.partition('gone')
      expect([await again.count(notes), await again.count(labels)]).toEqual([0, 0])
      expect(await again.readBlob('n_00999/raw')).toBeNull()
      await again.commit([insert(notes, note(1))])
      expect([await again.count(notes), await stays.count(notes)]).toEqual([1, 251])
      expect((await stays.readBlob('n_00999/raw'))?.toString()).toBe('bytes')
      await store.close()
    })

    test('a closed partition refuses changes, after those that ran, and its name is free again', async () => {
      const store = await open([notes, labels])
      const [gone, stays] = [store.partition('gone'), store.partition('stays')]
      const running = gone.commit([insert(notes, note(1))])
      const refusal = new LocalpostError('not_found', 'It was removed.')
      await store.closePartition('gone', refusal)
      expect(await gone.get(notes, 'n_00001')).not.toBeNull()
      await running
      await expect(gone.commit([insert(notes, note(2))])).rejects.toBe(refusal)
      await expect(gone.bulk(notes, ['n_00001'], 'remove')).rejects.toBe(refusal)
      await stays.commit([insert(notes, note(2))])
      const again = store.partition('gone')
      await again.commit([insert(notes, note(2))])
      expect(await gone.count(notes)).toBe(2)
      await store.close()
    })

    test('the close of one of its objects ends only the listeners of that', async () => {
      const store = await open([notes])
      const [closed, other] = [store.partition('one'), store.partition('one')]
      const seen: string[] = []
      closed.changes(() => seen.push('closed'))
      other.changes(() => seen.push('other'))
      await closed.close()
      await closed.commit([insert(notes, note(1))])
      expect(seen).toEqual(['other'])
      await store.close()
    })

    test('a hook adds changes to the commits of its object, which are stored together or not at all', async () => {
      const store = await open([notes, labels])
      for (const one of [store, store.partition('one')]) {
        const told: string[] = []
        const remove = one.beforeCommit((changes) => {
          const titles = changes.flatMap((change) =>
            change.op !== 'remove' && change.collection.name === 'notes' ? [change.record.id] : [],
          )
          if (titles.length === 0) return null
          return {
            prepare: titles.includes('n_00002') ? () => Promise.resolve() : undefined,
            add: () => titles.map((title) => insert(labels, { id: `l ${title}`, title })),
            committed: () => told.push(...titles),
          }
        })
        await one.commit([insert(notes, note(1))])
        await one.commit([insert(notes, note(2))], [blobOf('n_00002/raw', 'bytes')])
        await one.commit([insert(labels, { id: 'other', title: 'other' })])
        await expect(one.commit([insert(notes, note(1))])).rejects.toMatchObject({ code: 'unique_conflict' })
        expect(await one.ids(labels)).toEqual(['l n_00001', 'l n_00002', 'other'])
        expect(told).toEqual(['n_00001', 'n_00002'])
        remove()
        await one.commit([insert(notes, note(3))])
        expect(await one.count(labels)).toBe(3)
      }
      await store.close()
    })

    test.each(['', 'A', '1a', 'a.b', 'a/b', '..', 'x'.repeat(64)])('refuses the name %j', async (wrong) => {
      const store = await open([notes])
      expect(() => store.partition(wrong)).toThrow(expect.objectContaining({ code: 'internal_error' }))
      await expect(store.removePartition(wrong)).rejects.toMatchObject({ code: 'internal_error' })
      await store.close()
    })
  })
}
