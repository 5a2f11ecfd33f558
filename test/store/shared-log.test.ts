import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { createSharedLog } from '../../src/store/shared-log.ts'
import { note, notes } from '../contracts/notes.ts'

test('a list contains everything that was added before it, also after a slow commit, while the next batch waits', async () => {
  const inner = await openMemoryStore({ collections: [notes] })
  onTestFinished(() => inner.close())
  const store: typeof inner = {
    ...inner,
    async commit(...given) {
      await sleep(200)
      return inner.commit(...given)
    },
  }
  const limits = [{ index: 'id', prefix: [], most: 1000 }]
  const log = createSharedLog({ store, collection: notes, limits, onForeign: () => {} })
  log.add(() => note(1))
  // The first batch is stored, and the pause after it has begun.
  await expect.poll(() => inner.count(notes), { interval: 5 }).toBe(1)
  log.add(() => note(2))
  await log.stored()
  expect((await inner.page(notes)).records.map(({ id }) => id)).toEqual(['n_00001', 'n_00002'])
})
