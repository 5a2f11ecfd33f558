import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { compareParts } from '../../src/store/copy/compare.ts'
import { copyStore, type CopyPart } from '../../src/store/copy/copy.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { type BlobId, type BlobWriter, blobOf, insert, put, remove, update } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import type { Filling } from '../../src/store/unfinished.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'

const collections = [notes, labels]

/** A store that a copy fills. Only stores in folders and databases have marks. */
function filling(store: PartitionedStore, isMarked = true): Filling & { begun: number } {
  return {
    store,
    isMarked,
    begun: 0,
    async begin() {
      this.begun++
    },
    finish: () => store.close(),
  }
}

async function copied(): Promise<{ from: PartitionedStore; to: PartitionedStore; parts: CopyPart[] }> {
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
  return { from, to, parts: await copyStore({ from, to: filling(to), collections }) }
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
  await expect(copyStore({ from, to: filling(to), collections })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('"l_9" in labels of the account acc_2'),
  })
  expect(await to.count(notes)).toBe(0)
})

it('data without a mark is only compared: what it lacks is not added', async () => {
  const { from, to } = await copied()
  const whole = filling(to, false)
  expect((await compareParts(await copyStore({ from, to: whole, collections }))).differences).toEqual([])
  expect(whole.begun).toBe(0)
  await to.commit([remove(notes, note(3).id)])
  await expect(copyStore({ from, to: whole, collections })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('The destination is not empty: it has 81 of the 82 records'),
  })
  expect(await to.get(notes, note(3).id)).toBeNull()
  const empty = filling(await openMemoryStore({ collections }), false)
  await copyStore({ from, to: empty, collections })
  expect(empty.begun).toBe(1)
})

it('an interrupted copy continues, and has the same result as an uninterrupted one', async () => {
  const { from, parts } = await copied()
  const to = await openMemoryStore({ collections })
  const interruption = new AbortController()
  const onProgress = (done: number): void => void (done >= 20 && interruption.abort())
  await copyStore({ from, to: filling(to), collections, signal: interruption.signal, onProgress })
  expect(await to.partition('acc_1').count(notes)).toBe(0)
  const again = await compareParts(await copyStore({ from, to: filling(to), collections }))
  expect(again).toEqual(await compareParts(parts))
  expect(again.differences).toEqual([])
})

it('a source without records is refused, and so is a truncated blob', async () => {
  const [empty, to] = [await openMemoryStore({ collections }), await openMemoryStore({ collections })]
  await expect(copyStore({ from: empty, to: filling(to), collections })).rejects.toMatchObject({
    code: 'invalid_option',
  })
  const { from } = await copied()
  const openBlob: typeof from.openBlob = (id) => from.openBlob(id, { start: 0, end: 0 })
  const cut = new Proxy(from, {
    get: (all, name) => (name === 'openBlob' ? openBlob : Reflect.get(all, name)),
  })
  await expect(copyStore({ from: cut, to: filling(to), collections })).rejects.toMatchObject({
    code: 'store_failed',
  })
})

it('a blob of the source that cannot be read leaves nothing of itself in the destination', async () => {
  const { from } = await copied()
  const to = await openMemoryStore({ collections })
  const openBlob: typeof from.openBlob = async () =>
    Readable.from(
      (async function* () {
        yield Buffer.from('the first bytes')
        throw new Error('The disk of the source fails.')
      })(),
    )
  const failing = new Proxy(from, {
    get: (all, name) => (name === 'openBlob' ? openBlob : Reflect.get(all, name)),
  })
  const open: BlobWriter[] = []
  const watched = new Proxy(to, {
    get: (all, name) =>
      name === 'createBlob'
        ? (id: BlobId) => {
            const writer = all.createBlob(id)
            const discard = (): Promise<void> => {
              open.splice(open.indexOf(writer), 1)
              return writer.discard()
            }
            open.push(writer)
            return { ...writer, size: 0, write: (piece: Uint8Array) => writer.write(piece), discard }
          }
        : Reflect.get(all, name),
  })
  await expect(copyStore({ from: failing, to: filling(watched), collections })).rejects.toThrow(
    'The disk of the source fails.',
  )
  await expect.poll(() => open).toEqual([])
})
