import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { createLocalpost, type Localpost, type LocalpostOptions } from '../../src/index.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { submit } from '../support/submit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let schemas = 0
/** Opens instances over one schema; the first one is the leader. */
async function openSeveral(count: number, options: LocalpostOptions = {}): Promise<Localpost[]> {
  const store = `${server.url}?schema=several${++schemas}`
  const posts: Localpost[] = []
  for (let n = 0; n < count; n++) {
    const post = await createLocalpost({ store, apiKeys: ['lp_test'], ...options })
    onTestFinished(() => post.close())
    posts.push(post)
  }
  return posts
}

async function statusesOf({ emails }: Pick<Localpost, 'emails'>, id: string): Promise<string[]> {
  return (await emails.get(id)).recipient_statuses.flatMap(({ events }) => events.map(({ status }) => status))
}

test('mail that one instance takes is delivered once, by the leader, and seen by waits at all instances', async () => {
  const [a, b] = (await openSeveral(2)) as [Localpost, Localpost]
  const waits = [a, b].map((post) => post.inbox.waitFor({ subject: 'to both' }))
  const sent = await b.emails.send({
    from: 'app@shop.test',
    to: 'ada@shop.test',
    subject: 'to both',
    text: 'Hi',
  })
  for (const wait of waits) expect((await wait).id).toBe(sent.id)
  await expect.poll(() => statusesOf(b, sent.id)).toContain('delivered')
  const statuses = await statusesOf(a, sent.id)
  expect(statuses.filter((status) => status === 'delivered')).toHaveLength(1)
  await submit(a, { from: 'x@y.test', to: 'ada@shop.test', subject: 'by SMTP', text: 'Hi' })
  expect((await b.inbox.waitFor({ subject: 'by SMTP' })).source).toBe('smtp')
})

test('an email that any instance schedules is sent once, also after the leader ended', async () => {
  const [a, b, c] = (await openSeveral(3)) as [Localpost, Localpost, Localpost]
  const message = { from: 'app@shop.test', to: 'ada@shop.test', text: 'Hi' }
  const later = (round: number, delayMs: number): { subject: string; send_at: number }[] =>
    Array.from({ length: 10 }, (_, i) => ({
      ...message,
      subject: `${round} ${i}`,
      send_at: Date.now() + delayMs,
    }))
  const subjects = async (): Promise<string[]> =>
    (await c.inbox.list({ limit: 100 })).items.map((one) => one.subject).sort()
  const first = await b.sending.send(later(1, 500))
  // Both ask for the same one at once, and the leader's timer runs meanwhile.
  await Promise.allSettled([a, b].flatMap((post) => first.map(({ id }) => post.sending.sendNow(id))))
  const wanted = later(1, 0).map(({ subject }) => subject)
  await expect.poll(subjects, { timeout: 10_000 }).toEqual(wanted)
  await c.sending.send(later(2, 1500))
  await a.close()
  await expect
    .poll(subjects, { timeout: 20_000 })
    .toEqual([...wanted, ...later(2, 0).map(({ subject }) => subject)])
  expect((await b.sending.scheduled.list()).count).toBe(0)
})

test('an address that one instance suppresses gets no mail from the leader', async () => {
  const [, b] = (await openSeveral(2)) as [Localpost, Localpost]
  await b.suppressions.add({ address: 'gone@shop.test' })
  // The leader is told soon; until then it delivers.
  await expect
    .poll(async () => {
      const mail = { from: 'app@shop.test', to: 'gone@shop.test', subject: 'x', text: 'Hi' }
      const { id } = await b.emails.send(mail)
      await expect
        .poll(() => statusesOf(b, id))
        .toContainEqual(expect.stringMatching(/^(?:bounced|delivered)$/))
      return statusesOf(b, id)
    })
    .toContain('bounced')
})

test('when the leader ends, another instance goes on with what is due, also in other accounts', async () => {
  const [a, b, c] = (await openSeveral(3)) as [Localpost, Localpost, Localpost]
  await a.accounts.create({ name: 'team' })
  await expect.poll(async () => (await c.accounts.list()).length).toBe(2)
  await a.close()
  const message = { from: 'app@shop.test', to: 'ada@shop.test', subject: 'later', text: 'Hi' }
  const [main, team] = [await c.emails.send(message), await c.account('team').emails.send(message)]
  await expect.poll(() => statusesOf(b, main.id)).toContain('delivered')
  await expect.poll(() => statusesOf(c.account('team'), team.id)).toContain('delivered')
})

