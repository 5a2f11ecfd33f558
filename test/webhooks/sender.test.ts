import { expect, it, onTestFinished } from 'vitest'
import { collections } from '../../src/instance/collections.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { WebhookSender } from '../../src/webhooks/sender.ts'
import { testClock } from '../support/clock.ts'

it('an instance that does not send counts again only when it is woken, also after an error', async () => {
  const store = await openMemoryStore({ collections })
  onTestFinished(() => store.close())
  const clock = testClock()
  const failure = new Error('The database is down.')
  const errors: unknown[] = []
  const webhook = { id: 'wh_1', url: 'http://127.0.0.1:9/', secret: 'whsec_', events: [] }
  const sender = new WebhookSender(webhook, {
    store: {
      ...store,
      leadership: { isMine: () => false, onMine: () => () => {} },
      count: () => Promise.reject(failure),
    },
    clock,
    shape: null,
    retryDelaysMs: [],
    tracer: null,
    timeoutMs: 1000,
    problemOf: () => null,
    onFinished: () => {},
    onError: (error) => errors.push(error),
  })
  sender.wake()
  await sender.idle()
  const { length } = errors
  expect(length).toBeGreaterThan(0)
  await clock.advance('1m')
  expect(errors).toHaveLength(length)
  expect(clock.timers()).toBe(0)
})
