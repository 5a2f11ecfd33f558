import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Files } from '../../src/core/files.ts'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import type { EmailEvent } from '../../src/emails/types.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { insert, remove, type Store } from '../../src/store/store.ts'
import { createHits, type Hits } from '../../src/tracking/hits.ts'
import { notOn, openStore } from '../support/adapters.ts'
import { testClock, type TestClock } from '../support/clock.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

let store: Store
let clock: TestClock
let hits: Hits
const by = { ip: '::1', user_agent: 'Reader\r\n\u0085 1' }
const sent: EmailEvent = { status: 'sent', timestamp: 1 }

beforeEach(async () => {
  const opened = await openStore([emailCollection])
  clock = testClock()
  onTestFinished(() => opened.close())
  store = opened
  hits = createHits({ store, clock, onError: (error) => expect.unreachable(String(error)) })
})

async function given(...events: EmailEvent[]): Promise<void> {
  const email = { id: 'em_1', recipients: [{ recipient: 'ada@x.test', events: [sent, ...events] }] }
  await store.commit([insert(emailCollection, email as unknown as EmailRecord)])
}

async function hit(recipient = 0, link?: string): Promise<EmailEvent[]> {
  expect(await hits.record({ email_id: 'em_1', recipient, link }, by)).toBe(true)
  return (await store.get(emailCollection, 'em_1'))?.recipients[0]?.events.slice(1) ?? []
}

describe('a hit', () => {
  it('is an event of its recipient, without control characters', async () => {
    await given()
    await hit()
    const base = { timestamp: clock.now(), ip: '::1', user_agent: 'Reader 1' }
    expect(await hit(0, 'http://a.test')).toEqual([
      { status: 'opened', ...base },
      { status: 'clicked', ...base, link: 'http://a.test' },
    ])
  })

  it('is never older than the event before it, even if the clock moved back', async () => {
    const timestamp = clock.now() + 5000
    await given({ status: 'delivery_delayed', timestamp })
    expect((await hit())[1]).toMatchObject({ status: 'opened', timestamp })
  })

  it.each<EmailEvent>([
    { status: 'bounced', timestamp: 2, type: 'Permanent', subtype: 'General' },
    { status: 'failed', timestamp: 2, reason: 'x' },
  ])('after $status is not an event', async (event) => {
    await given(event)
    expect(await hit()).toEqual([event])
  })

  it('after a temporary bounce is an event', async () => {
    await given({ status: 'bounced', timestamp: 2, type: 'Transient', subtype: 'MailboxFull' })
    expect(await hit()).toHaveLength(2)
  })

  it.each([1, -1, 0.5, Number.NaN])(
    'of recipient %d, who does not exist, is not an event',
    async (recipient) => {
      await given()
      expect(await hit(recipient)).toEqual([])
    },
  )

  it('of a removed email is reported as unknown', async () => {
    expect(await hits.record({ email_id: 'em_2', recipient: 0 }, by)).toBe(false)
  })

  it('is not an event after 500 events, so that a record cannot grow without limit', async () => {
    await given(...Array.from({ length: 498 }, (): EmailEvent => ({ status: 'complained', timestamp: 1 })))
    await hit()
    await hit()
    await hits.idle()
    expect(await hit()).toHaveLength(499)
  })
})

it('is waited for while it is being stored', async () => {
  await given()
  let isStored = false
  const commit = store.commit.bind(store)
  const begun = new Promise<void>((resolve) => {
    store.commit = async (...args) => {
      resolve()
      await new Promise((done) => setTimeout(done, 20))
      await commit(...args)
      isStored = true
    }
  })
  const recorded = hits.record({ email_id: 'em_1', recipient: 0 }, by)
  await begun
  await hits.idle()
  expect(isStored).toBe(true)
  expect(await recorded).toBe(true)
})

const ofFolder = notOn('PostgreSQL', 'it counts the bytes that are written to a folder')

describe('many hits on one email', () => {
  const agent = { ip: '203.0.113.1', user_agent: 'U'.repeat(512) }
  const link = `https://acme.test/${'a'.repeat(300)}`
  const recipients = Array.from({ length: 50 }, (_, n) => ({ recipient: `r${n}@x.test`, events: [sent] }))

  it.each([
    ['one after the other', 1],
    ['at once', 1200],
  ])('write a few megabytes at most: 1,200 %s', ofFolder, async (how, atOnce) => {
    const dir = await mkdtemp(join(tmpdir(), 'localpost-hits-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    let written = 0
    const files: Files = {
      ...nodeFiles,
      async write(fd, bytes, at) {
        const taken = await nodeFiles.write(fd, bytes, at)
        written += taken
        return taken
      },
    }
    store = await openLogStore({
      dir,
      files,
      collections: [emailCollection],
      clock: systemClock,
      durability: 'process',
    })
    await store.commit([insert(emailCollection, { id: 'em_1', recipients } as unknown as EmailRecord)])
    const own = createHits({
      store,
      clock: systemClock,
      onError: (error) => expect.unreachable(String(error)),
    })
    for (let n = 0; n < 1200; n += atOnce) {
      await Promise.all(
        Array.from({ length: atOnce }, async (_, i) => {
          const hit = { email_id: 'em_1', recipient: (n + i) % 50, link }
          expect(await own.record(hit, agent)).toBe(true)
        }),
      )
    }
    await own.close()
    expect(written).toBeLessThan(12e6)
    const stored = await store.get(emailCollection, 'em_1')
    for (const { events } of stored?.recipients ?? []) {
      expect(events).toHaveLength(1 + 1200 / 50)
      const times = events.map(({ timestamp }) => timestamp)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    }
    await store.close()
    const again = await openLogStore({
      dir,
      collections: [emailCollection],
      clock: systemClock,
      durability: 'process',
    })
    expect(await again.get(emailCollection, 'em_1')).toEqual(stored)
    await again.close()
    console.log(`1,200 hits ${how}: ${(written / 1e6).toFixed(1)} MB written`)
  })

  it('are stored within a second after their answer, and unknown once their email is removed', async () => {
    await store.commit([insert(emailCollection, { id: 'em_1', recipients } as unknown as EmailRecord)])
    const hit = { email_id: 'em_1', recipient: 0, link }
    const events = async (): Promise<number> =>
      (await store.get(emailCollection, 'em_1'))?.recipients[0]?.events.length ?? 0
    let answered = 0
    for (; (await events()) === answered + 1; answered++) expect(await hits.record(hit, agent)).toBe(true)
    await expect.poll(events, { interval: 50 }).toBe(answered + 1)
    await hits.record(hit, agent)
    await store.commit([remove(emailCollection, 'em_1')])
    expect(await hits.record(hit, agent)).toBe(false)
    await hits.close()
  })
})
