import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLogStore, type LogStoreOptions } from '../../src/store/disk/open.ts'
import { insert, remove, type Collection, type Store, type StoredRecord } from '../../src/store/store.ts'
import { systemClock } from '../../src/core/clock.ts'
import { copyOf, inspect, mortal, mortalFiles, noProcesses, tempFolder } from './_setup.ts'

const keys: Collection<StoredRecord & { created: number }> = {
  name: 'keys',
  indexes: { created: { on: ['created', 'id'] } },
}

function open(dir: string, large: boolean, options: Partial<LogStoreOptions> = {}): Promise<Store> {
  const collections = [{ ...keys, large }]
  const processes = { ...noProcesses, pid: noProcesses.pid + 1 }
  return openLogStore({ dir, collections, clock: systemClock, durability: 'process', processes, ...options })
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.page(keys, { index: 'created', limit: 1e6 })).records.map(({ id }) => id)
}

async function small(): Promise<{ dir: string; ids: string[] }> {
  const dir = await tempFolder()
  const store = await open(dir, false)
  const ids = Array.from({ length: 2500 }, (_, n) => `k${String(n).padStart(5, '0')}`)
  await store.commit(ids.map((id, created) => insert(keys, { id, created })))
  await store.close()
  return { dir, ids }
}

test('a collection that became large is moved out of db.json into segments, once', async () => {
  const { dir, ids } = await small()
  expect(await readFile(join(dir, 'db.json'), 'utf8')).toContain('k00007')
  const store = await open(dir, true)
  expect(await idsOf(store)).toEqual(ids)
  await store.close()
  expect(await readFile(join(dir, 'db.json'), 'utf8')).not.toContain('k00007')
  expect(await readFile(join(dir, 'keys', '000003.json'), 'utf8')).toContain('k02499')
  // Removing records deletes their files.
  const second = await open(dir, true)
  expect(await idsOf(second)).toEqual(ids)
  await second.commit(ids.slice(0, 2000).map((id) => remove(keys, id)))
  await second.close()
  await expect(readFile(join(dir, 'keys', '000001.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await inspect(dir)).healthy).toBe(true)
})

test('a crash at any call of that move loses nothing', { timeout: 120_000 }, async () => {
  const { dir, ids } = await small()
  let deaths = 0
  for (let call = 1; ; call += 2) {
    const copy = await copyOf(dir)
    const { files, dieAt, isDead } = mortalFiles()
    const first = await open(copy, true, { ...mortal, files })
    await first.commit([remove(keys, ids[0] ?? '')])
    dieAt(call)
    await first.close().catch(() => {})
    const died = isDead()
    dieAt(0)
    const second = await open(copy, true)
    expect(await idsOf(second), `call ${call}`).toEqual(ids.slice(1))
    await second.close()
    await rm(copy, { recursive: true })
    if (!died) break
    deaths++
  }
  expect(deaths).toBeGreaterThan(10)
})