test('health and metrics say how the database is', async () => {
  const [a, b] = (await openSeveral(2)) as [Localpost, Localpost]
  const ask = (post: Localpost, path: string): Promise<Response> =>
    post.fetch(new Request(`http://localpost${path}`))
  const healths = await Promise.all([a, b].map(async (post) => (await ask(post, '/dev/health')).json()))
  for (const [n, health] of healths.entries())
    expect(health).toMatchObject({
      store: 'postgresql',
      database: { schema: `several${schemas}`, instances: 2, has_turn: n === 0, connections: { waiting: 0 } },
    })
  const text = await (await ask(b, '/dev/metrics')).text()
  expect(text).toMatch(/^localpost_info\{.*store="postgresql"\} 1$/m)
  for (const line of ['up 1', 'turn 0', 'instances 2', 'connections{state="waiting"} 0'])
    expect(text).toContain(`\nlocalpost_database_${line}\n`)
  expect(text).toMatch(/^localpost_database_round_trip_seconds 0\.\d+$/m)
})

test('instances whose clocks differ by five seconds give ids in the order of arrival, and no wait misses mail', async () => {
  const store = `${server.url}?schema=several${++schemas}`
  const machine: Clock = systemClock
  const behind: Clock = { ...machine, now: () => machine.now() - 5000 }
  const [a, b] = await Promise.all(
    [machine, behind].map((clock) => createLocalpost({ store, apiKeys: ['lp_test'], clock })),
  )
  if (!a || !b) throw new Error('An instance is missing.')
  onTestFinished(async () => void (await Promise.all([a.close(), b.close()])))
  const message = { from: 'app@shop.test', to: 'ada@shop.test', text: 'Hi' }
  for (let round = 0; round < 10; round++) {
    const began = new Date(machine.now())
    const first = await a.emails.send({ ...message, subject: `first ${round}` })
    // One that began before it heard of the mail that it comes after, and one in time.
    const waits = [{ after: first.id }, { after: began }].flatMap((options) => [
      a.inbox.waitFor({ subject: `second ${round}` }, options),
      b.inbox.waitFor({ subject: `second ${round}` }, options),
    ])
    const second = await b.emails.send({ ...message, subject: `second ${round}` })
    for (const wait of waits) expect((await wait).id).toBe(second.id)
  }
  const { id: last } = await a.emails.send({ ...message, subject: 'last at a' })
  await b.inbox.waitFor({ subject: 'last at a' })
  const { id: next } = await b.emails.send({ ...message, subject: 'then at b' })
  expect(next > last).toBe(true)
  expect((await a.emails.list({ limit: 2 })).items.map(({ id }) => id)).toEqual([next, last])
})

test('webhooks made at one instance get the events of all, each once', async () => {
  const got: string[] = []
  const receiver = createServer((request, response) => {
    got.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const [a, b] = (await openSeveral(2)) as [Localpost, Localpost]
  await b.webhooks.create({
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    events: ['email.delivered'],
  })
  await expect.poll(async () => (await a.webhooks.list()).count).toBe(1)
  for (const post of [a, b, a, b])
    await post.emails.send({ from: 'app@shop.test', to: 'ada@shop.test', subject: 'hook', text: 'Hi' })
  await expect.poll(() => got.length).toBe(4)
  await expect
    .poll(async () => (await b.webhooks.deliveries()).items.map(({ state }) => state))
    .toEqual(Array.from({ length: 4 }, () => 'delivered'))
  expect(new Set(got).size).toBe(4)
})

test('the colour of a tag that is set at one instance applies at all, and is in the events of all', async () => {
  const [a, b] = (await openSeveral(2)) as [Localpost, Localpost]
  const { body } = await b.fetch(new Request('http://localhost/dev/events'))
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => reader?.cancel())
  await a.inbox.updateTag('invoice', { color: 'red' })
  let told = ''
  while (!told.includes('event: tags.changed')) told += (await reader?.read())?.value ?? ''
  expect(await b.inbox.tags()).toEqual([{ tag: 'invoice', count: 0, color: 'red' }])
  const colors = ['gray', 'red', 'amber', 'green', 'teal', 'blue'] as const
  await Promise.all(colors.map((color, n) => (n % 2 ? a : b).inbox.updateTag('Receipt', { color })))
  const [first, second] = await Promise.all([a, b].map((post) => post.inbox.tags()))
  expect(first).toEqual(second)
  expect(first).toHaveLength(2)
  await b.inbox.updateTag('invoice', { color: null })
  expect((await a.inbox.tags()).map(({ tag }) => tag)).toEqual(['receipt'])
})
