import { expect, test } from 'vitest'
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
