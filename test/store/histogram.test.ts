import { expect, test } from 'vitest'
import type { CollectionState } from '../../src/store/collection-state.ts'
import type { Entry } from '../../src/store/entry.ts'
import { histogramOf } from '../../src/store/histogram.ts'
import { IdOrder } from '../../src/store/id-order.ts'
import type { CountQuery } from '../../src/store/queries.ts'
import { insert, put, remove, type Store } from '../../src/store/store.ts'
import { madeOnce } from './_setup.ts'
import { type Item, idOf, item, items, makeClosed, open } from './_start-index.ts'

const closed = madeOnce(() => makeClosed())

const queries: readonly CountQuery[] = [
  { where: { flag: 'seen' } },
  { where: { not: { flag: 'seen' } } },
  { where: { any: [{ flag: 'seen' }, { not: { flag: 'seen' } }] } },
  { where: { all: [] } },
  { where: { flag: 'seen' }, until: [idOf(1500)] },
  { where: { flag: 'seen' }, prefix: [idOf(5)] },
]

/** What is counted equals what the records say. */
async function checkCounts(store: Store): Promise<void> {
  const { records } = await store.page(items, { limit: 10_000 })
  for (const query of queries)
    expect(await store.count(items, query)).toBe((await store.ids(items, query)).length)
  expect(await store.count(items, { where: { flag: 'seen' } })).toBe(
    records.filter(({ seen }) => seen).length,
  )
  expect([...(await store.tally(items, 'tag'))].sort()).toEqual([...tallied(records)].sort())
}

function tallied(records: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { tags } of records) for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return counts
}

/** A million records in memory, as one run. */
function manyInMemory(): { state: CollectionState; order: IdOrder } {
  const entry = { id: idOf(1), facts: [1], keys: [] } as unknown as Entry
  const order = new IdOrder(() => Array.from({ length: 1_000_000 }, () => entry))
  return { state: { facts: { slotOf: () => 0 }, idIndex: order } as unknown as CollectionState, order }
}

/** Calls `run` in each turn of the event loop until the promise is settled. */
async function meanwhile<T>(promise: Promise<T>, run: () => void): Promise<T> {
  let isSettled = false
  const turn = (): void => {
    if (isSettled) return
    run()
    setImmediate(turn)
  }
  setImmediate(turn)
  return promise.finally(() => (isSettled = true))
}

test('other work runs while many records in memory are counted', async () => {
  const { state, order } = manyInMemory()
  let turns = 0
  const counts = await meanwhile(histogramOf(state, order.span(), 'flags'), () => turns++)
  expect(counts).toEqual(new Map([[1, 1_000_000]]))
  expect(turns).toBeGreaterThan(2)
})

test('records that arrive all the time leave the count to another way, which goes on after each of them', async () => {
  const { state, order } = manyInMemory()
  let arrived = 0
  const counting = histogramOf(state, order.span(), 'flags')
  const counts = await meanwhile(counting, () => {
    if (++arrived <= 20) order.loose.add({ id: idOf(1 + arrived), facts: [1], keys: [] } as unknown as Entry)
  })
  expect(counts).toBe(null)
  expect(arrived).toBeLessThan(5)
})

test('flags and texts are counted in files, in memory, and where records were changed and removed', async () => {
  const { store } = await open(await closed())
  await checkCounts(store)
  await store.commit([insert(items, item(9000, { seen: true, tags: ['new', 'tag 3', 'new'] }))])
  await store.commit([put(items, item(7, { seen: true, tags: ['new'] })), remove(items, idOf(1200))])
  await checkCounts(store)
  // Texts beyond the limit of the facts are only in the records.
  for (let n = 0; n < 2300; n += 50) await store.commit([remove(items, idOf(n))])
  await checkCounts(store)
  await store.commit([insert(items, item(1200, { seen: true }))])
  await checkCounts(store)
})
