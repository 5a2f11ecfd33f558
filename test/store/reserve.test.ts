import { expect, test } from 'vitest'
import { createPaths } from '../../src/store/disk/paths.ts'
import { releaseReserve, Reserve } from '../../src/store/disk/reserve.ts'
import { tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

test('a start with a reserve that was given up refuses new mail until the reserve is whole again', async () => {
  const paths = createPaths(await tempFolder())
  let free = 100_000
  const files = { ...nodeFiles, freeBytes: () => Promise.resolve(free) }
  const start = (): Reserve => new Reserve({ files, paths, bytes: 1000, onNotice: () => {} }, false)
  await start().refill()
  expect(await files.size(paths.reserve)).toBe(1000)
  expect(await releaseReserve(files, paths)).toBe(true)

  // Enough space for the reserve, but not for new mail as well.
  free = 1500
  const next = start()
  await next.refill()
  expect(() => next.assertWhole()).toThrow(expect.objectContaining({ code: 'store_full' }))
  expect(await files.size(paths.reserve)).toBe(0)

  free = 2000
  await next.refill()
  next.assertWhole()
  expect(await files.size(paths.reserve)).toBe(1000)
})

test('a new folder on a small disk accepts mail without a reserve', async () => {
  const paths = createPaths(await tempFolder())
  const files = { ...nodeFiles, freeBytes: () => Promise.resolve(1500) }
  const reserve = new Reserve({ files, paths, bytes: 1000, onNotice: () => {} }, false)
  await reserve.refill()
  reserve.assertWhole()
  expect(await files.size(paths.reserve)).toBeNull()
})
