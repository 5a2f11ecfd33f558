import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import type { BulkProgress } from '../../src/inbox/types.ts'
import { startCommand } from '../cli/command.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const key = 'lp_bulk'
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
let schemas = 0
const newStore = (): string => `${server.url}?schema=bulk_${++schemas}`

async function open(store: string): Promise<Localpost> {
  const post = await createLocalpost({ store, apiKeys: [key] })
  onTestFinished(() => post.close())
  return post
}

/** Imports many mails, which share commits. */
async function fill({ inbox }: Localpost, count: number): Promise<void> {
  const message = Buffer.from('From: bob@acme.test\r\nTo: ada@example.com\r\nSubject: one\r\n\r\nText\r\n')
  for (let n = 0; n < count; n += 250)
    await Promise.all(Array.from({ length: 250 }, () => inbox.import(message)))
}

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown }>

const asks =
  (fetchOf: (path: string, init: RequestInit) => Promise<Response>): Ask =>
  async (method, path, body) => {
    const answer = await fetchOf(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, body: await answer.json() }
  }
const of = ({ fetch }: Localpost): Ask =>
  asks(async (path, init) => await fetch(new Request(`http://localpost${path}`, init)))

async function listOf(ask: Ask): Promise<BulkProgress[]> {
  return ((await ask('GET', '/dev/inbox/bulk')).body as { changes: BulkProgress[] }).changes
}

async function firstThat(ask: Ask, test: (one: BulkProgress) => boolean): Promise<BulkProgress> {
  for (;;) {
    const found = (await listOf(ask)).find(test)
    if (found) return found
  }
}

/** The events of this name that a page at an instance gets, until the test ends. */
async function progressAt({ fetch }: Localpost): Promise<BulkProgress[]> {
  const told: BulkProgress[] = []
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const { body } = await fetch(new Request('http://localpost/dev/events', { headers, signal: abort.signal }))
  void (async () => {
    let text = ''
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + part).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, data] = /^event: bulk\.progress\n(?:id: .*\n)?data: (.*)$/m.exec(event) ?? []
        if (data !== undefined) told.push(JSON.parse(data) as BulkProgress)
      }
    }
  })().catch(() => {})
  return told
}

test('changes of many mails at one instance are listed, announced and cancelled at the other', async () => {
  const store = newStore()
  const posts = [await open(store), await open(store)] as const
  await fill(posts[0], 6000)
  for (const [a, b] of [posts, [posts[1], posts[0]] as const]) {
    const told = await progressAt(b)
    const tag = `of ${posts.indexOf(a)}`
    const changing = of(a)('PATCH', '/dev/inbox?all=true', { add_tags: [tag] })
    const running = await firstThat(of(b), ({ state, done }) => state === 'running' && done > 0)
    expect(running).toMatchObject({ change: 'update', total: 6000 })
    const cancelled = await of(b)('DELETE', `/dev/inbox/bulk/${running.id}`)
    expect(cancelled).toMatchObject({ status: 200, body: { id: running.id } })
    const { updated, ...rest } = (await changing).body as { updated: number; cancelled: true }
    expect(rest).toEqual({ cancelled: true })
    expect(updated).toBeLessThan(6000)
    // What the answer says, each instance says.
    const ended = { id: running.id, change: 'update', state: 'cancelled', done: updated, total: 6000 }
    for (const post of [a, b]) expect((await listOf(of(post)))[0]).toEqual(ended)
    expect((await b.inbox.list({ query: `tag:"${tag}"` })).count).toBe(updated)
    await expect.poll(() => told.at(-1)).toEqual(ended)
    expect(told).toContainEqual(expect.objectContaining({ id: running.id, state: 'running', total: 6000 }))
    // One that has ended is not affected.
    expect((await of(b)('DELETE', `/dev/inbox/bulk/${running.id}`)).body).toEqual(ended)
    expect((await of(b)('DELETE', '/dev/inbox/bulk/blk_x')).status).toBe(404)
  }
})

test('changes run one at a time at all instances, in their order, and wait in one queue of 20', async () => {
  const store = newStore()
  const [a, b] = [await open(store), await open(store)]
  await fill(a, 750)
  const tagging = of(a)('PATCH', '/dev/inbox?all=true', { add_tags: ['first'] })
  await firstThat(of(b), () => true)
  const later = of(b)('PATCH', '/dev/inbox?query=tag:first', { add_tags: ['second'] })
  await firstThat(of(a), ({ state }) => state === 'waiting')
  const last = of(a)('DELETE', '/dev/inbox?query=tag:second')
  expect(await Promise.all([tagging, later, last])).toMatchObject([
    { body: { updated: 750 } },
    { body: { updated: 750 } },
    { body: { deleted: 750 } },
  ])
  expect((await listOf(of(b))).map(({ change, state, done }) => [change, state, done])).toEqual([
    ['delete', 'done', 750],
    ['update', 'done', 750],
    ['update', 'done', 750],
  ])

  await fill(a, 3000)
  const [{ id = '' } = {}] = (await a.inbox.list({ limit: 1 })).items
  const one = (post: Localpost): ReturnType<Ask> =>
    of(post)('PATCH', '/dev/inbox', { ids: [id], unread: false })
  const long = of(a)('PATCH', '/dev/inbox?all=true', { add_tags: ['long'] })
  const atA = Array.from({ length: 11 }, () => one(a))
  const waitingAt = async (post: Localpost): Promise<number> =>
    (await listOf(of(post))).filter(({ state }) => state === 'waiting' || state === 'running').length
  await expect.poll(() => waitingAt(b), { interval: 10 }).toBe(12)
  const statuses = (await Promise.all([...atA, ...Array.from({ length: 12 }, () => one(b))])).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(19)
  expect(statuses.filter((status) => status === 503)).toHaveLength(4)
  expect((await long).body).toEqual({ updated: 3000 })
  // Of those that ended, the last 20 are kept, in the store too.
  for (const post of [a, b]) expect(await listOf(of(post))).toHaveLength(20)
  expect(await listOf(of(await open(store)))).toHaveLength(20)
})

test('the change of an instance that was killed is listed as failed, and those of others go on', async () => {
  const store = newStore()
  const b = await open(store)
  await fill(b, 3000)
  const killed = await startCommand([`--store=${store}`, `--api-key=${key}`])
  const over = asks(async (path, init) => await fetch(`${killed.url}${path}`, init))
  const lost = over('PATCH', '/dev/inbox?all=true', { add_tags: ['lost'] }).catch(() => null)
  const { id } = await firstThat(of(b), ({ state, done }) => state === 'running' && done > 0)
  process.kill(killed.pid, 'SIGKILL')
  expect(await lost).toBeNull()
  const waiting = of(b)('PATCH', '/dev/inbox?all=true', { add_tags: ['later'] })
  expect(await waiting).toMatchObject({ body: { updated: 3000 } })
  const found = (await listOf(of(b))).find((one) => one.id === id)
  expect(found).toMatchObject({ state: 'failed', total: 3000 })
})

test('an instance that is stopped during a change reports it as cancelled', async () => {
  const store = newStore()
  const b = await open(store)
  await fill(b, 9000)
  const a = await createLocalpost({ store, apiKeys: [key] })
  const changing = a.inbox.updateMatching(null, { add_tags: ['stopped'] })
  const { id } = await firstThat(of(b), ({ state, done }) => state === 'running' && done > 0)
  await a.close()
  expect(await changing).toBeLessThan(9000)
  expect((await listOf(of(b))).find((one) => one.id === id)).toMatchObject({ state: 'cancelled' })
})
