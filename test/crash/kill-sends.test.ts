import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock, type Clock } from '../../src/core/clock.ts'
import { createLocalpost } from '../../src/index.ts'
import { startCommand, type Started } from '../cli/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { roundsOf } from '../support/long.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { progressOf } from '../support/progress.ts'

/** `LOCALPOST_KILLS=50` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 4, long: 15 })
const size = 100
const key = '--api-key=lp_kills'
const mail = { from: 'hi@acme.test', to: 'ada@example.com', text: 'x'.repeat(2000) }

let database: TestServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.remove())

const kill = async ({ pid, ended }: Started): Promise<void> => {
  process.kill(pid, 'SIGKILL')
  await ended
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function call<T>({ url }: Started, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: 'Bearer lp_kills', 'content-type': 'application/json' }
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await fetch(url + path, init)
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** How many emails an instance lists for each subject. */
async function subjectsOf(running: Started): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (let cursor = '', more = true; more; more = cursor !== '') {
    const path = `/dev/inbox?limit=500${cursor && `&cursor=${cursor}`}`
    const page = await call<{ emails: { subject: string }[]; cursor: string | null }>(running, 'GET', path)
    for (const { subject } of page.emails) found.set(subject, (found.get(subject) ?? 0) + 1)
    cursor = page.cursor ?? ''
  }
  return found
}

it(
  `a batch of ${size} is stored as a whole or not at all: ${rounds} kills`,
  async () => {
    const dir = join(temporaryFolder(), 'data')
    const start = (): Promise<Started> => startCommand(['--dir', dir, key])
    const progress = progressOf('kills during a batch', rounds)
    let running = await start()
    const answered = new Set<string>()
    const send = async (subject: string): Promise<void> => {
      const batch = Array.from({ length: size }, () => ({ ...mail, subject }))
      await call(running, 'POST', '/resend/emails/batch', batch)
      answered.add(subject)
    }
    const began = performance.now()
    await send('measured')
    const took = performance.now() - began
    for (let round = 0; round < rounds; round++, progress()) {
      const sends = [0, 1, 2].map((i) => send(`batch ${round} ${i}`).catch(() => undefined))
      await pause(Math.random() * 3 * took)
      await kill(running)
      await Promise.all(sends)
      running = await start()
    }
    const found = await subjectsOf(running)
    for (const count of found.values()) expect(count).toBe(size)
    for (const subject of answered) expect(found.get(subject)).toBe(size)
    console.log(`${rounds} kills: ${answered.size} batches answered, ${found.size} stored, all of them whole`)
  },
  60_000 + rounds * 15_000,
)

describe.each([
  ['one instance over a folder', 1],
  ['two instances over PostgreSQL', 2],
])('scheduled emails of %s', (_, instances) => {
  it(
    `are sent once each: ${rounds} kills while they fall due`,
    async () => {
      const dir = join(temporaryFolder(), 'data')
      const place = instances === 1 ? ['--dir', dir] : [`--store=${database.url}?schema=scheduled`]
      const start = (): Promise<Started> => startCommand([...place, key])
      const running: Started[] = []
      while (running.length < instances) running.push(await start())
      const progress = progressOf('kills of scheduled sends', rounds)
      const subjects: string[] = []
      for (let round = 0; round < rounds; round++, progress()) {
        const now = Date.now()
        const batch = Array.from({ length: 60 }, (_, i) => ({
          ...mail,
          subject: `scheduled ${round} ${i}`,
          send_at: now + 500 + i * 25,
        }))
        const [first] = running
        if (!first) throw new Error('No instance runs.')
        await call(first, 'POST', '/dev/emails', batch)
        subjects.push(...batch.map(({ subject }) => subject))
        await pause(500 + Math.random() * 1500)
        // The first one is the leader, until it is killed.
        await kill(first)
        running.push(await start())
        running.shift()
      }
      const [one] = running
      if (!one) throw new Error('No instance runs.')
      const waiting = async (): Promise<number> =>
        (await call<{ count: number }>(one, 'GET', '/dev/scheduled')).count
      await expect.poll(waiting, { timeout: 60_000, interval: 200 }).toBe(0)
      const found = await subjectsOf(one)
      expect(subjects.filter((subject) => found.get(subject) !== 1)).toEqual([])
      expect(found.size).toBe(subjects.length)
    },
    90_000 + rounds * 20_000,
  )
})

it('a scheduled email is sent once, whatever the clock does between two starts', async () => {
  const dir = temporaryFolder()
  const hour = 3_600_000
  const shifted = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms })
  const sent: (number | undefined)[] = []
  for (const shift of [0, -24 * hour, hour / 2, 2 * hour, -2 * hour, 48 * hour]) {
    await using post = await createLocalpost({ dir, clock: shifted(shift) })
    if (sent.length === 0) await post.sending.send({ ...mail, subject: 'later', send_at: Date.now() + hour })
    const due = shift > hour
    if (due) await post.inbox.waitFor({ subject: 'later' })
    else await pause(50)
    sent.push((await post.inbox.list()).count)
    expect((await post.sending.scheduled.list()).count).toBe(sent.some((count) => count === 1) ? 0 : 1)
  }
  expect(sent).toEqual([0, 0, 0, 1, 1, 1])
})
