import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { type Files, nodeFiles } from '../../src/core/files.ts'
import type { LogStoreOptions } from '../../src/store/open.ts'
import {
  blobOf,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoredRecord,
} from '../../src/store/store.ts'
import { nextTurn } from '../../src/core/machine.ts'
import { isLong } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { flipBit, flipCount, flipSeed } from './_flips.ts'
import { PowerFiles } from './_power.ts'
import {
  contents,
  copyOf,
  inspect,
  manualClock,
  noProcesses,
  openAfterKill,
  systemError,
  tempFolder,
} from './_setup.ts'

interface Item extends StoredRecord {
  value: number
  due: number | null
  seen: boolean
  tags: string[]
}

/** One in ten has a key, one in fifty has facts that only the record knows. */
const items: Collection<Item> = {
  name: 'items',
  large: true,
  indexes: { due: { on: ['due', 'id'] } },
  facts: {
    version: 1,
    flags: ['seen'],
    numbers: ['value', 'half'],
    texts: ['tag'],
    of: ({ seen, value, tags }) => ({ flags: seen ? 1 : 0, numbers: [value, value / 2], texts: [tags] }),
  },
}
const others: Collection<StoredRecord & { value: number }> = { name: 'others', large: true, indexes: {} }
const collections = [items, others]

const idOf = (n: number): string => `i_${String(n).padStart(6, '0')}`
const item = (n: number, members: Partial<Item> = {}): Omit<Item, 'version'> => ({
  id: idOf(n),
  value: n,
  due: n % 10 ? null : n,
  seen: n % 3 === 0,
  tags: n % 50 === 0 ? ['x'.repeat(2000)] : n % 4 ? [`tag ${n % 7}`] : [],
  ...members,
})

/**
 * The machine's files, but stamps of files of records never change, as on a disk that hides damage. Counts how
 * often such a file was read whole, and parts of it.
 */
function blindFiles(): Files & { whole: number; parts: number } {
  const isSegment = (path: string): boolean => /\d{6}\.json$/.test(path)
  const files = {
    ...nodeFiles,
    whole: 0,
    parts: 0,
    stampNow: (path: string) =>
      isSegment(path) ? { dev: 1, ino: 1, nlink: 1, mtimeMs: 1 } : nodeFiles.stampNow(path),
    readAll(path: string) {
      if (isSegment(path)) files.whole++
      return nodeFiles.readAll(path)
    },
    openNow(path: string) {
      if (isSegment(path)) files.parts++
      return nodeFiles.openNow(path)
    },
  }
  return files
}

async function open(dir: string, options: Partial<LogStoreOptions> = {}) {
  const { clock, fire } = manualClock()
  const notices: string[] = []
  const files = blindFiles()
  const store = await openAfterKill(dir, {
    collections,
    clock,
    files,
    onNotice: (text) => notices.push(text),
    ...options,
  })
  onTestFinished(() => store.close())
  return { store, fire, notices, files }
}

/** A closed folder: three segments, some of whose records were changed and removed after they were written. */
async function closed(count = 2300): Promise<string> {
  const dir = await tempFolder()
  const { store } = await open(dir)
  for (let n = 0; n < count; n += 100) {
    const some = Array.from({ length: 100 }, (_, i) => n + i)
    await store.commit(
      some.map((m) => insert(items, item(m))),
      some.filter((m) => m % 20 === 0).map((m) => blobOf(`${idOf(m)}/message`, `bytes ${m}`)),
    )
  }
  await store.commit([insert(others, { id: 'o_1', value: 1 }), insert(others, { id: 'o_2', value: 2 })])
  await store.close()
  const again = await open(dir)
  for (let n = 5; n < count; n += 100)
    await again.store.commit([put(items, item(n, { value: -n, seen: true }))])
  for (let n = 6; n < count; n += 100) await again.store.commit([remove(items, idOf(n))])
  await again.store.close()
  return dir
}

const indexIn = (dir: string, number = 1, name = 'items'): string =>
  join(dir, 'derived', name, `00000${number}.idx`)
const segmentIn = (dir: string, number = 1): string => join(dir, 'items', `00000${number}.json`)

