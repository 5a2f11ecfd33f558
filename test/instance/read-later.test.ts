import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createIds } from '../../src/core/ids.ts'
import { collections, raiseIds } from '../../src/instance/collections.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'

it('a start reads no record of a collection that is loaded on demand', async () => {
  const store = await openMemoryStore({ collections })
  const asked: string[] = []
  const watched: typeof store = {
    ...store,
    page(collection, query) {
      asked.push(collection.name)
      return store.page(collection, query)
    },
  }
  await raiseIds(watched, createIds(systemClock))
  const later = collections.filter(({ readLater }) => readLater).map(({ name }) => name)
  expect(later).toEqual(['idempotency'])
  expect(asked).toEqual(collections.map(({ name }) => name).filter((name) => !later.includes(name)))
  await store.close()
})
