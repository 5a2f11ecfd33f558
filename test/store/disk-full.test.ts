import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { smallDisk } from '../support/small-disk.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import {
  contents,
  faultyFiles,
  filesIn,
  mortal,
  openAfterKill,
  openIn,
  systemError,
  tempFolder,
} from './_setup.ts'

test.each(['process', 'disk'] as const)(
  'on a really full disk, what does not fit is refused, everything acknowledged is kept, and commits work again once there is room (%s)',
  { timeout: 60_000 },
  async (durability) => {
    const disk = smallDisk(4 * 1024 ** 2)
    // The tests with injected faults run everywhere.
    if (!disk) return
    const dir = join(disk, 'data')
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(1_000_000))
    const notices: string[] = []
    const store = await openIn(dir, {
      ...mortal,
      durability,
      checkpointBytes: 200_000,
      onNotice: (text) => notices.push(text),
    })
    let taken = 0
    let refused = 0
    for (let n = 0; refused < 20; n++) {
      // Most are stored in the log. Large ones have their own file, which is removed when they are refused.
      const bytes = n % 25 === 7 ? 300_000 : 20_000
      await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(bytes, n))]).then(
        () => taken++,
        (error: { code: string }) => {
          expect(error.code).toBe('store_full')
          refused++
        },
      )
    }
    expect(taken).toBeGreaterThan(30)
    expect(await store.count(notes)).toBe(taken)
    const full = await contents(store)
    // A checkpoint may be in progress.
    await sleep(300)
    const again = await openAfterKill(dir).catch((error: { code: string }) => error.code)
    // A start needs some space to repair what a kill left. Without space it reports that and changes nothing.
    if (typeof again === 'string') expect(again).toBe('store_full')
    else {
      expect(await contents(again)).toEqual(full)
      await again.close().catch(() => {})
    }
    await rm(ballast)
    const third = await openAfterKill(dir, { durability })
    expect(await contents(third)).toEqual(full)
    await third.commit([put(notes, note(9999))], [blobOf(`${note(9999).id}/message`, pattern(50_000))])
    await third.commit([remove(notes, note(0).id)])
    await third.close()
    const last = await openIn(dir)
    expect(await last.count(notes)).toBe(taken)
    const names = await readdir(join(dir, 'large'))
    const { records } = await last.page(notes, { limit: 1000 })
    const large = records.filter(({ id }) => Number(id.slice(2)) % 25 === 7)
    expect(names).toHaveLength(large.length)
    await last.close()
  },
)

test('on a full disk a commit that removes records succeeds, even with inserts in it and new mail in its batch', async () => {
  const disk = smallDisk(4 * 1024 ** 2)
  if (!disk) return
  const dir = join(disk, 'data')
  const notices: string[] = []
  const options = { ...mortal, reserveBytes: 500_000, onNotice: (text: string) => void notices.push(text) }
  const store = await openIn(dir, options)
  const add = (n: number, size: number): Promise<void> =>
    store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(size, n))])
  let taken = 0
  const refused: unknown = await (async () => {
    for (;;) {
      await add(taken, 20_000)
      taken++
    }
  })().catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'store_full' })
  await writeFile(join(disk, 'ballast'), Buffer.alloc(4_000_000)).catch(() => {})

  const results = await Promise.allSettled([
    add(1000, 20_000),
    ...[0, 1, 2, 3].map((n) =>
      store.commit([remove(notes, note(n).id), insert(labels, { id: `l${n}`, title: `${n}`.padEnd(5000) })]),
    ),
    add(1001, 20_000),
  ])
  expect(results.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ])
  // The remaining space is reserved for removals.
  await expect(add(1002, 10)).rejects.toMatchObject({ code: 'store_full' })
  const writer = store.createBlob(`${note(1003).id}/message`)
  await expect(writer.write(pattern(300_000))).rejects.toMatchObject({ code: 'store_full' })
  expect(notices.filter((text) => text.includes('is full'))).toHaveLength(1)

  const again = await openAfterKill(dir, { reserveBytes: 500_000 })
  expect(await again.count(notes)).toBe(taken - 4)
  expect(await again.count(labels)).toBe(4)
  await again.commit([remove(notes, note(5).id)])
  await again.close()
})

test('a second process on a full disk is refused with the holder of the folder, and does not touch its reserve', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { reserveBytes: 100_000 })
  const before = await filesIn(dir)
  expect(before['reserve']).toHaveLength(100_000)
  const files = faultyFiles(({ name }) => {
    if (name === 'open' || name === 'write') throw systemError('ENOSPC')
  })
  await expect(openIn(dir, { reserveBytes: 100_000, files })).rejects.toMatchObject({ code: 'store_in_use' })
  expect(await filesIn(dir)).toEqual(before)
  await store.close()
})
