import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createQueue } from '../../src/outbox/queue.ts'
import { testClock } from '../support/clock.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

describe('mail that needs nothing slow', () => {
  it('is not delayed by attachments whose server hangs', async () => {
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const path = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hangs`
    const post = await start({ attachments: { timeoutMs: 8000 } })
    for (let i = 0; i < 20; i++) {
      await post.emails.send({ ...hello, to: `slow${i}@example.com`, attachments: [{ filename: 'a', path }] })
    }
    await post.emails.send(hello)
    const mail = await post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 4000 })
    expect(mail.last_event.status).toBe('delivered')
  })

  it.each([8, 15])('is not delayed by %i recipients whose server answers late', async (late) => {
    const post = await start({ rules: [{ match: '*@late.example', action: 'delay', delay_ms: 8000 }] })
    for (let i = 0; i < late; i++) await post.emails.send({ ...hello, to: `someone${i}@late.example` })
    await post.emails.send(hello)
    const mail = await post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 4000 })
    expect(mail.last_event.status).toBe('delivered')
  })

  it('is not delayed by them while more are sent than delivered', async () => {
    const post = await start({ rules: [{ match: '*@late.example', action: 'delay', delay_ms: 20_000 }] })
    for (let i = 0; i < 8; i++) await post.emails.send({ ...hello, to: `someone${i}@late.example` })
    for (let wave = 0; wave < 10; wave++) {
      await Promise.all(Array.from({ length: 30 }, () => post.emails.send(hello)))
    }
    const waiting = async (): Promise<number> => {
      const { items } = await post.emails.list({ limit: 500 })
      return items.filter(({ last_event }) => last_event.status === 'sent').length
    }
    await expect.poll(waiting, { timeout: 15_000 }).toBe(8)
  }, 30_000)
})

it('mails that come while one is in progress begin together when it has ended', async () => {
  const due = ['first']
  const steps: string[] = []
  const queue = createQueue({
    clock: systemClock,
    lanes: [
      { places: 16, findDue: (limit) => Promise.resolve({ ids: due.slice(0, limit), next: Infinity }) },
    ],
    mayBegin: () => true,
    onError: (error) => steps.push(String(error)),
    async run(id) {
      steps.push(`begin ${id}`)
      if (id === 'first') {
        await new Promise((resolve) => setImmediate(resolve))
        due.push('second', 'third')
        queue.wake()
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
      due.splice(due.indexOf(id), 1)
      steps.push(`end ${id}`)
      return null
    },
  })
  await queue.idle()
  await queue.close()
  expect(steps.slice(0, 4)).toEqual(['begin first', 'end first', 'begin second', 'begin third'])
})

it('mails that come one by one begin at once while another one is in progress for long', async () => {
  const due = ['slow', 'first']
  const ended: string[] = []
  let endSlow = (): void => {}
  const isSlowEnded = new Promise<void>((resolve) => (endSlow = resolve))
  const queue = createQueue({
    clock: systemClock,
    lanes: [
      { places: 16, findDue: (limit) => Promise.resolve({ ids: due.slice(0, limit), next: Infinity }) },
    ],
    mayBegin: () => true,
    onError: (error) => ended.push(String(error)),
    async run(id) {
      if (id === 'slow') await isSlowEnded
      due.splice(due.indexOf(id), 1)
      ended.push(id)
      return null
    },
  })
  queue.wake()
  await expect.poll(() => ended).toEqual(['first'])
  // It waits with the slow one, which began in the same round as the first.
  due.push('second')
  queue.wake()
  await expect.poll(() => ended).toEqual(['first', 'second'])
  for (let n = 0; n < 100; n++) {
    due.push(`mail ${n}`)
    queue.wake()
    // No timer ends in so few turns, except by chance.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(ended.at(-1)).toBe(`mail ${n}`)
  }
  endSlow()
  await queue.close()
})

it('a closed queue has no timer, also where a search or a mail ends after that', async () => {
  const clock = testClock()
  const next = clock.now() + 1000
  const endSearch: ((ids: string[]) => void)[] = []
  let endMail = (): void => {}
  const queue = createQueue({
    clock,
    lanes: [
      {
        places: 16,
        findDue: () => new Promise((resolve) => endSearch.push((ids) => resolve({ ids, next }))),
      },
    ],
    mayBegin: () => true,
    onError: (error) => expect.unreachable(String(error)),
    run: () => new Promise((resolve) => (endMail = () => resolve(next))),
  })
  queue.wake()
  await expect.poll(() => endSearch.length).toBe(1)
  endSearch[0]?.(['one'])
  await expect.poll(() => clock.timers()).toBe(1)
  queue.wake()
  await expect.poll(() => endSearch.length).toBe(2)
  const closing = queue.close()
  expect(clock.timers()).toBe(0)
  endMail()
  await closing
  endSearch[1]?.([])
  await new Promise((resolve) => setImmediate(resolve))
  expect(clock.timers()).toBe(0)
})

it('a reset during sending leaves no mail that fails', async () => {
  const post = await start()
  let isOver = false
  const senders = Array.from({ length: 4 }, async (_, n) => {
    for (let i = 0; !isOver; i++) await post.emails.send({ ...hello, from: `hi@acme${n}-${i % 5}.test` })
  })
  for (let i = 0; i < 15; i++) {
    await post.reset()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  isOver = true
  await Promise.all(senders)
  await post.emails.send({ ...hello, to: 'last@example.com' })
  await post.inbox.waitFor({ to: 'last@example.com' })
  const { items } = await post.emails.list({ limit: 500 })
  expect(items.filter(({ last_event }) => last_event.status === 'failed')).toEqual([])
})
