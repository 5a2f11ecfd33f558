import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Files } from '../../src/core/files.ts'
import { insert, put, remove } from '../../src/store/store.ts'
import { namedFiles } from '../support/named-files.ts'
import { copyOf, madeOnce, systemError, tempFolder } from './_setup.ts'
import {
  items,
  idOf,
  item,
  open,
  makeClosed,
  indexIn,
  segmentIn,
  checked,
  answersOf,
  expectedOf,
} from './_start-index.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const closed = madeOnce(() => makeClosed())

test('a start reads no file of records that has an index, and answers as one that read them all', async () => {
  const dir = await closed()
  const expected = await expectedOf(dir)
  const { store, files } = await open(dir)
  expect(files.whole).toBe(0)
  expect(await store.ids(items, { where: { flag: 'seen' } })).toEqual(expected.seen)
  expect(await store.count(items, { where: { number: 'value', below: 0 } })).toBe(23)
  // The last line of each file was read, and no record.
  expect(files.parts).toBe(4)
  expect(await answersOf(store)).toEqual(expected)
})

test('records that changed after the index was written are those of the log', async () => {
  const dir = await closed()
  const { store } = await open(dir)
  await store.commit([put(items, item(100, { value: 7, due: 1 })), remove(items, idOf(2001))])
  await store.commit([insert(items, item(5000)), put(items, item(2002, { seen: false }))])
  const copy = await copyOf(dir)
  const expected = await expectedOf(copy)
  const { store: after, files } = await open(copy)
  expect(files.whole).toBe(0)
  expect(await answersOf(after)).toEqual(expected)
  expect(await after.get(items, idOf(100))).toMatchObject({ value: 7 })
  expect(await after.get(items, idOf(2001))).toBeNull()
})

test.each([
  'missing',
  'emptied',
  'a folder',
  'of another segment',
  'of another collection',
  'of an earlier file',
])('an index that is %s is not used, and nothing else changes', async (kind) => {
  const dir = await closed()
  const earlier = await readFile(indexIn(dir))
  const changed = await open(dir)
  await changed.store.commit([put(items, item(1, { value: 99 }))])
  await changed.store.close()
  const expected = await expectedOf(dir)
  const path = indexIn(dir)
  if (kind === 'missing') await rm(path)
  if (kind === 'emptied') await truncate(path, 0)
  if (kind === 'a folder') await rm(path).then(() => mkdir(path))
  if (kind === 'of another segment') await rename(indexIn(dir, 2), path)
  if (kind === 'of another collection') await rename(indexIn(dir, 1, 'others'), path)
  if (kind === 'of an earlier file') await writeFile(path, earlier)
  const { store, files, notices } = await open(dir)
  expect(files.whole).toBe(kind === 'of another segment' || kind === 'of another collection' ? 2 : 1)
  expect(await answersOf(store)).toEqual(expected)
  await store.close()
  expect(notices).toEqual([])
  const { files: next } = await open(dir)
  expect(next.whole).toBe(kind === 'a folder' ? 1 : 0)
})

test.each<[string, Record<string, unknown>]>([
  ['a huge count', { columns: { count: 1e12, idBytes: 1e12, hasEnds: true, numbers: [4, 8], codes: 1 } }],
  ['a negative count', { columns: { count: -5, idBytes: -1, hasEnds: false, numbers: null, codes: -1 } }],
  ['no columns', { columns: null }],
  ['keys that are no array', { keyed: { length: 3 } }],
  ['another format', { form: 2 }],
  ['facts of another definition', { facts: '[2]' }],
])('an index with %s and a valid checksum is not used', async (_, members) => {
  const dir = await closed()
  const path = indexIn(dir)
  const bytes = await readFile(path)
  const end = bytes.indexOf('\n')
  const head = { ...(JSON.parse(bytes.toString('utf8', 0, end)) as object), ...members }
  await writeFile(path, checked(Buffer.concat([Buffer.from(JSON.stringify(head)), bytes.subarray(end, -4)])))
  const expected = await expectedOf(dir)
  const { store, files } = await open(dir)
  expect(files.whole).toBe(1)
  expect(await answersOf(store)).toEqual(expected)
})

