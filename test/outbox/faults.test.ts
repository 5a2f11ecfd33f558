import { expect, it, onTestFinished } from 'vitest'
import { systemClock, type Clock } from '../../src/core/clock.ts'
import { createDownloads } from '../../src/outbox/downloads.ts'
import { createJobQueue } from '../../src/core/job-queue.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { jobs } from '../../src/instance/jobs.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { fixedClock, type HeldClock } from '../../src/core/manual-clock.ts'
import { emailCollection, messageBlob, type EmailRecord } from '../../src/emails/email.ts'
import { simulator } from '../../src/instance/simulator.ts'
import { createOutbox, type Outbox, type OutboxDeps } from '../../src/outbox/outbox.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert, type Store } from '../../src/store/store.ts'
import { testClock } from '../support/clock.ts'
import { countWait } from '../support/own-time.ts'

const id = 'em_1'

/** A store with one email whose message is written and waits to be delivered. */
async function storeWithMail(due: number, attempts = 0): Promise<Store> {
  const store = await openMemoryStore({ collections: [emailCollection] })
  onTestFinished(() => store.close())
  const recipient = 'ada@example.com'
  const email: Omit<EmailRecord, 'version'> = {
    id,
    type: 'transactional',
    source: 'api',
    from: 'hi@acme.test',
    to: [recipient],
    cc: [],
    bcc: [],
    reply_to: null,
    subject: 'Hi',
    template_id: null,
    domain_id: 'do_1',
    created: due,
    envelope: { mail_from: 'hi@acme.test', rcpt_to: [recipient] },
    recipients: [{ recipient, events: [{ status: 'sent', timestamp: due }] }],
    outbox: { due, attempts, via: 'capture' },
    outbox_due: due,
    message: { size_bytes: 5, message_id: '<1@acme.test>' },
    unread: true,
    tags: [],
    snippet: '',
    attachment_count: 0,
  }
  await store.commit([insert(emailCollection, email)], [blobOf(messageBlob(id), 'hello')])
  return store
}

function open(store: Store, more: Partial<OutboxDeps> = {}): Outbox {
  const outbox = createOutbox({
    store,
    clock: systemClock,
    capture: {
      deliver: async ({ rcpt_to }) =>
        new Map(rcpt_to.map((to) => [to, { reply_code: 250, enhanced_code: '2.0.0', text: 'taken' }])),
      close() {},
    },
    relay: null,
    simulator,
    causeOf: () => undefined,
    isOnSuppressionList: () => false,
    sources: { root: null, problemOf: () => null, timeoutMs: 1000 },
    thread: createJobThread(jobs, null),
    retryDelaysMs: [60_000],
    hostname: 'localhost',
    largeWrites: createJobQueue(systemClock, 1, 1),
    downloads: createDownloads(systemClock),
    senderOf: () => Promise.reject(new Error('every message is written')),
    firstLinkOf: async () => null,
    onError() {},
    ...more,
  })
  onTestFinished(() => outbox.close())
  return outbox
}

const statusOf = async (store: Store): Promise<string | undefined> =>
  (await store.get(emailCollection, id))?.recipients[0]?.events.at(-1)?.status

/** Expects a first try at once, and one more after 1 second and after 2 more. */
async function expectGrowingWaits(clock: HeldClock, tries: () => number): Promise<void> {
  await expect.poll(tries).toBe(1)
  for (const [index, waitMs] of [1000, 2000].entries()) {
    await clock.advance(waitMs - 1)
    expect(tries()).toBe(index + 1)
    await clock.advance(1)
    await expect.poll(tries).toBe(index + 2)
  }
}

const full = new LocalpostError('store_full', 'The disk is full.')
const corrupt = new LocalpostError('store_corrupt', 'The bytes are damaged.')

