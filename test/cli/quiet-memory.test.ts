import { expect, onTestFinished, test, vi } from 'vitest'
import { giveMemoryBack } from '../../src/cli/quiet-memory.ts'

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

test('a collection runs in a quiet moment, and again only after the memory grew', async () => {
  const { state, looked } = fakeProcess()
  await looked()
  // The second one frees what the first could not.
  expect(state.collections).toBe(2)
  state.rss = 65 * mebibyte
  await looked()
  expect(state.collections).toBe(2)
  state.rss = 90 * mebibyte
  await looked()
  expect(state.collections).toBe(4)
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
