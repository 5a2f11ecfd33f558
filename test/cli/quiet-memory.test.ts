import { PerformanceObserver, constants } from 'node:perf_hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { collectEarly, giveMemoryBack } from '../../src/cli/quiet-memory.ts'

const mebibyte = 1024 * 1024

/** A process whose CPU time and memory the test sets; a collection leaves 60 MiB. */
function fakeProcess() {
  const state = { cpu: 0, busy: false, rss: 100 * mebibyte, looks: 0, collections: 0 }
  onTestFinished(
    giveMemoryBack(
      {
        cpuMs() {
          state.looks++
          return (state.cpu += state.busy ? 1000 : 1)
        },
        rss: () => state.rss,
        collect() {
          state.collections++
          state.rss = 60 * mebibyte
        },
      },
      2,
    ),
  )
  const looked = async (): Promise<void> => {
    const { looks } = state
    await vi.waitUntil(() => state.looks > looks + 5)
  }
  return { state, looked }
}

test('a collection runs once after the start, and twice after the memory grew', async () => {
  const { state, looked } = fakeProcess()
  await looked()
  expect(state.collections).toBe(1)
  state.rss = 65 * mebibyte
  await looked()
  expect(state.collections).toBe(1)
  state.rss = 90 * mebibyte
  await looked()
  // The second one frees what the first could not.
  expect(state.collections).toBe(3)
})

test('a second collection follows if the memory grew before the first one', async () => {
  const { state, looked } = fakeProcess()
  state.rss = 120 * mebibyte
  await looked()
  expect(state.collections).toBe(2)
})

test('no collection runs while there is work', async () => {
  const { state, looked } = fakeProcess()
  state.busy = true
  state.rss = 500 * mebibyte
  await looked()
  const { collections } = state
  await looked()
  expect(state.collections).toBe(collections)
  state.busy = false
  await vi.waitUntil(() => state.collections > collections)
})

test('garbage of this process is collected, without a flag of its command line', async () => {
  const garbage = new WeakRef(Array.from({ length: 1000 }, (_, n) => ({ n })))
  onTestFinished(giveMemoryBack(undefined, 5))
  await vi.waitUntil(() => garbage.deref() === undefined, { timeout: 10_000, interval: 50 })
  expect(garbage.deref()).toBeUndefined()
})

test('early collections run more often for the same garbage', async () => {
  onTestFinished(() => collectEarly(false))
  const usual = await collectionsOf(makeGarbage)
  collectEarly(true)
  const early = await collectionsOf(makeGarbage)
  expect(early).toBeGreaterThan(usual + 1)
})

/** Objects that live long enough to be moved to the old part of the heap. */
async function makeGarbage(): Promise<void> {
  const kept: unknown[] = []
  for (let n = 0; n < 1_000_000; n++) {
    kept[n % 100_000] = { n, more: [n, n, n, n] }
    if (n % 100_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The number of full collections during some work. */
async function collectionsOf(work: () => Promise<void>): Promise<number> {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if ('detail' in entry && Object(entry.detail).kind === constants.NODE_PERFORMANCE_GC_MAJOR) count++
  })
  observer.observe({ entryTypes: ['gc'] })
  await work()
  await new Promise((resolve) => setTimeout(resolve, 50))
  observer.disconnect()
  return count
}
