import { beforeEach, expect, test } from 'vitest'
import { idempotencyCollection } from '../../src/sending/idempotency.ts'
import { startKeyExpiry } from '../../src/sending/key-expiry.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, type Store } from '../../src/store/store.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 0, 2)

let store: Store
let now: number
let timers: Map<() => void, number>
const clock = {
  now: () => now,
  after(ms: number, run: () => void) {
    timers.set(run, now + ms)
    return () => void timers.delete(run)
  },
}

beforeEach(async () => {
  store = await openMemoryStore({ collections: [idempotencyCollection] })
  now = start
  timers = new Map()
})

/** Keys that were first used at a given time. */
async function given(count: number, created: number): Promise<void> {
  const records = Array.from({ length: count }, (_, n) => ({
    id: `${created}-${n}`,
    body_hash: 'h',
    email_id: `em_${n}`,
    created,
  }))
  await store.commit(records.map((record) => insert(idempotencyCollection, record)))
}

function advance(ms: number): void {
  now += ms
  for (const [run, due] of timers) {
    if (due > now) continue
    timers.delete(run)
    run()
  }
}

const expiry = (
  target = store,
  onError: (error: unknown) => void = (error) => expect.unreachable(String(error)),
) => startKeyExpiry({ store: target, clock, onError })

test('expired keys are removed soon after the start, however many, and no others', async () => {
  await given(450, start - dayMs)
  await given(7, start - dayMs + hourMs)
  const sweeper = expiry()
  await sweeper.idle()
  expect(await store.count(idempotencyCollection)).toBe(457)
  advance(10_000)
  await sweeper.idle()
  expect(await store.count(idempotencyCollection)).toBe(7)
  await sweeper.close()
})

test('the other keys are removed within an hour of their expiry, without a request', async () => {
  await given(3, start - 22.5 * hourMs)
  const sweeper = expiry()
  for (const left of [3, 0]) {
    advance(hourMs)
    await sweeper.idle()
    expect(await store.count(idempotencyCollection)).toBe(left)
  }
  await sweeper.close()
})

test('a fault is reported, and the next hour tries again', async () => {
  await given(3, start - dayMs)
  let faults = 1
  const failing: Store = {
    ...store,
    commit: (...given) => (faults-- > 0 ? Promise.reject(new Error('injected')) : store.commit(...given)),
  }
  const errors: unknown[] = []
  const sweeper = expiry(failing, (error) => errors.push(error))
  advance(10_000)
  await sweeper.idle()
  expect(errors).toHaveLength(1)
  advance(hourMs)
  await sweeper.idle()
  expect(await store.count(idempotencyCollection)).toBe(0)
  await sweeper.close()
})

test('no timer is left after close', async () => {
  const sweeper = expiry()
  await sweeper.close()
  expect(timers.size).toBe(0)
})
