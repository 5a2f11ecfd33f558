import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { bulkChangeCollection, openBulkBoard } from '../../src/inbox/bulk-board.ts'
import type { BulkProgress } from '../../src/inbox/types.ts'
import type { Following } from '../../src/store/follow.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import type { Store } from '../../src/store/store.ts'

it('a change whose record was removed while it ran is no longer written after its end', async () => {
  const store = await openMemoryStore({ collections: [bulkChangeCollection] })
  onTestFinished(() => store.close())
  let reads = 0
  const shared: Store = {
    ...store,
    isShared: true,
    get: (...given) => {
      reads++
      return store.get(...given)
    },
  }
  let forget: (id: string) => void = () => {}
  const following = {
    open: async (_store: unknown, _collection: unknown, { remove }: { remove(id: string): void }) =>
      void (forget = remove),
    settled: async () => {},
  } as unknown as Following
  const board = await openBulkBoard({ store: shared, following })
  const progress: BulkProgress = { id: 'bu_1', change: 'update', state: 'running', done: 0, total: 2 }
  await board?.add(progress, () => {})
  forget(progress.id)
  progress.state = 'done'
  await board?.end(progress.id)
  reads = 0
  await sleep(500)
  expect(reads).toBe(0)
})
