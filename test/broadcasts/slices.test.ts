import { contactJobs } from '../../src/audiences/jobs.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { expect, it } from 'vitest'
import { contactCollection } from '../../src/audiences/audience.ts'
import { createAudiences } from '../../src/audiences/audiences.ts'
import { createBroadcasts } from '../../src/broadcasts/broadcasts.ts'
import { collections } from '../../src/instance/collections.ts'
import type { DomainRecord } from '../../src/domains/domain.ts'
import { createIds } from '../../src/core/ids.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../support/adapters.ts'
import { testClock } from '../support/clock.ts'

it.each([
  ['short', 100, [100, 100, 50]],
  ['long', 100_000, Array<number>(25).fill(10)],
])('a broadcast of %s mail is accepted in slices that each take little time', async (_, chars, wanted) => {
  const clock = testClock()
  const store = await openStore(collections)
  const ids = createIds(clock)
  const thread = createJobThread(contactJobs, null)
  const account = { email: 'ada@acme.test', first_name: null, last_name: null, profile_picture: 'data:,' }
  const audiences = createAudiences({ store, clock, ids, thread, account, pageSize: 50 })
  const { id } = await audiences.create({ name: 'All' })
  const contacts = Array.from({ length: 250 }, (_contact, i) => ({ email: `c${i}@example.com` }))
  await audiences.contacts.import(id, contacts)
  expect(await store.count(contactCollection)).toBe(250)

  const slices: number[] = []
  const counting: Store = {
    ...store,
    commit(changes, blobs) {
      if (changes.some(({ collection }) => collection.name === 'emails')) slices.push(changes.length)
      return store.commit(changes, blobs)
    },
  }
  const broadcasts = createBroadcasts({
    store: counting,
    clock,
    ids,
    pageSize: 50,
    via: 'capture',
    sources: { root: null },
    strict: false,
    escapeHtml: false,
    findTemplate: () => Promise.resolve(null),
    resolveSender: () =>
      Promise.resolve({ id: 'dom_1', name: 'acme.test', registered: true } as DomainRecord),
    wakeOutbox: () => undefined,
    unsubscribeUrl: () => 'http://localpost/t/u/x',
  })
  const html = 'Dear {{email}} '.padEnd(chars - 1, '<b>lorem</b> ')
  const { count } = await broadcasts.send({ audience_id: id, from: 'a@acme.test', subject: 'Hi', html })
  expect(count).toBe(250)
  expect(slices).toEqual(wanted)
  await store.close()
})
