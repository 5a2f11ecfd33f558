import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { emailCollection, messageBlob, type EmailRecord } from '../../src/emails/email.ts'
import { startRetention, type RetentionDeps } from '../../src/emails/retention.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { blobOf, insert, type Store, update } from '../../src/store/store.ts'
import { lastingPlace, notOn, openStore } from '../support/adapters.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start as startInstance } from '../support/instance.ts'
import { testClock, type TestClock } from '../support/clock.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const start = Date.UTC(2026, 0, 1)
const idOf = (n: number): string => `em_${String(n).padStart(22, '0')}`

function email(n: number, created: number, isPending = false): EmailRecord {
  const id = idOf(n)
  return {
    id,
    version: 1,
    type: 'transactional',
    source: 'api',
    from: 'app@acme.test',
    to: ['ada@example.com'],
    cc: [],
    bcc: [],
    reply_to: null,
    subject: `mail ${n}`,
    template_id: null,
    domain_id: 'dom_1',
    created,
    envelope: { mail_from: 'app@acme.test', rcpt_to: ['ada@example.com'] },
    recipients: [],
    outbox: isPending ? { due: created, attempts: 0, via: 'capture' } : null,
    outbox_due: isPending ? created : null,
    message: null,
    unread: true,
    tags: [],
    snippet: null,
    attachment_count: 0,
  }
}

async function begin(bounds: Partial<RetentionDeps> & { clock?: TestClock }): Promise<{
  store: Store
  /** Lets this time pass, and waits for what the retention does then. */
  pass(ms: number): Promise<void>
  add(n: number, created: number, isPending?: boolean): Promise<void>
  kept(): Promise<number[]>
}> {
  const clock = bounds.clock ?? testClock(start)
  const store = await openStore([emailCollection])
  const retention = startRetention({
    store,
    clock,
    maxEmails: null,
    maxAgeMs: null,
    onError: (error) => {
      throw error
    },
    ...bounds,
  })
  onTestFinished(async () => {
    await retention.close()
    await store.close()
  })
  // Of several instances only one deletes: a store in PostgreSQL leads a moment after it was opened.
  await expect.poll(() => store.leadership.isMine()).toBe(true)
  return {
    store,
    async pass(ms) {
      await clock.advance(ms)
      await retention.idle()
    },
    add: (n, created, isPending) => store.commit([insert(emailCollection, email(n, created, isPending))]),
    kept: async () =>
      (await store.page(emailCollection, { limit: 10_000 })).records.map(({ id }) => Number(id.slice(3))),
  }
}

test('above the maximum, the oldest emails are deleted soon after newer ones arrive', async () => {
  const { pass, add, kept } = await begin({ maxEmails: 3 })
  for (let n = 1; n <= 5; n++) await add(n, start)
  expect(await kept()).toEqual([1, 2, 3, 4, 5])
  await pass(250)
  expect(await kept()).toEqual([3, 4, 5])
  await add(6, start)
  await pass(250)
  expect(await kept()).toEqual([4, 5, 6])
})

test('many emails are deleted in slices, and all of them', async () => {
  const { store, pass, kept } = await begin({ maxEmails: 10 })
  await store.commit(Array.from({ length: 1234 }, (_, n) => insert(emailCollection, email(n, start))))
  const sizes: number[] = []
  store.changes((change) => change.op === 'bulk' && sizes.push(change.removed))
  await pass(250)
  expect(await kept()).toEqual(Array.from({ length: 10 }, (_, n) => 1224 + n))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1224)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
})

test('an email is deleted at its maximum age, without any other activity', async () => {
  const { pass, add, kept } = await begin({ maxAgeMs: 60_000 })
  await add(1, start)
  await add(2, start + 10_000)
  await pass(250)
  await pass(59_749)
  expect(await kept()).toEqual([1, 2])
  await pass(1)
  expect(await kept()).toEqual([2])
  await pass(10_000)
  expect(await kept()).toEqual([])
})

test('a maximum age of months does not overflow the timers of the system', async () => {
  const clock = testClock(start)
  const delays: number[] = []
  const watched: TestClock = { ...clock, after: (ms, run) => (delays.push(ms), clock.after(ms, run)) }
  const { add, pass } = await begin({ maxAgeMs: 400 * 86_400_000, clock: watched })
  await add(1, start)
  await pass(250)
  expect(Math.max(...delays)).toBe(60 * 60 * 1000)
})

test('an email that the outbox is working on is kept until it is settled, and no younger one is deleted instead', async () => {
  const { store, pass, add, kept } = await begin({ maxEmails: 2, maxAgeMs: 60_000 })
  await add(1, start, true)
  await add(2, start)
  await add(3, start)
  await add(4, start)
  await pass(250)
  expect(await kept()).toEqual([1, 3, 4])
  await pass(120_000)
  expect(await kept()).toEqual([1])
  const pending = await store.get(emailCollection, idOf(1))
  await store.commit([
    update(emailCollection, { ...(pending as EmailRecord), outbox: null, outbox_due: null }),
  ])
  await pass(250)
  expect(await kept()).toEqual([])
})

test('emails with a time in the future do not keep others', async () => {
  const { pass, add, kept } = await begin({ maxAgeMs: 60_000 })
  await add(1, start + 86_400_000)
  await add(2, start)
  await pass(250)
  await pass(60_000)
  expect(await kept()).toEqual([1])
})

test('the files are deleted with the records', notOn('PostgreSQL', 'it looks at a folder'), async () => {
  const dir = temporaryFolder()
  const clock = testClock(start)
  const options = { dir, collections: [emailCollection], clock, durability: 'process' as const }
  // A busy disk takes its time to flush, whatever the clock of this test says.
  const files = {
    ...nodeFiles,
    async sync(fd: number) {
      await sleep(50)
      await nodeFiles.sync(fd)
    },
  }
  const store = await openLogStore({ ...options, files, logFileBytes: 100_000, checkpointBytes: 50_000 })
  const retention = startRetention({ store, clock, maxEmails: 20, maxAgeMs: null, onError: expect.fail })
  for (let n = 0; n < 200; n++) {
    const message = blobOf(messageBlob(idOf(n)), Buffer.alloc(n % 50 === 0 ? 300_000 : 5000, 'x'))
    await store.commit([insert(emailCollection, email(n, start))], [message])
  }
  const bytes = async (): Promise<number> => {
    let total = 0
    for (const folder of ['log', 'large']) {
      for (const name of await readdir(join(dir, folder))) {
        total += (await stat(join(dir, folder, name)).catch(() => ({ size: 0 }))).size
      }
    }
    return total
  }
  expect(await bytes()).toBeGreaterThan(2_000_000)
  await clock.advance(250)
  expect(await store.count(emailCollection)).toBe(20)
  // The checkpoints, each after a pause without commits.
  await expect
    .poll(
      async () => {
        await clock.advance(5000)
        return await bytes()
      },
      { timeout: 15_000 },
    )
    .toBeLessThan(400_000)
  await retention.close()
  await store.close()
})

test('an instance keeps the configured number, and counts emails of earlier runs', async () => {
  const place = lastingPlace()
  const first = await startInstance(place)
  const mail = { from: 'hi@acme.test', to: 'ada@example.com', text: 'x' }
  for (let n = 0; n < 5; n++) await first.emails.send({ ...mail, subject: `mail ${n}` })
  await first.close()
  const second = await startInstance({ ...place, maxEmails: 2 })
  await expect
    .poll(async () => (await second.inbox.list()).items.map(({ subject }) => subject), { timeout: 10_000 })
    .toEqual(['mail 4', 'mail 3'])
})
