import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { onTestFinished } from 'vitest'
import type { Files } from '../../src/core/files.ts'
import type { LogStoreOptions } from '../../src/store/disk/open.ts'
import {
  blobOf,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoredRecord,
} from '../../src/store/store.ts'
import { contents, copyOf, manualClock, openAfterKill, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

export interface Item extends StoredRecord {
  value: number
  due: number | null
  seen: boolean
  tags: string[]
}

/** One in ten has a key, one in fifty has facts that only the record knows. */
export const items: Collection<Item> = {
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
const others: Collection<StoredRecord & { value: number }> = {
  name: 'others',
  large: true,
  indexes: {},
}
export const collections = [items, others]

export const idOf = (n: number): string => `i_${String(n).padStart(6, '0')}`
export const item = (n: number, members: Partial<Item> = {}): Omit<Item, 'version'> => ({
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

export async function open(dir: string, options: Partial<LogStoreOptions> = {}) {
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
export async function makeClosed(count = 2300): Promise<string> {
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

export const indexIn = (dir: string, number = 1, name = 'items'): string =>
  join(dir, 'derived', name, `00000${number}.idx`)
export const segmentIn = (dir: string, number = 1): string => join(dir, 'items', `00000${number}.json`)

/** The content of an index with its checksum. */
export function checked(content: Buffer): Buffer {
  const crc = Buffer.alloc(4)
  crc.writeUInt32LE(crc32(content))
  return Buffer.concat([content, crc])
}

/** All answers of a store. */
export async function answersOf(store: Store) {
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

export async function expectedOf(dir: string): ReturnType<typeof answersOf> {
  const copy = await copyOf(dir)
  await rm(join(copy, 'derived'), { recursive: true })
  const { store } = await open(copy)
  return await answersOf(store)
}
