import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Files } from '../../src/core/files.ts'
import type { LogStoreOptions } from '../../src/store/disk/open.ts'
import { Packed } from '../../src/store/packed.ts'
import {
  blobOf,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoredRecord,
  update,
} from '../../src/store/store.ts'
import { manualClock, noProcesses, openAfterKill, openIn, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

interface Item extends StoredRecord {
  value: number
  due: number | null
}

/** Most records have no key, as most emails. */
const items: Collection<Item> = { name: 'items', large: true, indexes: { due: { on: ['due', 'id'] } } }

const idOf = (n: number): string => `i_${String(n).padStart(6, '0')}`
const item = (n: number, members: Partial<Item> = {}): Omit<Item, 'version'> => ({
  id: idOf(n),
  value: n,
  due: null,
  ...members,
})

/** A store whose checkpoints are made when the test says so; each leaves no record in memory. */
async function open(options: Partial<LogStoreOptions> = {}, dir?: string) {
  const folder = dir ?? (await tempFolder())
  const { clock, fire } = manualClock()
  const notices: string[] = []
  const files = countingFiles()
  const store = await openAfterKill(folder, {
    collections: [items],
    clock,
    files,
    onNotice: (text) => notices.push(text),
    ...options,
  })
  onTestFinished(() => store.close())
  return {
    store,
    dir: folder,
    notices,
    files,
    /** Makes a checkpoint, and waits until its file is there. */
    async checkpoint() {
      const before = files.checkpoints
      fire()
      await vi.waitUntil(() => files.checkpoints > before, { timeout: 10_000 })
      // Records leave the memory in the turns that follow.
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    },
    async fill(from: number, to: number, members: (n: number) => Partial<Item> = () => ({})) {
      for (let n = from; n < to; n += 500) {
        const some = Array.from({ length: Math.min(500, to - n) }, (_, i) => n + i)
        await store.commit(
          some.map((m) => insert(items, item(m, members(m)))),
          some.filter((m) => m % 100 === 0).map((m) => blobOf(`${idOf(m)}/message`, `bytes ${m}`)),
        )
      }
    },
  }
}

/** The machine's files. Counts how often a segment was opened for reading a record, and checkpoints. */
function countingFiles(): Files & { opened: number; checkpoints: number } {
  let isNamed = false
  const counting = {
    ...nodeFiles,
    opened: 0,
    checkpoints: 0,
    async rename(from: string, to: string) {
      await nodeFiles.rename(from, to)
      isNamed ||= to.endsWith('checkpoint.json')
    },
    async syncFolder(path: string) {
      await nodeFiles.syncFolder(path)
      if (isNamed) counting.checkpoints++
      isNamed = false
    },
    openNow(path: string) {
      if (path.endsWith('.json')) counting.opened++
      return nodeFiles.openNow(path)
    },
  }
  return counting
}

const segmentIn = (dir: string, number = 1): string =>
  join(dir, 'items', `${String(number).padStart(6, '0')}.json`)

test('records that were written to a segment are read from it, in each way of reading', async () => {
  const { store, files, checkpoint, fill } = await open()
  await fill(0, 2500, (n) => ({ due: n % 1000 === 7 ? n : null }))
  await checkpoint()
  expect(files.opened).toBe(0)
  expect(await store.get(items, idOf(3))).toEqual({ ...item(3), version: 1 })
  expect(files.opened).toBe(1)
  expect(await store.get(items, 'i_none')).toBeNull()
  expect(await store.count(items)).toBe(2500)
  expect(await store.count(items, { until: [idOf(1200)] })).toBe(1201)
  const ids = async (query: Parameters<Store['page']>[1]): Promise<string[]> =>
    (await store.page(items, query)).records.map(({ id }) => id)
  expect(await ids({ limit: 3, after: [idOf(998)] })).toEqual([idOf(999), idOf(1000), idOf(1001)])
  expect(await ids({ limit: 2, direction: 'desc', offset: 1500 })).toEqual([idOf(999), idOf(998)])
  const any = [2001, 2002, 2003, 2004].map((value) => ({ member: 'value', equals: value }))
  expect(await ids({ limit: 3, where: { any } })).toEqual([2001, 2002, 2003].map(idOf))
  expect(await ids({ index: 'due' })).toEqual([7, 1007, 2007].map(idOf))
  expect((await store.page(items, { limit: 1e6 })).records.map(({ value }) => value)).toEqual(
    Array.from({ length: 2500 }, (_, n) => n),
  )
  expect(await store.readBlob(`${idOf(700)}/message`)).toEqual(Buffer.from('bytes 700'))
  expect(await store.blobSize(`${idOf(701)}/message`)).toBeNull()
})

test('changes of records that rest are checked against them, and can be read before and after a checkpoint', async () => {
  const { store, checkpoint, fill, dir } = await open()
  await fill(0, 1500)
  await checkpoint()
  const old = await store.get(items, idOf(100))
  await expect(store.commit([insert(items, item(100))])).rejects.toMatchObject({ code: 'unique_conflict' })
  await expect(store.commit([update(items, { ...old!, version: 7 })])).rejects.toMatchObject({
    code: 'version_conflict',
  })
  await store.commit([update(items, { ...old!, value: -1 }), remove(items, idOf(101))])
  await store.commit([put(items, item(1400, { value: -2 }))], [blobOf(`${idOf(1400)}/message`, 'new')])
  const check = async (store: Store): Promise<void> => {
    expect(await store.get(items, idOf(100))).toEqual({ ...item(100, { value: -1 }), version: 2 })
    expect(await store.get(items, idOf(101))).toBeNull()
    expect(await store.get(items, idOf(1400))).toEqual({ ...item(1400, { value: -2 }), version: 2 })
    expect(await store.readBlob(`${idOf(1400)}/message`)).toEqual(Buffer.from('new'))
    expect(await store.readBlob(`${idOf(100)}/message`)).toEqual(Buffer.from('bytes 100'))
    expect(await store.count(items)).toBe(1499)
    const { records } = await store.page(items, { after: [idOf(98)], limit: 3 })
    expect(records.map(({ value }) => value)).toEqual([99, -1, 102])
  }
  await check(store)
  await checkpoint()
  await check(store)
  // As after a kill: the same folder once more.
  await check((await open({}, dir)).store)
})

test('whatever happens to records in any order, reads agree with a map, across checkpoints and restarts', async () => {
  let seed = 20_261_122
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
  const model = new Map<string, Item>()
  let opened = await open()
  async function agree(): Promise<void> {
    const { store } = opened
    const sorted = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(await store.count(items)).toBe(sorted.length)
    expect((await store.page(items, { limit: 1e6 })).records).toEqual(sorted)
    for (let i = 0; i < 10; i++) {
      const after = idOf(random(8000))
      const offset = random(50)
      const behind = sorted.filter(({ id }) => id > after)
      expect((await store.page(items, { after: [after], offset, limit: 20 })).records).toEqual(
        behind.slice(offset, offset + 20),
      )
      const before = sorted.filter(({ id }) => id < after).reverse()
      expect(
        (await store.page(items, { after: [after], offset, limit: 20, direction: 'desc' })).records,
      ).toEqual(before.slice(offset, offset + 20))
      expect(await store.count(items, { until: [after] })).toBe(sorted.filter(({ id }) => id <= after).length)
      expect(await store.get(items, after)).toEqual(model.get(after) ?? null)
    }
  }
  for (let round = 0; round < 12; round++) {
    const { store } = opened
    for (let n = 0; n < 400; n++) {
      // Mostly ascending ids, as in the product, and some anywhere.
      const id = random(4) > 0 ? idOf(round * 500 + n) : idOf(random(8000))
      const due = random(10) === 0 ? random(100) : null
      const known = model.get(id)
      if (known && random(3) === 0) {
        await store.commit([remove(items, id, known.version)])
        model.delete(id)
      } else {
        const record = { id, value: random(1e6), due, version: (known?.version ?? 0) + 1 }
        await store.commit([
          known ? update(items, { ...record, version: known.version }) : insert(items, record),
        ])
        model.set(id, record)
      }
    }
    await agree()
    if (round % 2 === 0) await opened.checkpoint()
    await agree()
    if (round % 3 === 2) opened = await open({}, opened.dir)
    if (round % 3 === 2) await agree()
  }
  const due = [...model.values()]
    .filter((record) => record.due !== null)
    .sort((a, b) => (a.due ?? 0) - (b.due ?? 0) || (a.id < b.id ? -1 : 1))
  expect((await opened.store.page(items, { index: 'due', limit: 1e6 })).records).toEqual(due)
})

test('a damaged line is an error of that record alone, which names the file and the line', async () => {
  const { store, dir, notices, checkpoint, fill } = await open()
  await fill(0, 300)
  await checkpoint()
  const path = segmentIn(dir)
  const bytes = await readFile(path)
  const at = bytes.indexOf(`"value":50,`)
  bytes[at + 9] = '9'.charCodeAt(0)
  await writeFile(path, bytes)
  const line = bytes.subarray(0, at).toString().split('\n').length
  const error = {
    code: 'store_corrupt',
    message: expect.stringContaining(`000001.json:${line}: line ${line} `),
  }
  await expect(store.get(items, idOf(50))).rejects.toMatchObject(error)
  expect(await store.get(items, idOf(51))).toEqual({ ...item(51), version: 1 })
  const { records, more } = await store.page(items, { limit: 100 })
  expect(records.map(({ value }) => value)).toEqual(
    Array.from({ length: 101 }, (_, n) => n).filter((n) => n !== 50),
  )
  expect(more).toBe(true)
  expect(notices.filter((text) => text.includes(`000001.json:${line}`))).not.toEqual([])
  // The others can still be changed, and the damage stays visible.
  await store.commit([update(items, { ...item(51, { value: -51 }), version: 1 })])
  await checkpoint()
  await expect(store.get(items, idOf(50))).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(await store.get(items, idOf(51))).toMatchObject({ value: -51 })
  // It can be removed.
  await store.commit([remove(items, idOf(50))])
  await checkpoint()
  expect(await store.get(items, idOf(50))).toBeNull()
  expect(await store.count(items)).toBe(299)
})

test('a missing segment is an error that names the file, and does not harm records of others', async () => {
  const { store, dir, checkpoint, fill } = await open()
  await fill(0, 1200)
  await checkpoint()
  await rm(segmentIn(dir, 1))
  await expect(store.get(items, idOf(5))).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining('000001.json'),
  })
  expect(await store.get(items, idOf(1100))).toMatchObject({ value: 1100 })
})

