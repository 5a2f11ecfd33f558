import { readdir, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Blob, blobOf, insert, remove, type Store } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import { isLong } from '../support/long.ts'
import { openIn, systemError, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const mb = 1024 * 1024
const floodMs = isLong ? 6000 : 2500
const bytes = pattern(mb, 1)

/** The ways in which a large blob comes: whole, or as a stream that is written to a file as it comes. */
const ways: readonly [way: string, blob: (store: Store, id: string) => Promise<Blob>][] = [
  ['whole', async (_, id) => blobOf(`${id}/message`, bytes)],
  [
    'as a stream',
    async (store, id) => {
      const writer = store.createBlob(`${id}/message`)
      await writer.write(bytes)
      return await writer.finish()
    },
  ],
]

test.each(ways)(
  'on a disk that flushes slowly, large blobs that come %s and are removed do not pile up',
  { timeout: 60_000 },
  async (_, blob) => {
    const dir = await tempFolder()
    const files = {
      ...nodeFiles,
      // As a busy disk does.
      async sync(fd: number) {
        await sleep(150)
        await nodeFiles.sync(fd)
      },
    }
    const store = await openIn(dir, { files, heldBytes: 0 })
    const kept = 10
    let most = 0
    const until = performance.now() + floodMs
    let n = 0
    const flood = async (): Promise<void> => {
      while (performance.now() < until) {
        const at = n++
        await store.commit([insert(notes, note(at))], [await blob(store, note(at).id)])
        if (at >= kept) await store.commit([remove(notes, note(at - kept).id)]).catch(() => {})
        most = Math.max(most, await bytesIn(join(dir, 'large')))
      }
    }
    await Promise.all([flood(), flood(), flood(), flood()])
    console.log(`${n} blobs of 1 MB, ${kept} kept: at most ${Math.round(most / 1e6)} MB in large`)
    // Those that are kept, 48 MB that wait for a flush, and what four writers bring.
    expect(most).toBeLessThan((kept + 48 + 12) * mb)
    await store.close()
  },
)

test('a new large blob waits for the flush, and small commits and removals do not', async () => {
  const { store, disk } = await fullOfRemoved()
  let isStored = false
  const large = store.commit([insert(notes, note(100))], [blobOf(`${note(100).id}/message`, bytes)])
  void large.then(() => (isStored = true))
  await store.commit([insert(notes, note(101))], [blobOf(`${note(101).id}/message`, bytes.subarray(0, 1000))])
  await store.commit([remove(notes, note(101).id)])
  expect(isStored).toBe(false)
  disk.release()
  await large
  expect(await store.readBlob(`${note(100).id}/message`)).toEqual(bytes)
  await store.close()
})

test('a flush that fails does not hold up new large blobs', async () => {
  const { store, disk, notices } = await fullOfRemoved()
  disk.fails = true
  disk.release()
  await store.commit([insert(notes, note(100))], [blobOf(`${note(100).id}/message`, bytes)])
  expect(await store.readBlob(`${note(100).id}/message`)).toEqual(bytes)
  expect(notices).toContainEqual(expect.stringContaining('A power cut now may lose more'))
  disk.fails = false
  await store.close()
})

test('while many bytes wait for the flush, more large blobs are refused, and the memory is bounded', async () => {
  const { store, disk } = await fullOfRemoved()
  const outcomes = await Promise.all(
    Array.from({ length: 80 }, (_, n) => {
      const commit = store.commit(
        [insert(notes, note(100 + n))],
        [blobOf(`${note(100 + n).id}/message`, bytes)],
      )
      if (n === 79) disk.release()
      return commit.then(
        () => 'stored',
        ({ code }: { code: string }) => code,
      )
    }),
  )
  expect(outcomes.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'stored'))
  expect(outcomes.at(-1)).toBe('service_unavailable')
  await store.close()
})

/** A store whose disk does not finish a flush until it is released, and in which 48 MB of removed blobs wait for one. */
async function fullOfRemoved(): Promise<{
  store: Store
  disk: { fails: boolean; release(): void }
  notices: string[]
}> {
  const disk = { fails: false, isHeld: false, release: (): void => {} }
  const released = new Promise<void>((resolve) => {
    disk.release = () => {
      disk.isHeld = false
      resolve()
    }
  })
  const files = {
    ...nodeFiles,
    async sync(fd: number) {
      if (disk.isHeld) await released
      if (disk.fails) throw systemError('EIO')
      await nodeFiles.sync(fd)
    },
  }
  const notices: string[] = []
  const store = await openIn(await tempFolder(), { files, onNotice: (text) => notices.push(text) })
  disk.isHeld = true
  for (let n = 0; n < 48; n++) {
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, bytes)])
    await store.commit([remove(notes, note(n).id)])
  }
  return { store, disk, notices }
}

async function bytesIn(dir: string): Promise<number> {
  let sum = 0
  for (const name of await readdir(dir)) sum += (await stat(join(dir, name)).catch(() => null))?.size ?? 0
  return sum
}
