import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createIds } from '../../src/core/ids.ts'
import { createMailRemovals } from '../../src/inbox/removals.ts'
import { testClock } from '../support/clock.ts'
import { startListening } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const call = (base: string | null, method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${base}/dev/inbox/removals${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

it('a removal hides mails at once from every list, and can be undone', async () => {
  const post = await startListening()
  for (const subject of ['One', 'Two', 'Three']) await submit(post, { subject, text: 'word' })
  const two = await post.inbox.waitFor('subject:Two')
  const { id } = (await (await call(post.url, 'POST', '', { ids: [two.id] })).json()) as { id: string }
  const subjects = async (query?: object): Promise<string[]> =>
    (await post.inbox.list(query)).items.map(({ subject }) => subject)
  const queries = [{}, { fold: 'broadcasts' }, { query: 'word' }, { query: 'is:unread' }, { limit: 2 }]
  for (const query of queries) expect(await subjects(query), JSON.stringify(query)).toEqual(['Three', 'One'])
  expect((await post.inbox.list()).count).toBe(2)
  expect((await post.inbox.get(two.id)).subject).toBe('Two')
  expect((await call(post.url, 'DELETE', `/${id}`)).ok).toBe(true)
  expect(await subjects()).toEqual(['Three', 'Two', 'One'])
  expect((await call(post.url, 'DELETE', `/${id}`)).status).toBe(404)
  expect((await call(post.url, 'POST', '', { ids: [] })).status).toBe(422)
  const many = Array.from({ length: 101 }, (_, at) => `em_${at}`)
  expect((await call(post.url, 'POST', '', { ids: many })).status).toBe(422)
})

it('a change of many mails leaves alone those that a removal hides', async () => {
  const post = await startListening()
  for (const subject of ['One', 'Two', 'Three', 'Four']) await submit(post, { subject })
  const one = await post.inbox.waitFor('subject:One')
  await post.inbox.waitFor('subject:Four')
  const { id } = (await (await call(post.url, 'POST', '', { ids: [one.id] })).json()) as { id: string }
  expect(await post.inbox.updateMatching('is:unread', { add_tags: ['seen'] })).toBe(3)
  expect(await post.inbox.updateMatching(null, { unread: false })).toBe(3)
  expect(await post.inbox.removeMatching('subject:o')).toBe(2)
  expect(await post.inbox.removeAll()).toBe(1)
  expect((await call(post.url, 'DELETE', `/${id}`)).ok).toBe(true)
  const { items } = await post.inbox.list()
  expect(items).toMatchObject([{ subject: 'One', unread: true, tags: [] }])
})

it('tells of mails that come back as changed, not as new', async () => {
  const post = await startListening()
  await submit(post, { subject: 'One' })
  const one = await post.inbox.waitFor('subject:One')
  const stop = new AbortController()
  const { body } = await fetch(`${post.url}/dev/events`, { signal: stop.signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const { id } = (await (await call(post.url, 'POST', '', { ids: [one.id] })).json()) as { id: string }
  await call(post.url, 'DELETE', `/${id}`)
  let told = ''
  while (!told.includes('emails.changed')) told += (await reader?.read())?.value ?? ''
  stop.abort()
  expect(told).toContain('event: email.deleted')
  expect(told).toContain('{"updated":1,"deleted":0}')
  expect(told).not.toContain('email.created')
})

/** Removals, and the ids that were removed for good. */
function withClock() {
  const clock = testClock()
  const removed: string[] = []
  const errors: unknown[] = []
  const store = { isRefusing: false }
  const removals = createMailRemovals({
    ids: createIds(clock),
    clock,
    async remove(ids) {
      if (store.isRefusing) throw new Error('read only')
      removed.push(...ids)
    },
    isStored: async (id) => !removed.includes(id),
    onError: (error) => errors.push(error),
  })
  const told: [string, 'hidden' | 'shown'][] = []
  removals.onChanged((ids, change) => told.push(...ids.map((id): (typeof told)[number] => [id, change])))
  return { clock, removed, removals, errors, store, told }
}

it('removes after ten seconds what was not undone, and the rest at its close', async () => {
  const { clock, removed, removals } = withClock()
  const undone = await removals.begin(['em_1'])
  const { until } = await removals.begin(['em_2'])
  expect(until).toBe(clock.now() + 10_000)
  await removals.undo(undone.id)
  await clock.advance(9999)
  expect([...removals.hidden()]).toEqual(['em_2'])
  await clock.advance(1)
  expect(removed).toEqual(['em_2'])
  expect([...removals.hidden()]).toEqual([])
  await removals.begin(['em_3'])
  await removals.close()
  expect(removed).toEqual(['em_2', 'em_3'])
})

it('hides at most 200 mails: the earlier removals are done first', async () => {
  const { removed, removals } = withClock()
  for (let n = 0; n < 3; n++) await removals.begin(Array.from({ length: 100 }, (_, at) => `em_${n}_${at}`))
  expect(removed).toHaveLength(100)
  expect(removals.hidden().size).toBe(200)
  await removals.close()
})

it('tries a removal again that the store refuses, and says so once; it can still be undone', async () => {
  const { clock, removed, removals, errors, store, told } = withClock()
  store.isRefusing = true
  const one = await removals.begin(['em_1'])
  await removals.begin(['em_2'])
  for (let round = 0; round < 3; round++) await clock.advance(10_000)
  expect(errors).toHaveLength(2)
  expect([...removals.hidden()].sort()).toEqual(['em_1', 'em_2'])
  await removals.undo(one.id)
  store.isRefusing = false
  await clock.advance(10_000)
  expect(removed).toEqual(['em_2'])
  expect([...removals.hidden()]).toEqual([])
  expect(told).toEqual([
    ['em_1', 'hidden'],
    ['em_2', 'hidden'],
    ['em_1', 'shown'],
  ])
  store.isRefusing = true
  await removals.begin(['em_3'])
  await removals.close()
  expect([errors.length, clock.timers()]).toEqual([3, 0])
  await expect(removals.begin(['em_4'])).rejects.toMatchObject({ code: 'closed' })
})

it('undoes the removal of those mails that are still stored', async () => {
  const { removed, removals, told } = withClock()
  const some = await removals.begin(['em_1', 'em_2', 'em_1', 'em_3'])
  const none = await removals.begin(['em_4'])
  removed.push('em_2', 'em_4')
  await removals.undo(some.id)
  await expect(removals.undo(none.id)).rejects.toMatchObject({ code: 'not_found' })
  expect(told.filter(([, change]) => change === 'shown')).toEqual([
    ['em_1', 'shown'],
    ['em_3', 'shown'],
  ])
})

it('no read by a query finds a hidden mail', async () => {
  const post = await startListening()
  for (const subject of ['One', 'Two']) await submit(post, { subject, text: 'word' })
  const [one, two] = [await post.inbox.waitFor('subject:One'), await post.inbox.waitFor('subject:Two')]
  await call(post.url, 'POST', '', { ids: [two.id] })
  for (const query of ['word', 'subject:Two', `id:${two.id}`, 'is:unread', { subject: 'Two' }]) {
    const isEmpty = query !== 'word' && query !== 'is:unread'
    expect((await post.inbox.latest(query))?.id, JSON.stringify(query)).toBe(isEmpty ? undefined : one.id)
    const found = post.inbox.waitFor(query, { timeoutMs: isEmpty ? 1 : 5000 })
    if (isEmpty) await expect(found, JSON.stringify(query)).rejects.toMatchObject({ code: 'wait_timeout' })
    else expect((await found).id).toBe(one.id)
  }
  await post.inbox.expectNone('subject:Two', { timeoutMs: 1 })
  const { causes } = await post.inbox.explainMissing({})
  expect(JSON.stringify(causes)).not.toContain(two.id)
  const zip = await buffer(await post.inbox.export())
  expect([one, two].map(({ id }) => zip.includes(id))).toEqual([true, false])
  expect(await post.inbox.removeMatching('word')).toBe(1)
  expect((await post.inbox.get(two.id)).subject).toBe('Two')
})
