import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { LogStoreOptions } from '../../src/store/disk/open.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { type Collection, insert, type Store, type StoredRecord } from '../../src/store/store.ts'
import { inspect, openIn, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

interface Item extends StoredRecord {
  open?: boolean
  due: number | null
  more: unknown
}

/** Most records have no key, as most emails. */
const items: Collection<Item> = {
  name: 'items',
  large: true,
  indexes: { due: { on: ['due', 'id'] } },
  facts: {
    version: 1,
    flags: ['open'],
    members: ['open'],
    numbers: [],
    texts: [],
    of: ({ open }) => ({ flags: open === true ? 1 : 0, numbers: [], texts: [] }),
  },
}

const idOf = (n: number): string => `i_${String(n).padStart(6, '0')}`

/** Every third is not open, and every tenth has a key. */
const item = (n: number): Omit<Item, 'version'> => ({
  id: idOf(n),
  open: n % 3 > 0,
  due: n % 10 > 0 ? null : n,
  more: { text: `"open":true ${n}` },
})

const open = async (dir: string, options: Partial<LogStoreOptions> = {}): Promise<Store> => {
  const store = await openIn(dir, { collections: [items], ...options })
  onTestFinished(() => store.close())
  return store
}

/** A folder whose records are in files alone, and the store that it is opened with. */
async function atRest(count: number, hasIndex: boolean, options: Partial<LogStoreOptions> = {}) {
  const dir = await tempFolder()
  const first = await open(dir)
  await first.commit(Array.from({ length: count }, (_, n) => insert(items, item(n))))
  await first.close()
  if (!hasIndex) await rm(join(dir, 'derived'), { recursive: true })
  return { dir, store: await open(dir, options) }
}

const starts = [
  ['with', true],
  ['without', false],
] as const

test.each(starts)('flags are set in records at rest after a start %s an index', async (_, hasIndex) => {
  let opened = 0
  const files = {
    ...nodeFiles,
    openNow(path: string) {
      opened++
      return nodeFiles.openNow(path)
    },
  }
  const { dir, store } = await atRest(3000, hasIndex, { files })
  const ids = await store.ids(items)
  expect(ids).toHaveLength(3000)
  expect(await store.bulk(items, ids, { flag: 'open', is: false })).toBe(2000)
  expect(await store.count(items, { where: { flag: 'open' } })).toBe(0)
  expect(await store.bulk(items, ids.slice(0, 1500), { flag: 'open', is: true })).toBe(1500)
  await store.close()
  const expected = ids.map((id, n) => {
    const before = n % 3 > 0 ? 2 : 1
    return { ...item(n), id, open: n < 1500, version: n < 1500 ? before + 1 : before }
  })
  const again = await open(dir, { files })
  expect(await again.get(items, idOf(1490))).toEqual(expected[1490])
  expect((await again.page(items, { limit: 1e6 })).records).toEqual(expected)
  expect(await again.ids(items, { where: { flag: 'open' } })).toEqual(ids.slice(0, 1500))
  expect(await again.ids(items, { index: 'due' })).toEqual(ids.filter((_id, n) => n % 10 === 0))
  const before = opened
  expect(await again.bulk(items, ids.slice(1500), { flag: 'open', is: false })).toBe(0)
  expect(opened).toBe(before)
  await again.close()
  expect((await inspect(dir, { collections: [items] })).healthy).toBe(true)
})

test.each(starts)(
  'damaged records are reported after a start %s an index, and the flag is set in the others',
  async (_, hasIndex) => {
    const notices: string[] = []
    const { dir, store } = await atRest(300, hasIndex, { onNotice: (text) => notices.push(text) })
    const path = join(dir, 'items', '000001.json')
    const bytes = await readFile(path)
    // The second one has a key.
    for (const n of [50, 61]) bytes[bytes.indexOf(`:true ${n}"`) + 1] = 'T'.charCodeAt(0)
    await writeFile(path, bytes)
    const ids = await store.ids(items)
    const counts: number[] = []
    const onProgress = (done: number): void => void counts.push(done)
    expect(await store.bulk(items, ids, { flag: 'open', is: false }, { onProgress })).toBe(198)
    expect(counts.at(-1)).toBe(300)
    for (const n of [50, 61]) {
      const line = bytes
        .subarray(0, bytes.indexOf(idOf(n)))
        .toString()
        .split('\n').length
      expect(notices.filter((text) => text.includes(`000001.json:${line}`))).toHaveLength(1)
      await expect(store.get(items, idOf(n))).rejects.toMatchObject({ code: 'store_corrupt' })
    }
    expect(await store.get(items, idOf(52))).toMatchObject({ open: false, version: 2 })
  },
)

test('a commit of a flag has about a megabyte of text at most', async () => {
  const dir = await tempFolder()
  const store = await open(dir)
  const more = 'x'.repeat(200_000)
  await store.commit(Array.from({ length: 20 }, (_, n) => insert(items, { ...item(n), open: true, more })))
  const commitsOf = async (opened: Store, is: boolean): Promise<number> => {
    const seqs = new Set<number>()
    opened.changes(({ seq }) => seqs.add(seq))
    expect(await opened.bulk(items, await opened.ids(items), { flag: 'open', is })).toBe(20)
    await opened.close()
    return seqs.size
  }
  expect(await commitsOf(store, false)).toBe(4)
  expect(await commitsOf(await open(dir), true)).toBe(4)
})

test('a member of the same name in another one is left as it is where the record has none', async () => {
  const store = await openMemoryStore({ collections: [items] })
  const { open: _, ...without } = item(1)
  await store.commit([insert(items, { ...without, more: { open: false } })])
  expect(await store.bulk(items, [idOf(1)], { flag: 'open', is: true })).toBe(1)
  expect(await store.get(items, idOf(1))).toEqual({
    ...without,
    more: { open: false },
    open: true,
    version: 2,
  })
  await store.close()
})