test('a record is read correctly while its segment is replaced or its record changed, as often as that happens', async () => {
  const { store, checkpoint, fill } = await open()
  await fill(0, 1000)
  await checkpoint()
  let isDone = false
  const reading = (async () => {
    let reads = 0
    for (let n = 0; !isDone; n = (n + 37) % 1000, reads++) {
      expect(await store.get(items, idOf(n))).toMatchObject({ id: idOf(n) })
      if (reads % 5 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (reads % 50 === 0)
        expect((await store.page(items, { limit: 1e4 })).records.map(({ id }) => id)).toHaveLength(1000)
    }
    return reads
  })()
  for (let round = 1; round <= 15; round++) {
    const { version } = (await store.get(items, idOf(round)))!
    await store.commit([update(items, { ...item(round, { value: -round }), version })])
    // The lines after it move, since this one is longer.
    await store.commit([put(items, item(0, { value: 10 ** round }))])
    await checkpoint()
    expect(await store.get(items, idOf(round))).toMatchObject({ value: -round })
  }
  isDone = true
  expect(await reading).toBeGreaterThan(100)
})

const packsInMemory = (): number => Number(queryObjects(Packed))

test('records that were read keep the places of replaced files in memory no longer', async () => {
  const { store, checkpoint, fill } = await open()
  await fill(0, 100)
  await checkpoint()
  const packs = packsInMemory()
  for (let round = 1; round <= 5; round++) {
    // What is cached of this record is of the file that the next change replaces.
    expect(await store.get(items, idOf(round))).toMatchObject({ value: round })
    await store.commit([put(items, item(0, { value: -round }))])
    await checkpoint()
  }
  expect(packsInMemory()).toBeLessThanOrEqual(packs + 1)
})

test('a file of another form is written again once, and then its records rest', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { collections: [{ ...items, indexes: {} }], processes: noProcesses })
  await first.commit(Array.from({ length: 50 }, (_, n) => insert(items, item(n, { due: n }))))
  await first.close()
  const second = await openIn(dir, { collections: [items], processes: noProcesses })
  expect((await second.page(items, { index: 'due', limit: 1 })).records).toMatchObject([{ value: 0 }])
  await second.close()
  expect(await readFile(segmentIn(dir), 'utf8')).toContain('"indexes":{"items":"due:due,id"}')
  const third = await open({}, dir)
  const { opened } = third.files
  expect(
    (await third.store.page(items, { index: 'due', direction: 'desc', limit: 1 })).records,
  ).toMatchObject([{ value: 49 }])
  expect(third.files.opened).toBe(opened + 1)
  expect((await readdir(join(dir, 'items'))).length).toBe(1)
})
