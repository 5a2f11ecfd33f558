import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClock, fixedClock, type Localpost, type LocalpostOptions } from '../../src/index.ts'
import { goodMail } from '../support/mail.ts'
import { start as startInstance } from '../support/instance.ts'

const start = '2026-01-01T00:00:00Z'
const startMs = Date.parse(start)
const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

const standing = (options?: LocalpostOptions): Promise<Localpost> =>
  startInstance({ clock: fixedClock(start), ...options })

describe('a clock that is moved by hand', () => {
  it('calls due timers on the way, in order and at their time', async () => {
    const clock = createClock({ now: new Date(start) })
    const calls: [string, number][] = []
    const note = (name: string) => () => void calls.push([name, clock.now() - startMs])
    clock.after(3000, note('late'))
    clock.after(1000, () => {
      note('early')()
      clock.after(500, note('of the early one'))
    })
    clock.after(1000, note('as early'))
    clock.after(60_000, note('too late'))
    clock.after(Number.POSITIVE_INFINITY, note('never'))
    clock.after(2000, note('cancelled'))()
    await clock.advance('5s')
    expect(calls).toEqual([
      ['early', 1000],
      ['as early', 1000],
      ['of the early one', 1500],
      ['late', 3000],
    ])
    expect(clock.now()).toBe(startMs + 5000)
  })

  it('handles several moves one after the other', async () => {
    const clock = fixedClock(startMs)
    await Promise.all([clock.advance('1m'), clock.advance('1h'), clock.advance(5)])
    expect(clock.now()).toBe(startMs + 3_660_005)
  })

  it('refuses an invalid time', async () => {
    const clock = fixedClock(start)
    expect(() => createClock({ now: 'yesterday' })).toThrow(/"yesterday"/)
    for (const by of ['72', 'h', '-1h', '1 h', -1, Number.NaN])
      await expect(async () => clock.advance(by)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

describe('the time of an instance', () => {
  it('is the time of its mails, and does not advance', async () => {
    const post = await standing()
    const { id } = await post.emails.send(hello)
    await post.inbox.waitFor(`id:${id}`)
    const { last_event, email_sent_timestamp } = await post.emails.get(id)
    expect([email_sent_timestamp, last_event.timestamp]).toEqual([startMs, startMs])
    expect(post.clock.now()).toBe(startMs)
  })

  it('triggers retries of deliveries', async () => {
    const post = await standing({ retryDelaysMs: [60_000, 3_600_000] })
    const { id } = await post.emails.send({ ...hello, to: 'softbounce@simulator.localpost' })
    const statuses = async (): Promise<[string, number][]> =>
      (await post.emails.get(id)).recipient_statuses.flatMap(({ events }) =>
        events.map(({ status, timestamp }): [string, number] => [status, timestamp - startMs]),
      )
    await post.clock.advance('59s')
    const before = await statuses()
    await post.clock.advance('72h')
    const after = await statuses()
    expect(after.length).toBeGreaterThan(before.length)
    expect(after.at(-1)).toEqual(['bounced', 3_660_000])
  })

  it('waits for deliveries also while the machine has no time for the process', async () => {
    const post = await standing()
    const { id } = await post.emails.send(hello)
    const moved = post.clock.advance('1h')
    for (let stalls = 0; stalls < 5; stalls++) {
      await new Promise((resolve) => setTimeout(resolve))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    }
    await moved
    expect((await post.emails.get(id)).last_event).toMatchObject({ status: 'delivered', timestamp: startMs })
  })

  it('triggers retries of webhooks', async () => {
    const tries: number[] = []
    const server = createServer((_, response) => {
      tries.push(post.clock.now() - startMs)
      response.writeHead(tries.length < 3 ? 500 : 200).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const post = await standing({
      webhooks: [{ url: `http://127.0.0.1:${port}`, events: ['email.delivered'] }],
      webhookRetryDelaysMs: [5000, 600_000],
    })
    await post.emails.send(hello)
    await post.clock.advance('1h')
    expect(tries).toEqual([0, 5000, 605_000])
    expect((await post.webhooks.deliveries()).items).toMatchObject([{ state: 'delivered' }])
  })

  it('triggers the removal of old emails', async () => {
    const post = await standing({ maxAgeMs: 3_600_000 })
    const { id } = await post.emails.send(hello)
    await post.inbox.waitFor(`id:${id}`)
    await post.clock.advance('59m')
    expect((await post.emails.list()).count).toBe(1)
    await post.clock.advance('2m')
    expect((await post.emails.list()).count).toBe(0)
  })

  it('releases delayed answers', async () => {
    const post = await standing({ rules: [{ match: 'ada@example.com', action: 'delay', delay_ms: 30_000 }] })
    const { id } = await post.emails.send(hello)
    await post.clock.advance('10s')
    expect((await post.emails.get(id)).last_event.status).toBe('sent')
    await post.clock.advance('30s')
    expect((await post.emails.get(id)).last_event.status).toBe('delivered')
  })

  it('does not delay waits for mail', async () => {
    const post = await standing()
    await expect(post.inbox.waitFor({ to: 'nobody@example.com' }, { timeoutMs: 10 })).rejects.toMatchObject({
      code: 'wait_timeout',
    })
  })

  it('cannot be moved where the real clock is used', async () => {
    const post = await startInstance()
    await expect(post.clock.advance('1h')).rejects.toMatchObject({
      code: 'clock_not_held',
      message: expect.stringContaining('fixedClock('),
    })
    expect(Math.abs(post.clock.now() - Date.now())).toBeLessThan(60_000)
  })
})
