import { expect, it, onTestFinished, vi } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import { createIds } from '../../src/core/ids.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import type { DomainRecord } from '../../src/domains/domain.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { collections } from '../../src/instance/collections.ts'
import { jobs } from '../../src/instance/jobs.ts'
import { Schedule } from '../../src/sending/schedule.ts'
import { scheduledCollection } from '../../src/sending/scheduled.ts'
import { createSending } from '../../src/sending/sending.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, type Store } from '../../src/store/store.ts'
import { anEmail } from '../inbox/_email.ts'
import { testClock } from '../support/clock.ts'

it('a scheduled email whose content is damaged holds up no other, and is told of', async () => {
  const clock = testClock()
  const opened = await openMemoryStore({ collections })
  const damaged = new Set<string>()
  const store = new Proxy<Store>(opened, {
    get(target, name) {
      if (name === 'openBlob')
        return async (id: `${string}/${string}`) => {
          if (damaged.has(id.split('/')[0] ?? '')) throw new Error('The content is damaged.')
          return target.openBlob(id)
        }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  const errors: unknown[] = []
  const sending = createSending({
    store,
    clock,
    ids: createIds(clock),
    thread: createJobThread(jobs, null),
    pageSize: 50,
    via: 'capture',
    sources: { root: null },
    strict: false,
    escapeHtml: false,
    findTemplate: () => Promise.resolve(null),
    resolveSender: (name) => Promise.resolve({ id: 'dom_1', name, registered: true } as DomainRecord),
    wakeOutbox: () => undefined,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(async () => {
    await sending.schedule.close()
    await opened.close()
  })
  const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
  const later = { ...mail, send_at: clock.now() + 60_000 }
  // More than are taken up at once, the first of them damaged.
  const { results } = await sending.accept(
    Array.from({ length: 45 }, () => later),
    { surface: 'acme' },
  )
  const [first] = results
  if (first && 'id' in first) damaged.add(first.id)
  await clock.advance(60_000)
  await vi.waitFor(async () => expect(await opened.count(emailCollection)).toBe(44))
  await sending.schedule.idle()
  expect(errors).toEqual([expect.objectContaining({ message: 'The content is damaged.' })])
  expect((await sending.scheduled.list()).count).toBe(1)
})

it('a scheduled email that stays due is tried again by a timer, and not without a pause', async () => {
  const clock = testClock()
  const opened = await openMemoryStore({ collections })
  let commits = 0
  const store: Store = {
    ...opened,
    // Without an end, a search without a pause would hang the test.
    commit: (...given) =>
      ++commits > 1000
        ? opened.commit(...given)
        : Promise.reject(new LocalpostError('version_conflict', 'Changed meanwhile.')),
  }
  const record = { id: 'sch_1', version: 0, send_at: clock.now(), created: 0, via: 'capture' as const }
  await opened.commit([insert(scheduledCollection, { ...record, email: anEmail(1) })])
  const schedule = new Schedule({
    store,
    clock,
    ids: createIds(clock),
    wakeOutbox: () => undefined,
    onError: (error) => expect.unreachable(String(error)),
  })
  onTestFinished(async () => {
    await schedule.close()
    expect(clock.timers()).toBe(0)
    await opened.close()
  })
  await schedule.idle()
  expect(commits).toBe(1)
  await clock.advance(1)
  expect(commits).toBe(2)
})
