import { describe, expect } from 'vitest'
import { insert, put, remove, type StoreChange, update } from '../../src/store/store.ts'
import { labels, note, notes } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** The contract of change listeners. */
export function describeChanges(test: StoreTest): void {
  describe('changes', () => {
    test('a listener gets every later change in order, once it is visible', async ({ store, add }) => {
      await add(1)
      const heard: StoreChange[] = []
      const visible: Promise<unknown>[] = []
      const end = store.changes((change) => {
        heard.push(change)
        if (change.op === 'insert' && change.collection === 'notes') visible.push(store.get(notes, change.id))
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

    test('refused commits and removals of nothing are not announced', async ({ store, add }) => {
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change))
      await store.commit([update(notes, { ...note(1), version: 1 })]).catch(() => {})
      await store.commit([remove(notes, 'n_00001')])
      await add(1)
      expect(heard.map((change) => change.op)).toEqual(['insert'])
    })

    test('a listener that gives a seq gets the later changes before the call returns', async ({
      store,
      add,
    }) => {
      const all: StoreChange[] = []
      store.changes((change) => all.push(change))
      for (const n of [1, 2, 3]) await add(n)
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change), { after: all[0]?.seq })
      expect(heard).toEqual(all.slice(1))
      await add(4)
      expect(heard).toEqual(all.slice(1))
      expect(heard).toHaveLength(3)
    })

    test('a listener of one collection gets its changes alone, later and earlier ones', async ({ store }) => {
      const all: StoreChange[] = []
      const heard: StoreChange[] = []
      store.changes((change) => all.push(change))
      store.changes((change) => heard.push(change), { of: notes })
      const numbers = Array.from({ length: 101 }, (_, n) => n)
      for (const n of numbers)
        await store.commit([insert(labels, { id: `l_${n}`, title: `t_${n}` }), insert(notes, note(n))])
      await store.bulk(labels, await store.ids(labels), 'remove')
      await store.bulk(notes, await store.ids(notes), 'remove')
      const wanted = all.filter((change) => change.op !== 'gap' && change.collection === 'notes')
      expect(new Set(wanted.map(({ op }) => op))).toEqual(new Set(['insert', 'bulk']))
      expect(heard).toEqual(wanted)
      const caught: StoreChange[] = []
      store.changes((change) => caught.push(change), { of: labels, after: (all[0]?.seq ?? 0) - 1 })
      expect(caught).toEqual(all.filter((change) => change.op !== 'gap' && change.collection === 'labels'))
    })
  })
}
