import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTransport } from 'nodemailer'
import {
  createLocalpost,
  fixedClock,
  type Localpost,
  type LocalpostOptions,
  type Mail,
} from '../../src/index.ts'
import { collections } from '../../src/instance/collections.ts'
import { toChange } from '../../src/sending/suppression.ts'
import { createSuppressions } from '../../src/sending/suppressions.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import type { Store } from '../../src/store/store.ts'
import { testClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { call } from './_send.ts'

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
const refusing: LocalpostOptions = {
  rules: [
    { match: 'gone@*', action: 'reject', code: 550, enhanced_code: '5.1.1', text: 'No such user' },
    { match: 'full@*', action: 'reject', code: 452, enhanced_code: '4.2.2', text: 'Full' },
  ],
  retryDelaysMs: [],
}

/** Sends a mail and waits for the outcome of each recipient. */
async function outcome(post: Localpost, to: string[]): Promise<Mail> {
  const { id } = await post.sending.send({ ...mail, to })
  return vi.waitFor(async () => {
    const found = await post.inbox.get(id)
    for (const { events } of found.recipients) expect(events.length).toBeGreaterThan(1)
    return found
  }, 10_000)
}

const listed = async (post: Localpost): Promise<[string, string][]> =>
  (await post.suppressions.list()).items.map(({ address, reason }) => [address, reason])

describe('an address on the suppression list', () => {
  it('gets no mail, in any case, and the other recipients do', async () => {
    const post = await start()
    await post.suppressions.add({ address: 'Ada@Example.com' })
    const found = await outcome(post, ['ada@example.COM', 'bob@example.com'])
    expect(found.recipients[0]?.events.at(-1)).toMatchObject({
      status: 'bounced',
      type: 'Permanent',
      subtype: 'OnAccountSuppressionList',
      smtp_response: expect.stringContaining('suppression list'),
    })
    expect(found.recipients[1]?.events.at(-1)).toMatchObject({ status: 'delivered' })
    await post.suppressions.remove('ada@EXAMPLE.com')
    expect((await outcome(post, ['ada@example.com'])).last_event.status).toBe('delivered')
  })

  it('gets a mail whose request ignores the list, also when it is sent later', async () => {
    const post = await start({ clock: fixedClock(0) })
    await post.suppressions.add({ address: mail.to })
    const ignoring = { ...mail, ignore_suppressions: true }
    await post.sending.send(ignoring)
    await post.sending.send({ ...ignoring, send_at: 60_000 })
    await post.sending.send({ ...mail, ignore_suppressions: false })
    await post.clock.advance(60_000)
    await vi.waitFor(async () => {
      const { items } = await post.inbox.list()
      expect(items.map(({ outcomes }) => outcomes)).toEqual([
        { delivered: 1 },
        { bounced: 1 },
        { delivered: 1 },
      ])
    }, 10_000)
  })

  it('gets no mail that an app submits over SMTP', async () => {
    const post = await start()
    await post.suppressions.add({ address: 'ada@example.com' })
    await createTransport({ ...post.smtp, secure: false }).sendMail({
      ...mail,
      to: ['ada@example.com', 'bob@example.com'],
    })
    const found = await vi.waitFor(async () => {
      const [one] = (await post.inbox.list()).items
      expect(one?.outcomes).toEqual({ bounced: 1, delivered: 1 })
      return one
    }, 10_000)
    expect(found?.subject).toBe('Hello')
  })

  it('is kept after a restart, and removed by a reset', async () => {
    const dir = temporaryFolder()
    const post = await start({ dir })
    await post.suppressions.add({ address: 'ada@example.com', reason: 'complaint' })
    await post.close()
    const again = await start({ dir })
    expect(await listed(again)).toEqual([['ada@example.com', 'complaint']])
    expect((await outcome(again, ['ada@example.com'])).last_event).toMatchObject({ status: 'bounced' })
    await again.reset()
    expect(await listed(again)).toEqual([])
    expect((await outcome(again, ['ada@example.com'])).last_event.status).toBe('delivered')
  })

  it('is that of a snapshot after it is restored', async () => {
    const post = await createLocalpost()
    onTestFinished(() => post.close())
    const empty = await post.snapshot()
    await post.suppressions.add({ address: 'ada@example.com' })
    await post.restore(empty)
    expect((await outcome(post, ['ada@example.com'])).last_event.status).toBe('delivered')
  })
})

it('the list is read again later if it cannot be read after missed changes', async () => {
  const clock = testClock()
  const opened = await openMemoryStore({ collections })
  const errors: unknown[] = []
  let isAway = false
  let missedChanges = (): void => {}
  const store: Store = {
    ...opened,
    changes: (listener) => {
      missedChanges = () => listener({ seq: 1, op: 'gap' })
      return () => {}
    },
    page: (...query) => (isAway ? Promise.reject(new Error('away')) : opened.page(...query)),
  }
  const known = await createSuppressions({
    store,
    clock,
    pageSize: 50,
    suppress: 'off',
    isSimulator: () => false,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(async () => {
    await known.close()
    expect(clock.timers()).toBe(0)
    await opened.close()
  })
  await opened.commit([toChange({ address: 'ada@x.test', reason: 'manual', created: 0 })])
  isAway = true
  missedChanges()
  await known.idle()
  expect([known.has('ada@x.test'), errors.length]).toEqual([false, 1])
  await clock.advance(10_000)
  isAway = false
  expect([known.has('ada@x.test'), errors.length]).toEqual([false, 2])
  await clock.advance(10_000)
  expect([known.has('ada@x.test'), errors.length]).toEqual([true, 2])
})

/** A list whose readings end only when a test ends them, by an error if it gives one. */
async function heldReadings() {
  const clock = testClock()
  const opened = await openMemoryStore({ collections })
  onTestFinished(() => opened.close())
  const readings: ((error?: Error) => void)[] = []
  const errors: unknown[] = []
  const listeners = new Set<() => void>()
  const store: Store = {
    ...opened,
    changes(listener) {
      const miss = (): void => listener({ seq: 1, op: 'gap' })
      listeners.add(miss)
      return () => void listeners.delete(miss)
    },
    async page(...query) {
      await new Promise<void>((resolve, reject) => {
        readings.push((error) => (error ? reject(error) : resolve()))
      })
      return opened.page(...query)
    },
  }
  const opening = createSuppressions({
    store,
    clock,
    pageSize: 50,
    suppress: 'off',
    isSimulator: () => false,
    onError: (error) => void errors.push(error),
  })
  await turn()
  return { clock, readings, errors, listeners, opening, missChanges: () => [...listeners][0]?.() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('the list is not read after it was closed, also where a reading had failed', async () => {
  const { clock, readings, errors, opening, missChanges } = await heldReadings()
  readings[0]?.()
  const list = await opening
  missChanges()
  await turn()
  readings[1]?.(new Error('away'))
  await turn()
  expect([errors.length, clock.timers()]).toEqual([1, 1])
  missChanges()
  await turn()
  // The reading that began takes the place of the one that waited.
  expect([readings.length, clock.timers()]).toEqual([3, 0])
  missChanges()
  const closing = list.close()
  readings[2]?.()
  await turn()
  readings[3]?.(new Error('away'))
  await closing
  await clock.advance(60_000)
  expect([readings.length, clock.timers()]).toEqual([4, 0])
})

it('a list that cannot be read at first is not read later', async () => {
  const { clock, readings, errors, listeners, opening, missChanges } = await heldReadings()
  missChanges()
  readings[0]?.(new Error('away'))
  await expect(opening).rejects.toThrow('away')
  await turn()
  expect([listeners.size, clock.timers(), readings.length, errors]).toEqual([0, 0, 1, []])
})

describe('the option suppress', () => {
  it.each<['off' | 'bounces' | 'all', [string, string][]]>([
    ['off', []],
    ['bounces', [['gone@example.com', 'bounce']]],
    [
      'all',
      [
        ['angry@example.com', 'complaint'],
        ['gone@example.com', 'bounce'],
      ],
    ],
  ])('%s adds the recipients of its events, and no others', async (suppress, expected) => {
    const post = await start({ ...refusing, suppress })
    const found = await outcome(post, [
      'gone@example.com',
      'full@example.com',
      'angry@example.com',
      'bounce@simulator.localpost',
    ])
    await post.emails.addEvent(found.id, { recipient: 'angry@example.com', status: 'complained' })
    expect(await listed(post)).toEqual(expected)
    for (const { email_id } of (await post.suppressions.list()).items) expect(email_id).toBe(found.id)
    // What is removed comes back only by a new event, and not when the email changes.
    for (const [address] of expected) await post.suppressions.remove(address)
    await post.inbox.update(found.id, { unread: false })
    await post.inbox.update(found.id, { tags: ['seen'] })
    expect(await listed(post)).toEqual([])
  })
})

describe('/dev/suppressions', () => {
  it('lists by address, adds, shows and removes', async () => {
    const post = await start({ pageSize: 2 })
    for (const address of ['c@example.com', 'a@example.com', 'B@example.com', 'b@example.com'])
      expect((await call(post, 'POST', '/dev/suppressions', { address })).status).toBe(201)
    const first = await call(post, 'GET', '/dev/suppressions')
    expect(first.body).toMatchObject({
      count: 3,
      suppressions: [{ address: 'a@example.com' }, { address: 'b@example.com' }],
    })
    const next = await call(post, 'GET', `/dev/suppressions?cursor=${encodeURIComponent(first.body.cursor)}`)
    expect(next.body).toMatchObject({
      cursor: null,
      suppressions: [{ address: 'c@example.com', reason: 'manual' }],
    })
    const path = `/dev/suppressions/${encodeURIComponent('C@example.com')}`
    expect((await call(post, 'GET', path)).body).toMatchObject({ address: 'c@example.com' })
    expect((await call(post, 'DELETE', path)).body).toEqual({ deleted: 1 })
    for (const method of ['GET', 'DELETE']) expect((await call(post, method, path)).status).toBe(404)
  })

  it.each([
    {},
    { address: 'ada' },
    { address: '' },
    { address: 'Ada <ada@example.com>' },
    { address: 'a@b.test', reason: 'x' },
    { address: 'a@b.test', more: 1 },
    [],
  ])('refuses %j', async (body) => {
    const post = await start()
    expect((await call(post, 'POST', '/dev/suppressions', body)).status).toBe(422)
  })
})
