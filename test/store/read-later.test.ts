import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
import { labels } from '../contracts/notes.ts'
import { contents, filesIn, mortal, openAfterKill, openIn, tempFolder } from './_setup.ts'

interface Key extends StoredRecord {
  created: number
}

const keys: Collection<Key> = {
  name: 'keys',
  large: true,
  readLater: true,
  indexes: { created: { on: ['created'] } },
}
const collections = [keys, labels] as readonly Collection<StoredRecord>[]
const key = (n: number, created = n): Omit<Key, 'version'> => ({ id: `k${(n * 7919) % 2500}`, created })

/** A folder with 2,500 keys in its files; the commits of `then` are only in the log, as after a kill. */
async function folderWith(then: (store: Store) => Promise<void> = async () => {}): Promise<string> {
  const dir = await tempFolder()
  const first = await openIn(dir, { collections })
  await first.commit(Array.from({ length: 2500 }, (_, n) => insert(keys, key(n))))
  await first.close()
  const second = await openIn(dir, { ...mortal, collections })
  await then(second)
  return dir
}

const open = (dir: string, options: Partial<LogStoreOptions> = {}): Promise<Store> =>
  openAfterKill(dir, { collections, ...options })

test('records that are loaded on demand are all there for the first call, whatever it is', async () => {
  const asks: ((store: Store) => Promise<unknown>)[] = [
    (store) => store.get(keys, key(2499).id),
    (store) => store.find(keys, 'created', [2499]),
    async (store) => (await store.page(keys, { index: 'created', direction: 'desc', limit: 1 })).records[0],
  ]
  const dir = await folderWith()
  for (const ask of asks) {
    const store = await open(dir, mortal)
    expect(await ask(store)).toMatchObject({ ...key(2499), version: 1 })
    expect(await store.count(keys)).toBe(2500)
  }
  const store = await open(dir)
  await expect(store.commit([insert(keys, key(5))])).rejects.toMatchObject({ code: 'unique_conflict' })
  await store.close()
})

test('changes in the log are applied after the files of such records, even where only a checkpoint reads them', async () => {
  const dir = await folderWith(async (store) => {
    await store.commit([
      remove(keys, key(3).id),
      put(keys, key(4, 9000)),
      insert(keys, { id: 'new', created: 1 }),
    ])
    await store.commit([insert(labels, { id: 'l', title: 't' })])
  })
  const first = await open(dir)
  // The last checkpoint is made before any key was read.
  await first.commit([put(labels, { id: 'l', title: 'u' })])
  await first.close()
  const second = await openIn(dir, { collections })
  expect(await second.get(keys, key(3).id)).toBeNull()
  expect(await second.get(keys, key(4).id)).toMatchObject({ created: 9000 })
  expect(await second.get(keys, 'new')).not.toBeNull()
  expect(await second.count(keys)).toBe(2500)
  await second.close()
})

test('a run that reads no such record leaves their files unchanged', async () => {
  const dir = await folderWith()
  const before = await filesIn(join(dir, 'keys'))
  const store = await open(dir)
  await store.commit([insert(labels, { id: 'l', title: 't' })])
  await store.close()
  expect(await filesIn(join(dir, 'keys'))).toEqual(before)
  const again = await openIn(dir, { collections })
  expect((await contents(again, collections))['keys']).toMatchObject({
    records: { length: 2500 },
    orders: { created: { length: 2500 } },
  })
  await again.close()
})

test('new records are added after those that are not loaded yet', async () => {
  const dir = await folderWith()
  const store = await open(dir)
  await store.commit([insert(keys, { id: 'new', created: 9999 })])
  await store.close()
  const last = (await readdir(join(dir, 'keys'))).sort().at(-1) ?? ''
  expect(await readFile(join(dir, 'keys', last), 'utf8')).toContain('"id":"new"')
  expect(last).toBe('000003.json')
})

test('files of records that are loaded on demand are checked at the start: a damaged one stops it', async () => {
  const dir = await folderWith()
  const file = join(dir, 'keys', '000002.json')
  await writeFile(file, (await readFile(file, 'utf8')).replace('"created":1500', '"created":1501'))
  await expect(open(dir)).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining(file) as unknown,
  })
})

test('files that a person edited are loaded at the start, with a notice', async () => {
  const dir = await folderWith()
  const file = join(dir, 'keys', '000002.json')
  const text = (await readFile(file, 'utf8')).replace('"created":1500', '"created":1501')
  await writeFile(file, text.replace(/,\s*"crc":"[0-9a-f]{8}"\}\n$/, '}'))
  const notices: string[] = []
  const store = await open(dir, { onNotice: (notice) => notices.push(notice) })
  expect(notices).toEqual([expect.stringContaining(file)])
  expect(await store.count(keys)).toBe(2500)
  expect(await store.get(keys, key(1500).id)).toMatchObject({ created: 1501 })
  await store.close()
})

test('a collection that is loaded on demand accepts no blobs', async () => {
  const store = await openIn(await tempFolder(), { collections })
  const commit = store.commit([insert(keys, key(1))], [blobOf(`${key(1).id}/message`, 'text')])
  await expect(commit).rejects.toMatchObject({ code: 'internal_error' })
  await store.close()
})