it.each([
  ['the outcome of a delivery', {}],
  ['that a damaged message fails', { openBlob: () => Promise.reject(corrupt) }],
])('while %s cannot be stored, it is retried with growing waits, and then stored', async (_, broken) => {
  const clock = fixedClock(0)
  const store = await storeWithMail(clock.now())
  let isFull = true
  let commits = 0
  const failing: Store = {
    ...store,
    ...broken,
    commit(...given) {
      commits++
      return isFull ? Promise.reject(full) : store.commit(...given)
    },
  }
  const errors: unknown[] = []
  const outbox = open(failing, {
    clock,
    // A listener that fails is the failure inside failure handling too.
    onError(error) {
      errors.push(error)
      throw new Error('the listener failed')
    },
  })
  outbox.wake()
  await expectGrowingWaits(clock, () => commits)
  expect(errors).toHaveLength(commits)
  isFull = false
  await clock.advance('4s')
  await expect.poll(() => statusOf(store)).toMatch(/delivered|failed/)
})

it('closing ends the wait of an email whose outcome cannot be stored, and its timer', async () => {
  const clock = testClock(0)
  const store = await storeWithMail(clock.now())
  let commits = 0
  const commit = (): Promise<never> => {
    commits++
    return Promise.reject(full)
  }
  const outbox = open({ ...store, commit }, { clock })
  outbox.wake()
  await expect.poll(() => commits).toBe(1)
  await expect.poll(() => clock.timers()).toBeGreaterThan(0)
  await outbox.close()
  expect(clock.timers()).toBe(0)
})

it('a store that cannot be read is retried with growing waits', async () => {
  const clock = fixedClock(0)
  const store = await storeWithMail(clock.now())
  let looks = 0
  const failing: Store = {
    ...store,
    page() {
      looks++
      return Promise.reject(full)
    },
  }
  open(failing, { clock }).wake()
  await expectGrowingWaits(clock, () => looks)
})

it('an email whose bytes a database lacks is retried with growing waits: its restore may not have ended', async () => {
  const clock = fixedClock(0)
  const store = await storeWithMail(clock.now())
  let reads = 0
  const openBlob: Store['openBlob'] = (...given) =>
    ++reads <= 3 ? Promise.reject(corrupt) : store.openBlob(...given)
  open({ ...store, openBlob, isShared: true }, { clock }).wake()
  await expectGrowingWaits(clock, () => reads)
  await clock.advance('4s')
  await expect.poll(() => statusOf(store)).toBe('delivered')
})

it('an email that waits after a fault does not delay `close`', async () => {
  const store = await storeWithMail(Date.now())
  let failed = false
  const failing: Store = {
    ...store,
    commit() {
      failed = true
      return Promise.reject(full)
    },
  }
  const outbox = open(failing)
  outbox.wake()
  await expect.poll(() => failed).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  const waited = countWait()
  await outbox.close()
  expect(waited()).toBeLessThan(500)
})

it.each([
  ['new mail', 0],
  ['mail after a failed try', 1],
])(
  '%s whose clock went back a day is delivered all the same, after a restart and without one',
  async (_, attempts) => {
    const day = 86_400_000
    const delay = attempts ? 60_000 : 0
    const restarted = await storeWithMail(Date.now() + day + delay, attempts)
    open(restarted).wake()
    await expect.poll(() => statusOf(restarted)).toBe('delivered')

    let shift = day
    const clock: Clock = { ...systemClock, now: () => Date.now() + shift }
    const store = await storeWithMail(clock.now() + delay + 200, attempts)
    const outbox = open(store, { clock })
    outbox.wake()
    await outbox.idle()
    shift = 0
    outbox.wake()
    await expect.poll(() => statusOf(store)).toBe('delivered')
  },
)

it('mail that waits for its next try is not tried early', async () => {
  const store = await storeWithMail(Date.now() + 50_000, 1)
  const outbox = open(store)
  outbox.wake()
  await outbox.idle()
  outbox.wake()
  await outbox.idle()
  expect((await store.get(emailCollection, id))?.version).toBe(1)
})
