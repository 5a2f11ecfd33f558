import { readFile, truncate } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { blobOf, insert } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { contents, logIn, mortal, openAfterKill, openIn, tempFolder } from './_setup.ts'

/** A folder whose first log file lost its last complete commit, while the second file is complete. */
async function folderWithGap(): Promise<{ dir: string; kept: number }> {
  const dir = await tempFolder()
  const store = await openIn(dir, { ...mortal, boot: 'first', logFileBytes: 4000 })
  for (let n = 1; n <= 12; n++) {
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, Buffer.alloc(600, 97))])
  }
  const bytes = await readFile(logIn(dir))
  const frames = [...bytes.toString('latin1').matchAll(/\{"seq":/g)].map(({ index }) => index)
  expect((await readFile(logIn(dir, 2))).byteLength).toBeGreaterThan(0)
  await truncate(logIn(dir), frames.at(-1))
  return { dir, kept: frames.length - 1 }
}

test('after a power cut a log file that lost its last commits ends the log, and later files are set aside', async () => {
  const { dir, kept } = await folderWithGap()
  const notices: string[] = []
  const store = await openAfterKill(dir, { boot: 'second', onNotice: (text) => notices.push(text) })
  const { notes: found } = (await contents(store)) as { notes: { records: unknown[] } }
  expect(found.records).toHaveLength(kept)
  expect(notices.join('\n')).toMatch(/000002\.log .* complete commits behind a gap/)
  await store.commit([insert(notes, note(99))])
  await store.close()
  const again = await openIn(dir)
  expect(await again.get(notes, note(99).id)).not.toBeNull()
  await again.close()
})

test('in the same boot a log file that lost its last commits is damage, and stops the start', async () => {
  const { dir } = await folderWithGap()
  await expect(openAfterKill(dir, { boot: 'first' })).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringMatching(/the complete commit \d+ is at byte 0, where commit \d+ is expected/),
  })
})
