import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../src/core/ids.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import type { DomainRecord } from '../../src/domains/domain.ts'
import { LocalpostError } from '../../src/index.ts'
import { collections } from '../../src/instance/collections.ts'
import { jobs } from '../../src/instance/jobs.ts'
import { createSending } from '../../src/sending/sending.ts'
import type { Sending } from '../../src/sending/service.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { scheduledCollection } from '../../src/sending/scheduled.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import type { Store } from '../../src/store/store.ts'
import { testClock } from '../support/clock.ts'

const clock = testClock()
let store: Store
let sending: Sending
/** How many commits added emails. */
let commits = 0
beforeAll(async () => {
  store = await openMemoryStore({ collections })
  store.beforeCommit((changes) => {
    if (changes.some(({ collection }) => collection.name === 'emails')) commits++
    return null
  })
  sending = createSending({
    store,
    clock,
    ids: createIds(clock),
    thread: createJobThread(jobs, null),
    pageSize: 50,
    maxScheduled: 5,
    via: 'capture',
    sources: { root: null },
    strict: false,
    escapeHtml: false,
    findTemplate: () => Promise.resolve(null),
    resolveSender: (name) =>
      name === 'closed.test'
        ? Promise.reject(new LocalpostError('domain_not_verified', 'Not verified.'))
        : Promise.resolve({ id: 'dom_1', name, registered: true } as DomainRecord),
    wakeOutbox: () => undefined,
    onError: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  await sending.schedule.close()
  await store.close()
})

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
const surface = 'acme'

describe('accept with partial', () => {
  it('stores the right requests in one commit, and gives the others their errors in place', async () => {
    const before = commits
    const requests = [mail, { ...mail, to: 'x' }, mail, { ...mail, from: 'hi@closed.test' }, null]
    const { results } = await sending.accept(requests, { surface, partial: true })
    expect(results).toEqual([
      { id: expect.stringMatching(/^em_/), warnings: [] },
      {
        error: expect.objectContaining({
          code: 'validation_error',
          errors: [expect.objectContaining({ field: 'to' })],
        }),
      },
      { id: expect.stringMatching(/^em_/), warnings: [] },
      { error: expect.objectContaining({ code: 'domain_not_verified' }) },
      { error: expect.objectContaining({ code: 'validation_error' }) },
    ])
    expect(commits).toBe(before + 1)
  })

  it('stores nothing where all are wrong, and gives the same answer for the same key', async () => {
    const call = (): ReturnType<Sending['accept']> =>
      sending.accept([{ ...mail, to: 'x' }, mail], { surface, partial: true, idempotencyKey: 'k' })
    const first = await call()
    const count = await store.count(emailCollection)
    const again = await call()
    expect(again).toEqual(first)
    expect(await store.count(emailCollection)).toBe(count)
    expect((await sending.accept([null], { surface, partial: true })).results).toMatchObject([
      { error: { code: 'validation_error' } },
    ])
  })

  it('has keys of its own for each surface', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => sending.accept([mail], { surface: name, idempotencyKey: 'same' })),
    )
    expect(one).not.toEqual(other)
  })

  it('keeps to the number of recipients that the caller allows', async () => {
    const requests = [{ ...mail, to: ['a@x.test', 'b@x.test', 'c@x.test'] }]
    await expect(sending.accept(requests, { surface, maxRecipients: 2 })).rejects.toThrow('at most 2')
  })
})

describe('find', () => {
  it('finds all emails of an id, of this provider only, before and after they are sent', async () => {
    const provider = { name: 'acme', message_id: '<1@acme.test>' }
    const send_at = clock.now() + 1000
    const { results } = await sending.accept(
      [
        { ...mail, provider },
        { ...mail, provider },
        { ...mail, provider, send_at },
      ],
      { surface },
    )
    expect(results).toMatchObject([
      { message_id: '<1@acme.test>' },
      {},
      { id: expect.stringMatching(/^sch_/) },
    ])
    const found = await sending.find('acme', '<1@acme.test>')
    expect(found?.emails).toHaveLength(2)
    expect(found?.scheduled).toHaveLength(1)
    expect(await sending.find('other', '<1@acme.test>')).toBeNull()
    expect(await sending.find('acme', '<1@acme.test')).toBeNull()
    await clock.advance(1000)
    await sending.schedule.idle()
    const sent = await sending.find('acme', '<1@acme.test>')
    expect(sent?.emails.map(({ provider: one }) => one)).toEqual([provider, provider, provider])
    expect(sent?.scheduled).toEqual([])
    expect(await store.count(scheduledCollection)).toBe(0)
  })

  it('takes no more scheduled emails than may wait, and says so', async () => {
    const later = { ...mail, send_at: clock.now() + 1000 }
    const send = (count: number) =>
      sending.accept(
        Array.from({ length: count }, () => later),
        { surface },
      )
    await send(4)
    await expect(send(2)).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('4 scheduled emails wait, and at most 5 may') as string,
    })
    expect(await store.count(scheduledCollection)).toBe(4)
    await send(1)
    await expect(send(1)).rejects.toMatchObject({ code: 'state_conflict' })
    await sending.accept([mail], { surface })
    await clock.advance(1000)
    await sending.schedule.idle()
    await send(5)
  })
})
