import { expect, test } from 'vitest'
import { Entry } from '../../src/store/entry.ts'
import { SortedIndex } from '../../src/store/sorted-index.ts'

const entry = (n: number): Entry =>
  new Entry({
    id: `n_${String(n).padStart(9, '0')}`,
    segment: 1,
    version: 1,
    text: '{}',
    keys: [],
    blobs: null,
  })
const random = (most: number): number => Math.floor(Math.random() * most)

test.each([
  [1000, 0, 10],
  [1000, 1, 0],
  [1000, 500, 100],
  [0, 20, 0],
  [100_000, 50_000, 50],
])('of %i records, %i are added and %i removed at once', (count, added, removed) => {
  const index = new SortedIndex('id', { on: ['id'], slot: null })
  const ids = new Set<string>()
  index.replaceAll(Array.from({ length: count }, (_, n) => entry(10 * n)))
  for (const { id } of index.slice(0, count)) ids.add(id)
  index.gather()
  for (const gone of index.slice(5, 5 + removed)) {
    index.remove(gone)
    ids.delete(gone.id)
  }
  for (let n = 0; n < added; n++) {
    // Some come after all others.
    const one = entry(10 * random(count + 5) + 1 + (n % 9))
    if (ids.has(one.id)) continue
    index.add(one)
    ids.add(one.id)
  }
  index.settle()
  expect(index.slice(0, index.size).map(({ id }) => id)).toEqual([...ids].sort())
})
