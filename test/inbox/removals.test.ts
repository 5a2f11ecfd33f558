import { expect, it } from 'vitest'
import { createIds } from '../../src/core/ids.ts'
import { createRemovals } from '../../src/inbox/removals.ts'
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
function withClock(): {
  clock: ReturnType<typeof testClock>
  removed: string[]
  removals: ReturnType<typeof createRemovals>
} {
  const clock = testClock()
  const removed: string[] = []
  const remove = async (ids: readonly string[]): Promise<void> => void removed.push(...ids)
  return { clock, removed, removals: createRemovals({ ids: createIds(clock), clock, remove }) }
}

it('removes after ten seconds what was not undone, and the rest at its close', async () => {
  const { clock, removed, removals } = withClock()
  const undone = await removals.begin(['em_1'])
  const { until } = await removals.begin(['em_2'])
  expect(until).toBe(clock.now() + 10_000)
  removals.undo(undone.id)
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

it('shows the mails again where the store cannot remove them', async () => {
  const clock = testClock()
  const remove = (): Promise<never> => Promise.reject(new Error('read only'))
  const removals = createRemovals({ ids: createIds(clock), clock, remove })
  const told: boolean[] = []
  removals.onChanged((_, isHidden) => told.push(isHidden))
  await removals.begin(['em_1'])
  await clock.advance(10_000)
  expect([...removals.hidden()]).toEqual([])
  expect(told).toEqual([true, false])
})
