import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLogStore } from '../../src/store/disk/open.ts'
import { insert, remove, type Collection, type Store, type StoredRecord } from '../../src/store/store.ts'
import { systemClock } from '../../src/core/clock.ts'
import { inspect, noProcesses, tempFolder } from './_setup.ts'

const keys: Collection<StoredRecord & { created: number }> = {
  name: 'keys',
  indexes: { created: { on: ['created', 'id'] } },
}

function open(dir: string, large: boolean): Promise<Store> {
  const processes = { ...noProcesses, pid: noProcesses.pid + 1 }
  const collections = [{ ...keys, large }]
  return openLogStore({ dir, collections, clock: systemClock, durability: 'process', processes })
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.page(keys, { index: 'created', limit: 1e6 })).records.map(({ id }) => id)
}

const someIds = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `k${String(first + n).padStart(5, '0')}`)

test('records of a collection that became large stay in db.json, and new ones go to segments', async () => {
  const dir = await tempFolder()
  const [older, newer] = [someIds(0, 1500), someIds(1500, 1500)]
  const small = await open(dir, false)
  await small.commit(older.map((id, created) => insert(keys, { id, created })))
  await small.close()
  const first = await open(dir, true)
  expect(await idsOf(first)).toEqual(older)
  await first.commit(newer.map((id, n) => insert(keys, { id, created: older.length + n })))
  await first.close()
  expect(await readFile(join(dir, 'db.json'), 'utf8')).toContain('k00007')
  expect(await readFile(join(dir, 'keys', '000002.json'), 'utf8')).toContain('k02999')
  const second = await open(dir, true)
  expect(await idsOf(second)).toEqual([...older, ...newer])
  await second.commit([...older, ...newer].slice(0, 2600).map((id) => remove(keys, id)))
  await second.close()
  expect(await readFile(join(dir, 'db.json'), 'utf8')).not.toContain('k0')
  await expect(readFile(join(dir, 'keys', '000001.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await inspect(dir)).healthy).toBe(true)
  const third = await open(dir, true)
  expect(await idsOf(third)).toEqual(newer.slice(1100))
  await third.close()
})
