import { cp, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLock } from '../../src/store/lock/lock.ts'
import { insert } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { inspect, openIn, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

test('a copy of an open folder is opened after its lock was not renewed for some seconds', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(notes, note(1))])
  const to = await tempFolder()
  await cp(dir, to, { recursive: true, preserveTimestamps: true })
  expect(await readLock(nodeFiles, join(to, 'lock'))).toMatchObject({ lives: false, copied: true })
  expect((await inspect(to)).findings).toContainEqual(
    expect.objectContaining({
      subject: 'lock',
      message: expect.stringContaining('It came with a copy of the folder') as unknown,
    }),
  )
  const notices: string[] = []
  const second = await openIn(to, { onNotice: (text) => notices.push(text) })
  expect(notices).toEqual([
    expect.stringMatching(/was written by process \d+ in another folder, so .* seems to be a copy. Waiting/),
    expect.stringMatching(
      /was not renewed for 5 seconds, so .* is taken for a copy and opened. It may lack mail/,
    ),
  ])
  await first.commit([insert(notes, note(2))])
  await second.commit([insert(notes, note(3))])
  for (const store of [first, second]) expect((await store.page(notes, { limit: 9 })).records).toHaveLength(2)
  const refused = [dir, to].map((folder) =>
    expect(openIn(folder)).rejects.toMatchObject({ code: 'store_in_use' }),
  )
  await Promise.all(refused)
  await first.close()
  await second.close()
})

test('a folder whose number changed while its holder renews the lock is not taken for a copy', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  // As on a file system that gives a folder a new number when it is looked up again.
  const stampNow: typeof nodeFiles.stampNow = (path) => {
    const found = nodeFiles.stampNow(path)
    return found && path === dir ? { ...found, ino: found.ino + 1 } : found
  }
  const message = expect.stringContaining('which renewed its lock just now') as unknown
  await expect(openIn(dir, { files: { ...nodeFiles, stampNow } })).rejects.toMatchObject({
    code: 'store_in_use',
    message,
  })
  await first.commit([insert(notes, note(1))])
  await first.close()
})

test('a folder that was moved, or is reached by another path, is the same folder', async () => {
  const dir = await tempFolder()
  const first = await openIn(join(dir, 'a'))
  await symlink(join(dir, 'a'), join(dir, 'link'))
  await expect(openIn(join(dir, 'link'))).rejects.toMatchObject({ code: 'store_in_use' })
  await rename(join(dir, 'a'), join(dir, 'b'))
  await expect(openIn(join(dir, 'b'))).rejects.toMatchObject({ code: 'store_in_use' })
  await rename(join(dir, 'b'), join(dir, 'a'))
  await first.close()
})
