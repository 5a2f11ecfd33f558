import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Files, nodeFiles } from '../../src/core/files.ts'
import { insert, put, remove } from '../../src/store/store.ts'
import { nextTurn } from '../../src/core/machine.ts'
import { isLong } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { flipBit, flipCount, flipSeed } from './_flips.ts'
import { PowerFiles } from './_power.ts'
import { copyOf, systemError } from './_setup.ts'
import {
  items,
  collections,
  idOf,
  item,
  open,
  closed,
  indexIn,
  segmentIn,
  checked,
  answersOf,
  expectedOf,
} from './_start-index.ts'

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

test('records that the log changed after the index was written are as the log says', async () => {
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

test('an index that is truncated, or has a changed bit, is never used', { timeout: 120_000 }, async () => {
  const dir = await closed()
  const expected = await expectedOf(dir)
  const random = randomOf(flipSeed)
  for (let n = 0; n < flipCount; n++) {
    const copy = await copyOf(dir)
    const path = indexIn(copy, 1 + (n % 3))
    const { byteLength } = await readFile(path)
    const place = n % 4 === 0 ? `cut ${n}` : await flipBit(path, random)
    if (n % 4 === 0) await truncate(path, Math.floor(random() * byteLength))
    const { store, files } = await open(copy)
    expect(files.whole, place).toBe(1)
    expect(await answersOf(store), place).toEqual(expected)
    await store.close()
    await rm(copy, { recursive: true })
  }
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

test(
  'damage beneath an index is never served: refused, or told and left out',
  { timeout: 120_000 },
  async () => {
    const dir = await closed()
    const { store: whole } = await open(await copyOf(dir))
    const expected = new Map((await whole.page(items, { limit: 1e4 })).records.map((one) => [one.id, one]))
    const random = randomOf(flipSeed)
    const ends = { refused: 0, told: 0 }
    for (let n = 0; n < flipCount; n++) {
      const copy = await copyOf(dir)
      const place = await flipBit(segmentIn(copy, 1 + (n % 3)), random)
      const opened = await open(copy).catch((error: unknown) => {
        expect(error, place).toMatchObject({ code: 'store_corrupt' })
        return null
      })
      if (!opened) {
        ends.refused++
        continue
      }
      ends.told++
      const { store, fire, notices } = opened
      const { records } = await store.page(items, { limit: 1e4 })
      expect(records.length, place).toBeGreaterThanOrEqual(expected.size - 1)
      for (const record of records) expect(record, place).toEqual(expected.get(record.id))
      for (const id of [...expected.keys()].filter((id) => !records.some((record) => record.id === id)))
        await expect(store.get(items, id), place).rejects.toMatchObject({ code: 'store_corrupt' })
      await vi.waitFor(
        () => {
          fire()
          expect(
            notices.some((text) => text.includes('Found while Localpost uses the folder')),
            place,
          ).toBe(true)
        },
        { timeout: 10_000 },
      )
      await store.close()
      // From now on it is as without an index.
      await expect(open(copy), place).rejects.toMatchObject({ code: 'store_corrupt' })
    }
    expect(ends.told).toBeGreaterThan(flipCount / 2)
  },
)

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
  const files: Files = {
    ...nodeFiles,
    async open(path, flags) {
      const fd = await nodeFiles.open(path, flags)
      if (path.endsWith('.idx')) half.add(fd)
      return fd
    },
    async write(fd, bytes, at) {
      if (!half.has(fd)) return await nodeFiles.write(fd, bytes, at)
      if (isHalf && at === 0) return await nodeFiles.write(fd, bytes.subarray(0, 100), at)
      throw systemError('ENOSPC')
    },
  }
  const half = new Set<number>()
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

test.each(['process', 'disk'] as const)(
  'after a power cut at any operation (%s), a start with the indexes that are left answers as one without them',
  { timeout: 120_000 },
  async (durability) => {
    const random = randomOf(flipSeed)
    const power = new PowerFiles()
    const cuts: { after: PowerFiles; operation: number }[] = []
    let operation = 0
    power.onChange = () => {
      operation++
      if (random() < (isLong ? 1 : 0.3)) cuts.push({ after: power.cut(random), operation })
    }
    const indexes = new Set<number>()
    // Nothing syncs an index, but the disk may have written it early.
    const files: Files = {
      ...power.files,
      async open(path, flags) {
        const fd = await power.files.open(path, flags)
        if (path.endsWith('.idx')) indexes.add(fd)
        return fd
      },
      async close(fd) {
        if (indexes.delete(fd)) {
          await power.files.sync(fd)
          for (const folder of ['derived/items', 'derived', ''])
            await power.files.syncFolder(`/folder/${folder}`)
        }
        await power.files.close(fd)
      },
    }
    const options = { durability, files, boot: 'first', checkpointBytes: 1e12 }
    for (let life = 0; life < 3; life++) {
      const { store, fire } = await open('/folder', options)
      for (let round = 0; round < 3; round++) {
        const from = 40 * (3 * life + round)
        await store.commit(Array.from({ length: 40 }, (_, n) => insert(items, item(from + n))))
        await store.commit([put(items, item(from, { value: -from, seen: true, due: round }))])
        await store.commit([
          remove(items, idOf(from + 1)),
          put(items, item(2, { seen: round === 1, tags: [`r${round}`] })),
        ])
        for (let same = 0, seen = -1; same < 20; same = seen === operation ? same + 1 : 0) {
          if (seen < 0) fire()
          seen = operation
          await nextTurn()
        }
      }
      await store.close()
    }
    let taken = 0
    for (const { after, operation: at } of cuts) {
      const bare = after.cut(() => 0)
      for (const name of ['000001.idx', '000001.idx.tmp'])
        await bare.files.remove(`/folder/derived/items/${name}`)
      const left = { ...options, boot: 'second', collections }
      const { store } = await open('/folder', { ...left, files: bare.files })
      const expected = await answersOf(store)
      let whole = 0
      const readAll = async (path: string): Promise<Buffer | null> => {
        if (path === '/folder/items/000001.json') whole++
        return await after.files.readAll(path)
      }
      const isThere = (await after.files.size('/folder/items/000001.json')) !== null
      const { store: again } = await open('/folder', { ...left, files: { ...after.files, readAll } })
      if (isThere && whole === 0) taken++
      expect(await answersOf(again), `operation ${at}`).toEqual(expected)
    }
    expect(taken).toBeGreaterThan(cuts.length / 10)
  },
)
