import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { createWatches } from '../../src/inbox/watch.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert } from '../../src/store/store.ts'
import { anEmail } from './_email.ts'

it('a watch asks about no mail after its outcome, also if it was stored together with the last one', async () => {
  const store = await openMemoryStore({ collections: [emailCollection] })
  onTestFinished(() => store.close())
  const search = { matches: async function* () {}, fits: async () => true }
  const watches = createWatches({ store, search, clock: systemClock, now: Date.now })
  const found: string[] = []
  const goal = { filter: parseMailQuery('', 0), after: undefined, timeoutMs: 60_000 }
  const watch = watches.watch(
    goal,
    ({ id }) => (found.push(id) < 2 ? undefined : found),
    async () => [],
  )
  await store.commit([1, 2, 3].map((n) => insert(emailCollection, { ...anEmail(n), outbox: null })))
  expect(await watch).toHaveLength(2)
  await sleep(10)
  expect(found).toHaveLength(2)
})
