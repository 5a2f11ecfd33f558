import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { expect, test, vi } from 'vitest'
import { Packed } from '../../src/store/packed.ts'
import { insert } from '../../src/store/store.ts'
import { tempFolder } from './_setup.ts'
import { idOf, item, items, open } from './_start-index.ts'

test('a store from which the oldest records are removed again and again keeps nothing of their segments', async () => {
  const dir = await tempFolder()
  const namesIn = async (folder: string): Promise<string[]> =>
    (await readdir(join(dir, ...folder.split('/'))).catch(() => [])).map((name) => name.slice(0, 6))
  const { store, fire } = await open(dir)
  const before = queryObjects(Packed, { format: 'count' })
  const kept = 3000
  for (let n = 0; n < 16_000; n += 500) {
    await store.commit(Array.from({ length: 500 }, (_, i) => insert(items, item(n + i))))
    const gone = Array.from({ length: n < kept ? 0 : 500 }, (_, i) => idOf(n - kept + i))
    await store.bulk(items, gone, 'remove')
    // Checkpoints follow, which write and remove files of records.
    const newest = Math.floor(n / 1000)
    const isWritten = async (): Promise<boolean> => {
      fire()
      return Number((await namesIn('items')).sort().at(-1) ?? 0) >= newest
    }
    await vi.waitUntil(isWritten, { timeout: 10_000, interval: 5 })
  }
  expect(await store.count(items)).toBe(kept)
  expect(queryObjects(Packed, { format: 'count' }) - before).toBeLessThan(7)
  await store.close()
  const segments = await namesIn('items')
  expect(segments.length).toBeLessThan(5)
  expect((await namesIn('derived/items')).sort()).toEqual(segments.sort())
})
