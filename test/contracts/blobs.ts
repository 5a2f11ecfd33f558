import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { blobOf, insert, put, remove, type Store, update } from '../../src/store/store.ts'
import type { BlobId } from '../../src/store/names.ts'
import { note, notes, pattern } from './notes.ts'
import type { StoreTest } from './store-test.ts'

/** The contract of blobs: bytes that are stored and removed with their record. */
export function describeBlobs(test: StoreTest): void {
  describe('blobs', () => {
    const id: BlobId = 'n_00001/message'
    const read = async (store: Store, of: BlobId = id): Promise<string | null> =>
      (await store.readBlob(of))?.toString() ?? null

    test('bytes are returned whole, in part, and with their size', async ({ store }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, 'hello world')])
      expect(await read(store)).toBe('hello world')
      expect(await store.blobSize(id)).toBe(11)
      const part = async (range?: { start?: number; end?: number }): Promise<string> => {
        const stream = await store.openBlob(id, range)
        return stream ? await text(stream) : 'null'
      }
      expect(await part()).toBe('hello world')
      expect(await part({ start: 6 })).toBe('world')
      expect(await part({ end: 5 })).toBe('hello')
      expect(await part({ start: 4, end: 7 })).toBe('o w')
      expect(await part({ start: 11 })).toBe('')
      expect(await part({ start: 5, end: 500 })).toBe(' world')
    })

    test('a blob that is not there is null everywhere', async ({ store, add }) => {
      await add(1)
      expect(await store.readBlob(id)).toBeNull()
      expect(await store.openBlob(id)).toBeNull()
      expect(await store.blobSize(id)).toBeNull()
      expect(await store.blobSize('nobody/message')).toBeNull()
    })

    test('blobs are not members of the record', async ({ store }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, 'x')])
      expect(await store.get(notes, 'n_00001')).toEqual({ ...note(1), version: 1 })
    })

    test('an empty blob is a blob', async ({ store }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, '')])
      expect(await store.blobSize(id)).toBe(0)
      expect(await read(store)).toBe('')
      const stream = await store.openBlob(id)
      expect(stream && (await text(stream))).toBe('')
    })

    test('a change without blobs keeps the stored ones, a change with the same blob id replaces it', async ({
      store,
    }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, 'one'), blobOf('n_00001/other', 'other')])
      await store.commit([put(notes, note(1, { seen: true }))])
      expect(await read(store)).toBe('one')
      await store.commit([put(notes, note(1))], [blobOf(id, 'two')])
      expect(await read(store)).toBe('two')
      expect(await read(store, 'n_00001/other')).toBe('other')
    })

    test('blobs are removed with their record and do not return with its id', async ({ store, add }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, 'one')])
      await store.commit([remove(notes, 'n_00001')])
      expect(await read(store)).toBeNull()
      await add(1)
      expect(await read(store)).toBeNull()
    })

    test('a refused commit stores no blob', async ({ store }) => {
      await store.commit([insert(notes, note(1))], [blobOf(id, 'one')])
      await expect(store.commit([insert(notes, note(1))], [blobOf(id, 'two')])).rejects.toThrow()
      expect(await read(store)).toBe('one')
    })

    test('a blob without its record in the same commit is an error of the caller', async ({ store, add }) => {
      await add(1)
      await expect(store.commit([], [blobOf(id, 'x')])).rejects.toMatchObject({ code: 'internal_error' })
      await expect(store.commit([remove(notes, 'n_00001')], [blobOf(id, 'x')])).rejects.toMatchObject({
        code: 'internal_error',
      })
      expect(await store.get(notes, 'n_00001')).not.toBeNull()
    })

    test('a reader reads to the end even if the blob is replaced or removed meanwhile', async ({ store }) => {
      for (const size of [10_000, 900_000]) {
        const bytes = pattern(size)
        await store.commit([put(notes, note(1))], [blobOf(id, bytes)])
        const [one, two] = [await store.openBlob(id), await store.openBlob(id, { start: 5, end: size - 5 })]
        await store.commit([put(notes, note(1))], [blobOf(id, 'new')])
        await store.commit([remove(notes, 'n_00001')])
        expect(Buffer.concat(one ? await one.toArray() : []).equals(bytes)).toBe(true)
        expect(Buffer.concat(two ? await two.toArray() : []).equals(bytes.subarray(5, size - 5))).toBe(true)
      }
    })

    test.for([0, 1, 5000, 256 * 1024, 256 * 1024 + 1, 1_500_000])(
      'a writer accepts %i bytes in chunks',
      async (size, { store }) => {
        const bytes = pattern(size)
        const writer = store.createBlob(id)
        for (let at = 0; at < size; at += 65_521) await writer.write(bytes.subarray(at, at + 65_521))
        expect(writer.size).toBe(size)
        const blob = await writer.finish()
        expect(blob).toMatchObject({ id, size })
        await store.commit([insert(notes, note(1))], [blob])
        await writer.discard()
        expect((await store.readBlob(id))?.equals(bytes)).toBe(true)
        const stream = await store.openBlob(id, { start: Math.floor(size / 3), end: size - 1 })
        const part = Buffer.concat(stream ? await stream.toArray() : [])
        expect(part.equals(bytes.subarray(Math.floor(size / 3), Math.max(0, size - 1)))).toBe(true)
      },
    )

    test('a discarded writer leaves nothing, before and after its end', async ({ store }) => {
      const early = store.createBlob(id)
      await early.write(pattern(400_000))
      await early.discard()
      const late = store.createBlob(id)
      await late.write(pattern(400_000))
      await late.finish()
      await late.discard()
      await store.createBlob(id).discard()
      expect(await store.readBlob(id)).toBeNull()
    })

    test('a blob of a refused commit can be committed again', async ({ store }) => {
      const writer = store.createBlob(id)
      await writer.write(pattern(400_000))
      const blob = await writer.finish()
      await expect(store.commit([update(notes, { ...note(1), version: 1 })], [blob])).rejects.toThrow()
      await store.commit([insert(notes, note(1))], [blob])
      expect(await store.blobSize(id)).toBe(400_000)
    })

    test('a commit with a large blob keeps its place in the order of the calls', async ({ store }) => {
      const first = store.commit([insert(notes, note(1))], [blobOf(id, pattern(2_000_000))])
      const second = store.commit([update(notes, { ...note(1, { seen: true }), version: 1 })])
      await Promise.all([first, second])
      expect(await store.get(notes, 'n_00001')).toMatchObject({ version: 2, seen: true })
      expect(await store.blobSize(id)).toBe(2_000_000)
    })
  })
}
