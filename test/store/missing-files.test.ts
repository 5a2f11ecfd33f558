import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkpointText, parseCheckpoint } from '../../src/store/disk/checkpoint-text.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { isLong } from '../support/long.ts'
import {
  contents,
  copyOf,
  filesIn,
  inspect,
  madeOnce,
  manualClock,
  mortal,
  mortalFiles,
  openAfterKill,
  openIn,
  quiet,
  tempFolder,
} from './_setup.ts'

/** The number of calls between two crashes; the long variant crashes at each call. */
const stride = isLong ? 1 : 4

/** A folder that was closed, with `db.json` and three segments. */
const lived = madeOnce(async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(labels, { id: 'l', title: 't' })])
  await store.commit([insert(notes, note(5000))], [blobOf('n_05000/message', 'kept')])
  await store.commit(Array.from({ length: 2100 }, (_, n) => insert(notes, note(n))))
  await store.close()
  return dir
})

async function namedFiles(dir: string): Promise<unknown> {
  return (JSON.parse(await readFile(join(dir, 'checkpoint.json'), 'utf8')) as { files: unknown }).files
}

async function expectRefused(dir: string, file: string): Promise<void> {
  const before = await filesIn(dir)
  await expect(openIn(dir)).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringMatching(
      new RegExp(`${file}: this file of records is missing.*Restore.*Nothing was overwritten`),
    ) as unknown,
  })
  expect(await filesIn(dir)).toEqual(before)
  const { healthy, findings } = await inspect(dir)
  expect(healthy).toBe(false)
  expect(findings).toContainEqual(
    expect.objectContaining({
      level: 'problem',
      subject: 'snapshot',
      message: expect.stringContaining(`${file} is missing`) as unknown,
    }),
  )
}

test('the checkpoint names every file of records', async () => {
  const dir = await lived()
  const files = ['db.json', 'notes/000001.json', 'notes/000002.json', 'notes/000003.json']
  expect(await namedFiles(dir)).toEqual(files)
})

test.each([
  ['db.json', 'db.json'],
  ['notes/000001.json', 'notes/000001.json'],
  ['notes/000003.json', 'notes/000003.json'],
  ['notes', 'notes/000001.json'],
])('a start without %s is refused with its name, and the doctor reports it', async (gone, named) => {
  const dir = await lived()
  await rm(join(dir, gone), { recursive: true })
  await expectRefused(dir, named)
})

test('a store without small records has a db.json after its first checkpoint, so its absence is a loss', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(notes, note(1))])
  await store.close()
  await rm(join(dir, 'db.json'))
  await expectRefused(dir, 'db.json')
})

test('a new folder that was killed before its first checkpoint opens', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, mortal)
  await first.commit([insert(notes, note(1))])
  const second = await openAfterKill(await copyOf(dir))
  expect(await second.count(notes)).toBe(1)
  await second.close()
})

test('a `files` that is not a list of names is refused', async () => {
  const dir = await lived()
  const path = join(dir, 'checkpoint.json')
  const good = parseCheckpoint(await readFile(path), path)
  await writeFile(path, checkpointText({ ...good, files: [7] as unknown as string[] }))
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_corrupt' })
})

test(
  'after a crash at any call while segments are added and removed, the folder can be opened',
  { timeout: 60_000 },
  async () => {
    let rounds = 0
    for (let n = 1, survivals = 0; survivals < 5; n += stride) {
      const dir = await tempFolder()
      const { files, dieAt, isDead } = mortalFiles()
      const { clock, fire } = manualClock()
      const first = await openIn(dir, { ...mortal, clock, files, durability: 'disk' })
      await first.commit(Array.from({ length: 2005 }, (_, i) => insert(notes, note(i))))
      fire()
      await quiet(files)
      // The second and third segments are deleted, a fourth is added, and the first is changed.
      await first.commit(Array.from({ length: 1005 }, (_, i) => remove(notes, note(1000 + i).id)))
      await first.commit(Array.from({ length: 1000 }, (_, i) => insert(notes, note(3000 + i))))
      await first.commit([put(notes, note(1, { seen: true }))])
      const before = await contents(first)
      dieAt(n)
      fire()
      await quiet(files)
      if (isDead()) rounds++
      else survivals++
      dieAt(0)
      const second = await openAfterKill(await copyOf(dir))
      expect(await contents(second), `call ${n}`).toEqual(before)
      await second.close()
    }
    expect(rounds).toBeGreaterThan(15 / stride)
  },
)

test('a file of a newer version is refused before its changes are reported', async () => {
  const dir = await lived()
  const path = join(dir, 'notes', '000002.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace('"schema":1', '"schema":2'))
  const notices: string[] = []
  await expect(openIn(dir, { onNotice: (text) => notices.push(text) })).rejects.toMatchObject({
    code: 'store_newer_schema',
  })
  expect(notices).toEqual([])
})

test('the loss of an old log file that held only messages costs only those messages', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { logFileBytes: 4000 })
  for (let n = 0; n < 30; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(1000, n))])
  await store.close()
  await rm(join(dir, 'log', '000001.log'))
  const notices: string[] = []
  const again = await openIn(dir, { onNotice: (text) => notices.push(text) })
  const lost: string[] = []
  for (let n = 0; n < 30; n++) {
    const { id } = note(n)
    expect(await again.get(notes, id)).toMatchObject({ id })
    const message = await again.readBlob(`${id}/message`).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'store_corrupt' })
      return null
    })
    if (message === null) lost.push(id)
    else expect(message.equals(pattern(1000, n))).toBe(true)
  }
  expect(lost.length).toBeGreaterThan(1)
  expect(lost.length).toBeLessThan(10)
  expect(lost).toEqual(Array.from(lost, (_, n) => note(n).id))
  expect(notices.join()).toContain(
    `The bytes of ${lost.length} messages and contents are lost: n_00000/message`,
  )
  // New mail is accepted, and a later start reports the same.
  await again.commit([insert(notes, note(40))], [blobOf('n_00040/message', 'new')])
  await again.close()
  expect((await inspect(dir)).healthy).toBe(false)
  const third = await openIn(dir)
  expect(String(await third.readBlob('n_00040/message'))).toBe('new')
  await expect(third.readBlob('n_00000/message')).rejects.toMatchObject({ code: 'store_corrupt' })
  await third.close()
})

test('a log file that is removed while the store runs costs only its messages, with an error that names file and place', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { logFileBytes: 4000 })
  for (let n = 0; n < 30; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(1000, n))])
  const path = join(dir, 'log', '000001.log')
  const place = new RegExp(`^${path}:\\d+: `)
  await rm(path)
  const lost: number[] = []
  for (let n = 0; n < 30; n++) {
    const blob = `${note(n).id}/message` as const
    const streamed = store
      .openBlob(blob)
      .then(async (stream) => Buffer.concat(stream ? await stream.toArray() : []))
    for (const reading of [store.readBlob(blob), streamed]) {
      const bytes = await reading.catch((error: unknown) => {
        expect(error).toMatchObject({
          code: 'store_corrupt',
          message: expect.stringMatching(place) as unknown,
        })
        lost.push(n)
        return null
      })
      if (bytes) expect(bytes.equals(pattern(1000, n))).toBe(true)
    }
    expect(await store.get(notes, note(n).id)).toMatchObject({ id: note(n).id })
  }
  // Each is lost both ways.
  expect(lost).toEqual([0, 0, 1, 1, 2, 2])
  await store.commit([insert(notes, note(40))], [blobOf('n_00040/message', 'new')])
  expect(String(await store.readBlob('n_00040/message'))).toBe('new')
  await store.close()
})