/** The content of an index with its checksum. */
function checked(content: Buffer): Buffer {
  const crc = Buffer.alloc(4)
  crc.writeUInt32LE(crc32(content))
  return Buffer.concat([content, crc])
}

/** All answers of a store. */
async function answersOf(store: Store) {
  const ids = async (where: Parameters<Store['ids']>[1]): Promise<string[]> => await store.ids(items, where)
  return {
    ...(await contents(store, collections)),
    seen: await ids({ where: { flag: 'seen' } }),
    above: await ids({ where: { number: 'half', above: 500 } }),
    tagged: await ids({ where: { text: 'tag', equals: 'tag 3' } }),
    long: await ids({ where: { text: 'tag', equals: 'x'.repeat(2000) } }),
    middle: (await store.page(items, { offset: 1100, limit: 20 })).records,
    due: await ids({ index: 'due' }),
  }
}

async function expectedOf(dir: string): ReturnType<typeof answersOf> {
  const copy = await copyOf(dir)
  await rm(join(copy, 'derived'), { recursive: true })
  const { store } = await open(copy)
  return await answersOf(store)
}

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

describe('doctor', () => {
  const look = async (dir: string): Promise<string[]> => {
    const { findings } = await inspect(dir, { collections, processes: noProcesses })
    return findings
      .filter(({ subject }) => subject === 'index')
      .map(({ level, message, fix }) => `${level}: ${message} ${fix ?? ''}`)
  }

  /** A folder whose indexes are of its files as they are on this disk. */
  async function sound(): Promise<string> {
    const dir = await closed()
    const { store } = await open(dir, { files: nodeFiles })
    await store.ids(items, { where: { flag: 'seen' } })
    await store.close()
    return dir
  }

  it('says that indexes agree with their files, and names those that are not used', async () => {
    const dir = await sound()
    expect(await look(dir)).toEqual([expect.stringMatching(/^ok: 4 indexes/)])
    await truncate(indexIn(dir, 2), 100)
    expect(await look(dir)).toEqual([
      expect.stringContaining(indexIn(dir, 2)),
      expect.stringMatching(/^ok: 3 indexes/),
    ])
    // In a copy, every file is another one.
    expect(await look(await copyOf(dir))).toEqual([expect.stringMatching(/^ok: .*000001.idx, .*others/)])
  })

  it.each<[string, RegExp, (head: Head) => void, ((columns: Buffer) => void)?]>([
    [
      'the key of a record',
      /other keys of i_000010/,
      ({ keyed }) => void (keyed[1] = [10, 1, [[11, 'i_000010']]]),
    ],
    [
      'a place',
      /other places of i_000003/,
      () => {},
      (columns) => columns.writeUInt32LE(7, placesAt + 8 * 3),
    ],
    ['facts', /other facts of i_000003/, () => {}, (columns) => columns.writeUInt32LE(9, flagsAt + 4 * 3)],
    [
      'an id',
      /lacks i_000999.*does not have/,
      () => {},
      (columns) => columns.write('x', columns.byteLength - 4),
    ],
    ['the space of messages', /places of messages/, ({ usage }) => void (usage.logs = [[1, 5, 5]])],
  ])('finds an index with a valid checksum in which %s is wrong', async (_, found, inHead, inColumns) => {
    const dir = await sound()
    const bytes = await readFile(indexIn(dir))
    const end = bytes.indexOf('\n')
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Head
    inHead(head)
    const columns = Buffer.from(bytes.subarray(end + 1, -4))
    inColumns?.(columns)
    await writeFile(indexIn(dir), checked(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), columns])))
    const [problem = ''] = await look(dir)
    expect(problem).toMatch(found)
    expect(problem).toContain(`problem: ${indexIn(dir)}`)
    expect(problem).toContain('remove')
    await rm(indexIn(dir))
    expect(await look(dir)).toEqual([expect.stringMatching(/^ok: 3 indexes/)])
  })
})

interface Head {
  keyed: unknown[]
  usage: { logs: unknown[] }
}

// 990 records: two columns of numbers, then places and flags.
const placesAt = 990 * (8 + 8)
const flagsAt = placesAt + 990 * 8