test('an edit by hand is loaded with a notice, and damage that changes the file is refused, as without an index', async () => {
  const dir = await closed()
  const options = { files: nodeFiles }
  await (await open(dir, options)).store.close()
  const path = segmentIn(dir, 2)
  const text = await readFile(path, 'utf8')
  const edited = text.replace('"value":1500,', '"value":9999,')
  expect(edited).not.toBe(text)
  await writeFile(path, edited)
  await expect(open(dir, options)).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining('000002.json:'),
  })
  await writeFile(path, edited.replace(/"crc":"[0-9a-f]{8}"\}\n$/, '}'))
  const { store, notices } = await open(dir, options)
  expect(await store.get(items, idOf(1500))).toMatchObject({ value: 9999 })
  expect(notices.join()).toContain(idOf(1500))
})

test('where an index cannot be written, nothing else fails, and nothing is left of it', async () => {
  const dir = await closed()
  await rm(join(dir, 'derived'), { recursive: true })
  const full = (path: string): void => {
    if (path.includes('derived')) throw systemError('ENOSPC')
  }
  let isHalf = true
  const named = namedFiles(nodeFiles)
  const files: Files = {
    ...named,
    async write(fd, bytes, at) {
      if (!named.pathOf(fd).endsWith('.idx')) return await nodeFiles.write(fd, bytes, at)
      if (isHalf && at === 0) return await nodeFiles.write(fd, bytes.subarray(0, 100), at)
      throw systemError('ENOSPC')
    },
  }
  const first = await open(dir, { files })
  await first.store.commit([insert(items, item(9000))])
  await first.store.close()
  expect(first.notices).toEqual([])
  expect(await readdir(join(dir, 'derived', 'items'))).toEqual([])
  isHalf = false
  const second = await open(dir, {
    files: { ...files, makeFolder: async (path) => (full(path), await nodeFiles.makeFolder(path)) },
  })
  expect(await second.store.get(items, idOf(9000))).toMatchObject({ value: 9000 })
  await second.store.close()
  expect(second.notices).toEqual([])
})

test('a segment whose records will change soon gets its index when the store is closed', async () => {
  const dir = await tempFolder()
  const { store, fire } = await open(dir, { awakeSegments: 1 })
  // The check after the start would write all of them.
  fire()
  for (let n = 0; n < 3000; n += 500) {
    const some = Array.from({ length: 500 }, (_, i) => n + i)
    await store.commit(some.map((m) => insert(items, item(m, { due: m < 1000 && m % 5 === 0 ? m : null }))))
  }
  fire()
  const indexes = (): Promise<string[]> => readdir(join(dir, 'derived', 'items')).catch(() => [])
  await vi.waitFor(async () => expect(await indexes()).not.toEqual([]), { timeout: 20_000 })
  expect(await indexes()).toEqual(['000002.idx'])
  await store.close()
  expect((await indexes()).sort()).toEqual(['000001.idx', '000002.idx', '000003.idx'])
})

test('indexes may be deleted at any time, and those of removed segments are removed', async () => {
  const dir = await closed()
  const { store } = await open(dir)
  await rm(join(dir, 'derived'), { recursive: true })
  await store.bulk(
    items,
    Array.from({ length: 1000 }, (_, n) => idOf(n)),
    'remove',
  )
  const expected = await answersOf(store)
  await store.close()
  const next = await open(dir)
  expect(next.files.whole).toBe(3)
  expect(await answersOf(next.store)).toEqual(expected)
  await next.store.close()
  expect((await readdir(join(dir, 'derived', 'items'))).sort()).toEqual(['000002.idx', '000003.idx'])
  const again = await open(dir)
  expect(again.files.whole).toBe(0)
  expect(await answersOf(again.store)).toEqual(expected)
  await again.store.bulk(
    items,
    Array.from({ length: 2000 }, (_, n) => idOf(n)),
    'remove',
  )
  await again.store.close()
  expect(await readdir(join(dir, 'derived', 'items'))).toEqual(['000003.idx'])
})
