import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobOf, insert, put, type Store } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import {
  contents,
  copyOf,
  inspect,
  mortal,
  noProcesses,
  openAfterKill,
  openIn,
  tempFolder,
} from './_setup.ts'

const commitOf = (store: Store, n: number): Promise<void> =>
  store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(1000, n))])

/** Writes two single commits, then five at once. Returns the folder with a hole, as a power loss may leave it. */
async function holed(durability: 'disk' | 'process', after: (store: Store) => Promise<void>) {
  const dir = await tempFolder()
  const store = await openIn(dir, { ...mortal, durability, boot: 'first' })
  await commitOf(store, 1)
  await commitOf(store, 2)
  const before = await contents(store)
  const path = join(dir, 'log', '000001.log')
  const written = (await readFile(path)).byteLength
  await Promise.all([3, 4, 5, 6, 7].map((n) => commitOf(store, n)))
  await after(store)
  const copy = await copyOf(dir)
  const bytes = await readFile(join(copy, 'log', '000001.log'))
  bytes.fill(0, written + 300, written + 700)
  await writeFile(join(copy, 'log', '000001.log'), bytes)
  return { copy, before, written }
}

test('a power loss that kept the end of a synced write and lost its beginning undoes that write', async () => {
  const { copy, before, written } = await holed('disk', async () => {})
  const found = await inspect(copy, { processes: noProcesses, boot: 'second' })
  expect(found.findings.filter(({ level }) => level === 'problem')).toEqual([])
  const notices: string[] = []
  const store = await openAfterKill(copy, { boot: 'second', onNotice: (text) => notices.push(text) })
  expect(await contents(store)).toEqual(before)
  expect(notices).toEqual([expect.stringContaining(`000001.log.cut-${written}`) as unknown])
  await commitOf(store, 3)
  await store.close()
  const again = await openIn(copy)
  expect(await again.count(notes)).toBe(3)
  await again.close()
})

test.each([
  [
    'a later write shows that it was acknowledged',
    'disk',
    (store: Store) => store.commit([put(notes, note(1))]),
  ],
  ['writes are not synced before they are acknowledged', 'process', async () => {}],
] as const)('the same damage stops the start where %s', async (_, durability, after) => {
  const { copy, written } = await holed(durability, after)
  const files = await readdir(join(copy, 'log'))
  const boot = durability === 'disk' ? 'second' : 'first'
  await expect(openAfterKill(copy, { boot })).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining(`000001.log:${written}`) as unknown,
  })
  expect(await readdir(join(copy, 'log'))).toEqual(files)
})
