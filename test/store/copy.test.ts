import { expect, it } from 'vitest'
import { compareParts } from '../../src/store/copy/compare.ts'
import { copyStore, type Part } from '../../src/store/copy/copy.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert, type PartitionedStore, put, remove, update } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'

const collections = [notes, labels]

async function copied(): Promise<{ from: PartitionedStore; to: PartitionedStore; parts: Part[] }> {
  const [from, to] = [await openMemoryStore({ collections }), await openMemoryStore({ collections })]
  for (const store of [from, from.partition('acc_1')]) {
    for (let n = 0; n < 40; n++) {
      const { id } = note(n)
      await store.commit(
        [insert(notes, note(n))],
        [blobOf(`${id}/raw`, pattern(n)), blobOf(`${id}/text`, `${n}`)],
      )
    }
    await store.commit([insert(labels, { id: 'l_1', title: 'x' })])
  }
  return { from, to, parts: await copyStore({ from, to, collections }) }
}

const flaws: Record<string, (to: PartitionedStore) => Promise<void>> = {
  'a record is missing': (to) => to.commit([remove(notes, note(3).id)]),
  'a member differs': async (to) => {
    const record = await to.get(notes, note(3).id)
    if (record) await to.commit([update(notes, { ...record, group: 'other' })])
  },
  'one byte differs': (to) =>
    to.commit(
      [put(notes, note(3))],
      [blobOf(`${note(3).id}/raw`, pattern(3, 2)), blobOf(`${note(3).id}/text`, '3')],
    ),
  'a blob is missing': async (to) => {
    await to.commit([remove(notes, note(3).id)])
    await to.commit([insert(notes, note(3))], [blobOf(`${note(3).id}/raw`, pattern(3))])
  },
  'there is one more': (to) => to.commit([insert(notes, note(77))]),
  'the same in an account': (to) => to.partition('acc_1').commit([remove(labels, 'l_1')]),
}

it.each(Object.entries(flaws))('the comparison of a copy finds that %s', async (_, spoil) => {
  const { to, parts } = await copied()
  const whole = await compareParts(parts)
  expect(whole).toMatchObject({ records: 82, blobs: 160, differences: [] })
  await spoil(to)
  expect((await compareParts(parts)).differences).not.toEqual([])
})

it('a copy into a store with other records changes nothing', async () => {
  const { from } = await copied()
  const to = await openMemoryStore({ collections })
  await to.partition('acc_2').commit([insert(labels, { id: 'l_9', title: 'theirs' })])
  await expect(copyStore({ from, to, collections })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('"l_9" in labels of the account acc_2'),
  })
  expect(await to.count(notes)).toBe(0)
})

it('an interrupted copy continues, and has the same result as an uninterrupted one', async () => {
  const { from, parts } = await copied()
  const to = await openMemoryStore({ collections })
  const interruption = new AbortController()
  const onProgress = (done: number): void => void (done >= 20 && interruption.abort())
  await copyStore({ from, to, collections, signal: interruption.signal, onProgress })
  expect(await to.partition('acc_1').count(notes)).toBe(0)
  const again = await compareParts(await copyStore({ from, to, collections }))
  expect(again).toEqual(await compareParts(parts))
  expect(again.differences).toEqual([])
})

it('a source without records is refused, and so is a truncated blob', async () => {
  const [empty, to] = [await openMemoryStore({ collections }), await openMemoryStore({ collections })]
  await expect(copyStore({ from: empty, to, collections })).rejects.toMatchObject({ code: 'invalid_option' })
  const { from } = await copied()
  const openBlob: typeof from.openBlob = (id) => from.openBlob(id, { start: 0, end: 0 })
  const cut = new Proxy(from, {
    get: (all, name) => (name === 'openBlob' ? openBlob : Reflect.get(all, name)),
  })
  await expect(copyStore({ from: cut, to, collections })).rejects.toMatchObject({ code: 'store_failed' })
})
