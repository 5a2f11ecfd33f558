import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createDownloads } from '../../src/outbox/downloads.ts'
import { createJobQueue } from '../../src/core/job-queue.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { jobs } from '../../src/instance/jobs.ts'
import { collections } from '../../src/instance/collections.ts'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import type { EmailType } from '../../src/emails/types.ts'
import { createOutbox } from '../../src/outbox/outbox.ts'
import type { Transport } from '../../src/outbox/transport.ts'
import { simulator } from '../../src/instance/simulator.ts'
import { blobOf, insert } from '../../src/store/store.ts'
import { openStore } from '../support/adapters.ts'
import { anEmail } from '../webhooks/_noun.ts'

it('a broadcast whose recipients all hang does not block other mail in the outbox', async () => {
  const store = await openStore(collections)
  const tried: string[] = []
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const capture: Transport = {
    async deliver({ id, rcpt_to, message }) {
      message.destroy()
      tried.push(id)
      if (id.startsWith('em_broadcast')) await ended
      return new Map(rcpt_to.map((to) => [to, { reply_code: 250, enhanced_code: '2.0.0', text: 'OK' }]))
    },
    close() {},
  }
  const outbox = createOutbox({
    store,
    clock: systemClock,
    capture,
    relay: null,
    simulator,
    causeOf: () => undefined,
    isOnSuppressionList: () => false,
    sources: { root: null, problemOf: () => null, timeoutMs: 1000 },
    thread: createJobThread(jobs, null),
    retryDelaysMs: [],
    hostname: 'localhost',
    largeWrites: createJobQueue(systemClock, 1, 1),
    downloads: createDownloads(systemClock),
    senderOf: () => Promise.reject(new Error('Every message is written already')),
    firstLinkOf: () => Promise.resolve(null),
    onError(error) {
      throw error
    },
  })
  const accept = async (id: string, type: EmailType): Promise<void> => {
    const now = Date.now()
    const email = anEmail(id, [`${id}@example.com`], now)
    const outboxState = { due: now, attempts: 0, via: 'capture' } as const
    const message = { size_bytes: 2, message_id: `<${id}@acme.test>` }
    await store.commit(
      [insert(emailCollection, { ...email, type, outbox: outboxState, outbox_due: now, message })],
      [blobOf(messageBlob(id), '\r\n')],
    )
    outbox.wake()
  }

  for (let i = 10; i < 60; i++) await accept(`em_broadcast${i}`, 'broadcast')
  await expect.poll(() => tried.length).toBeGreaterThan(0)
  // No further mail is started: every place for broadcasts is in use.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(tried.length).toBeLessThan(50)
  for (const id of ['em_code1', 'em_code2', 'em_code3']) {
    await accept(id, 'transactional')
    await expect.poll(() => tried).toContain(id)
  }
  end()
  await expect.poll(() => tried.length, { timeout: 5000 }).toBe(53)
  await outbox.close()
  await store.close()
})
