import { beforeEach, describe, expect, it } from 'vitest'
import { createFollowing } from '../../src/store/follow.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, put, remove, type Store, type StoreChange } from '../../src/store/store.ts'
import { note, notes, type Note } from '../contracts/notes.ts'

let store: Store
let listeners: ((change: StoreChange) => void)[]
/** How often records were read. */
let reads: number
let fault: Error | null

beforeEach(async () => {
  const inner = await openMemoryStore({ collections: [notes] })
  listeners = []
  reads = 0
  fault = null
  const read = <T>(work: () => Promise<T>): Promise<T> => {
    reads++
    return fault ? Promise.reject(fault) : work()
  }
  store = {
    ...inner,
    isShared: true,
    changes(listener, options) {
      listeners.push(listener)
      return inner.changes(listener, options)
    },
    get: (...given) => read(() => inner.get(...given)),
    page: (...given) => read(() => inner.page(...given)),
  }
})

/** The names of the notes in memory, in the order of their ids. */
async function follow(
  over: Store = store,
): Promise<{ names(): unknown[]; settled(): Promise<void>; kept: Map<string, Note> }> {
  const following = createFollowing()
  const kept = new Map<string, Note>()
  await following.open(over, notes, {
    ids: () => kept.keys(),
    put: (record) => void kept.set(record.id, record),
    remove: (id) => void kept.delete(id),
  })
  const names = (): unknown[] => [...kept.values()].map(({ name }) => name).sort()
  return { names, settled: following.settled, kept }
}

describe('what is in memory of a shared store', () => {
  it('is read at first, and follows insertions, changes and removals', async () => {
    await store.commit([insert(notes, note(1, { name: 'one' }))])
    const { names, settled } = await follow()
    expect(names()).toEqual(['one'])
    await store.commit([insert(notes, note(2, { name: 'two' })), insert(notes, note(3, { name: 'three' }))])
    await settled()
    expect(names()).toEqual(['one', 'three', 'two'])
    await store.commit([put(notes, note(2, { name: 'zwei' })), remove(notes, note(1).id)])
    await settled()
    expect(names()).toEqual(['three', 'zwei'])
  })

  it('is read as a whole after a gap and a bulk change', async () => {
    const { names, settled, kept } = await follow()
    await store.commit([insert(notes, note(1, { name: 'one' }))])
    await settled()
    for (const change of [
      { seq: 9, op: 'gap' },
      { seq: 9, op: 'bulk', collection: notes.name, updated: 1, removed: 1, isLast: false },
    ] as const) {
      kept.clear()
      kept.set('gone', note(7, { name: 'gone' }) as Note)
      for (const listener of listeners) listener(change)
      await settled()
      expect(names()).toEqual(['one'])
    }
  })

  it('has a change that arrives in any moment in which a read ends', async () => {
    await store.commit([insert(notes, note(1)), insert(notes, note(2))])
    const change = (n: number): void =>
      listeners.at(-1)?.({ seq: 9, op: 'update', collection: notes.name, id: note(n).id })
    for (let moment = 0; moment < 20; moment++) {
      const get: Store['get'] = async (collection, id) => {
        const record = await store.get(collection, id)
        if (id === note(1).id)
          void (async () => {
            for (let i = 0; i < moment; i++) await Promise.resolve()
            change(2)
          })()
        return record
      }
      const { kept, settled } = await follow({ ...store, get })
      kept.delete(note(2).id)
      change(1)
      await new Promise(setImmediate)
      await settled()
      expect([...kept.keys()].sort(), `after ${moment} turns`).toEqual([note(1).id, note(2).id])
    }
  })

  it('is read again where a read failed', async () => {
    const { names, settled } = await follow()
    fault = new Error('The database does not answer.')
    await store.commit([insert(notes, note(1, { name: 'one' }))])
    await expect(settled()).rejects.toThrow('does not answer')
    await expect(settled()).rejects.toThrow('does not answer')
    fault = null
    await settled()
    expect(names()).toEqual(['one'])
    const before = reads
    await settled()
    expect(reads).toBe(before)
  })
})

it('a store that only this process uses is read once, and has no listener', async () => {
  const { names } = await follow({ ...store, isShared: false })
  await store.commit([insert(notes, note(1))])
  expect(names()).toEqual([])
  expect(listeners).toHaveLength(0)
  expect(reads).toBe(1)
})
