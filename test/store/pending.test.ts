import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert, put, remove, type Store, update } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { contents, openIn, tempFolder } from './_setup.ts'

const commitOf = (store: Store, n: number, bytes: number): Promise<void> =>
  store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(bytes, n))])

describe.each([
  ['memory', () => openMemoryStore({ collections: [notes, labels], pendingBytes: 50_000 })],
  ['a folder', async () => openIn(await tempFolder(), { pendingBytes: 50_000 })],
])('the data that wait to be stored are limited (%s)', (_, open) => {
  test('new records above the limit are refused, with nothing stored, and accepted again after the write', async () => {
    const store = await open()
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => commitOf(store, n, 15_000)))
    const states = results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.code))
    expect(states).toEqual(['ok', 'ok', 'ok', ...Array<string>(3).fill('service_unavailable')])
    expect(await store.count(notes)).toBe(3)
    expect(await store.readBlob(`${note(5).id}/message`)).toBeNull()
    await commitOf(store, 5, 15_000)
    expect(await store.count(notes)).toBe(4)
    await store.close()
  })

  test('changes of existing records and removals are accepted all the same', async () => {
    const store = await open()
    await commitOf(store, 1, 100)
    await commitOf(store, 2, 100)
    const one = await store.get(notes, note(1).id)
    if (!one) throw new Error('it was stored')
    await Promise.all([
      commitOf(store, 3, 49_000),
      store.commit([update(notes, { ...one, seen: true })], [blobOf(`${one.id}/message`, pattern(40_000))]),
      store.commit([put(notes, note(1, { due: 7 }))]),
      store.commit([remove(notes, note(2).id)]),
      expect(commitOf(store, 4, 10)).rejects.toMatchObject({
        code: 'service_unavailable',
        headers: { 'retry-after': '1' },
      }),
    ])
    expect(await store.get(notes, note(1).id)).toMatchObject({ due: 7 })
    expect(await store.count(notes)).toBe(2)
    await store.close()
  })

  test('one commit that is larger than the limit is accepted alone', async () => {
    const store = await open()
    await commitOf(store, 1, 200_000)
    expect(await store.blobSize(`${note(1).id}/message`)).toBe(200_000)
    await store.close()
  })
})

test('unfinished blobs share a limit; above it they are spooled, and all are complete', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { heldBytes: 30_000 })
  const writers = Array.from({ length: 10 }, (_, n) => store.createBlob(`${note(n).id}/message`))
  for (let piece = 0; piece < 5; piece++)
    for (const writer of writers) await writer.write(pattern(2000, piece))
  const spooled = (await readdir(join(dir, 'large'))).length
  expect(spooled).toBeGreaterThanOrEqual(5)
  expect(spooled).toBeLessThan(10)
  const [given, ...kept] = writers
  await given?.discard()
  for (const [i, writer] of kept.entries())
    await store.commit([insert(notes, note(i + 1))], [await writer.finish()])
  const whole = Buffer.concat([0, 1, 2, 3, 4].map((piece) => Buffer.from(pattern(2000, piece))))
  for (let n = 1; n < 10; n++)
    expect((await store.readBlob(`${note(n).id}/message`))?.equals(whole)).toBe(true)
  // The whole limit is available again.
  const last = store.createBlob(`${note(20).id}/message`)
  await last.write(pattern(29_000))
  expect((await last.finish()).spooled).toBeUndefined()
  const before = await contents(store)
  await store.close()
  const again = await openIn(dir)
  expect(await contents(again)).toEqual(before)
  await again.close()
})
