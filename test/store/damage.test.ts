import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { blobOf, insert, remove } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import { inspect, manualClock, openIn, tempFolder } from './_setup.ts'

/** Changes one byte of a file. */
async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x20
  await writeFile(path, bytes)
}

const sizes = [
  ['the log', 2000],
  ['a file of its own', 700_000],
] as const

async function withMessage(size: number): Promise<{ dir: string; path: string; at: number }> {
  const dir = await tempFolder()
  const store = await openIn(dir)
  const bytes = pattern(size)
  await store.commit([insert(notes, note(1))], [blobOf('n_00001/message', bytes)])
  await store.close()
  const [large] = await readdir(join(dir, 'large'))
  if (large !== undefined) return { dir, path: join(dir, 'large', large), at: 0 }
  const path = join(dir, 'log', '000001.log')
  return { dir, path, at: (await readFile(path)).indexOf(bytes) }
}

test.each(sizes)('a changed byte of a message in %s is reported as damage', async (_, size) => {
  const { dir, path, at } = await withMessage(size)
  await flip(path, at + size - 10)
  const store = await openIn(dir)
  const fault = {
    code: 'store_corrupt',
    message: expect.stringMatching(new RegExp(`^${path}:${at}: .* not those that were stored`)) as unknown,
  }
  await expect(store.readBlob('n_00001/message')).rejects.toMatchObject(fault)
  const streamed = store.openBlob('n_00001/message').then((stream) => stream && buffer(stream))
  await expect(streamed).rejects.toMatchObject(fault)
  // The checksum is that of the whole message, so that a part is returned unchecked.
  const part = await store.openBlob('n_00001/message', { start: 0, end: 10 })
  expect(part && (await buffer(part))).toEqual(pattern(size).subarray(0, 10))
  await store.close()
  const { findings } = await inspect(dir)
  expect(findings).toContainEqual(
    expect.objectContaining({
      level: 'problem',
      subject: 'blobs',
      message: expect.stringContaining('n_00001/message') as unknown,
    }),
  )
})

test('a reader that stops early in a large message leaves no file open', async () => {
  const { dir } = await withMessage(700_000)
  const store = await openIn(dir)
  const stream = await store.openBlob('n_00001/message')
  for await (const piece of stream ?? []) {
    expect(piece).toBeInstanceOf(Buffer)
    break
  }
  await sleep(50)
  const open = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  expect(targets.filter((target) => target.startsWith(join(dir, 'large')))).toEqual([])
  await store.close()
})

test('a damaged message is not moved to a place where it would look intact', async () => {
  const dir = await tempFolder()
  const { clock, fire } = manualClock()
  const notices: string[] = []
  const store = await openIn(dir, { clock, logFileBytes: 20_000, onNotice: (text) => notices.push(text) })
  for (let n = 0; n < 12; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(3000, n))])
  const path = join(dir, 'log', '000001.log')
  await flip(path, (await readFile(path)).indexOf(pattern(3000, 1)) + 7)
  // The first file now contains one good message, the damaged one, and otherwise waste.
  for (const n of [2, 3, 4, 5, 6]) await store.commit([remove(notes, note(n).id)])
  for (let round = 0; round < 3; round++) {
    fire()
    await sleep(100)
    await store.commit([insert(notes, note(100 + round))])
  }
  await expect(store.readBlob(`${note(1).id}/message`)).rejects.toMatchObject({ code: 'store_corrupt' })
  expect((await store.readBlob(`${note(0).id}/message`))?.equals(pattern(3000, 0))).toBe(true)
  expect(notices).toEqual([])
  await store.close()
  const segment = await readFile(join(dir, 'notes', '000001.json'), 'utf8')
  expect(segment).toMatch(/"n_00001".*"blobs":\{"message":\{"log":1,/)
  expect(segment).not.toMatch(/"n_00000".*"blobs":\{"message":\{"log":1,/)
})
