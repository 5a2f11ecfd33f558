import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { blobOf, insert, type LowDisk } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import { faultyFiles, mortal, openIn, systemError, tempFolder } from './_setup.ts'

test('a disk is low below the size of the reserve, and full from the first commit that does not fit', async () => {
  const dir = await tempFolder()
  let isFull = false
  let free = 1e9
  let asked = 0
  const files = Object.assign(
    faultyFiles(({ name, path }) => {
      if (isFull && name === 'write' && /\/(?:log|large)\//.test(path)) throw systemError('ENOSPC')
    }),
    { freeBytes: async () => (asked++, free) },
  )
  const store = await openIn(dir, { ...mortal, files, reserveBytes: 1024 * 1024 })
  const low = async (): Promise<LowDisk | null> => {
    await sleep(1001)
    return await store.lowDisk()
  }
  expect(await low()).toBeNull()
  free = 1024 * 1024 - 1
  expect(await low()).toEqual({
    isFull: false,
    message: expect.stringContaining('1023 KB are free') as unknown,
  })

  let n = 0
  const commit = (size: number): Promise<void> => {
    const { id } = note(++n)
    return store.commit([insert(notes, note(n))], [blobOf(`${id}/message`, pattern(size, n))])
  }
  // Small messages are written to the log, large ones to a file of their own.
  for (const size of [100, 300_000]) {
    isFull = true
    await expect(commit(size)).rejects.toMatchObject({ code: 'store_full' })
    const message = expect.stringContaining('is full: the last mail did not fit') as unknown
    expect(await store.lowDisk()).toEqual({ isFull: true, message })
    isFull = false
    await commit(size)
    expect(await store.lowDisk()).toMatchObject({ isFull: false })
  }
  isFull = true
  await expect(commit(100)).rejects.toMatchObject({ code: 'store_full' })
  // Other programs may have made room meanwhile.
  free = 1024 * 1024
  expect(await low()).toBeNull()

  const before = asked
  const began = performance.now()
  for (let look = 0; look < 20; look++) await store.lowDisk()
  // Once in a second at most, however long the looks take.
  expect(asked - before).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 1000))
  isFull = false
  await store.close()
})

test('a disk that does not answer is not reported as low, and delays the answer by a second at most', async () => {
  const files = faultyFiles(() => {})
  const store = await openIn(await tempFolder(), { files, reserveBytes: 1000 })
  files.freeBytes = () => new Promise(() => {})
  await sleep(1001)
  expect(await store.lowDisk()).toBeNull()
  await store.close()
})
