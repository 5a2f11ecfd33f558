import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { acceptEdits } from '../../src/store/doctor/accept-edits.ts'
import { salvageFolder } from '../../src/store/doctor/salvage.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { contents, copyOf, inspect, logIn, openIn, refusal, tempFolder } from './_setup.ts'

const segment = 'notes/000001.json'
const recordFiles = ['db.json', segment]

/** A closed folder, and a copy of it from before its last changes. */
async function folderAndCopy(): Promise<{ dir: string; old: string }> {
  const dir = await tempFolder()
  const first = await openIn(dir)
  for (let n = 0; n < 3; n++)
    await first.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, `message ${n}`)])
  await first.commit([insert(labels, { id: 'l', title: 'before' })])
  await first.close()
  const old = await copyOf(dir)
  const second = await openIn(dir)
  for (let n = 3; n < 8; n++)
    await second.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, `message ${n}`)])
  await second.commit([
    remove(notes, note(0).id),
    put(notes, note(1, { seen: true })),
    put(labels, { id: 'l', title: 'after' }),
  ])
  await second.close()
  return { dir, old }
}

async function contentsOf(dir: string): Promise<unknown> {
  const store = await openIn(await copyOf(dir))
  const all = await contents(store)
  await store.close()
  return all
}

async function change(path: string, edit: (text: string) => string): Promise<void> {
  const text = await readFile(path, 'utf8')
  const changed = edit(text)
  expect(changed).not.toBe(text)
  await writeFile(path, changed)
}

/** The same without the versions, which a salvaged folder counts anew. */
const plain = (all: unknown): string => JSON.stringify(all).replace(/,?"version":\d+/g, '')

const withoutCrc = (text: string): string => text.replace(/"crc":"\w+"\}\n$/, '}\n')
const withoutSeq = (text: string): string => text.replace(/"seq":\d+,\n/, '')

test.each(recordFiles)('an older copy of %s is refused, and salvage brings it up to date', async (file) => {
  const { dir, old } = await folderAndCopy()
  const expected = await contentsOf(dir)
  await cp(join(old, file), join(dir, file))
  const { code, message } = await refusal(dir)
  expect(code).toBe('store_corrupt')
  expect(message).toContain(
    `${file}: it is older than the checkpoint: it is of commit 4, the checkpoint needs commit 10. Restore the whole folder from one copy.`,
  )
  const { healthy, findings } = await inspect(dir)
  expect(healthy).toBe(false)
  expect(findings).toContainEqual(
    expect.objectContaining({
      subject: 'snapshot',
      level: 'problem',
      message: expect.stringContaining('it is of commit 4') as unknown,
    }),
  )
  const to = join(await tempFolder(), 'saved')
  const salvage = await salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock })
  expect(salvage.lost).toEqual([])
  expect(salvage.restored).toEqual([expect.stringContaining('The later commits were taken from the log')])
  expect(plain(await contentsOf(to))).toEqual(plain(expected))
})

test('salvage of an older copy says when later commits are not in the log', async () => {
  const { dir, old } = await folderAndCopy()
  await cp(join(old, segment), join(dir, segment))
  await writeFile(logIn(dir), '')
  const to = join(await tempFolder(), 'saved')
  const { lost } = await salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock })
  expect(lost).toContainEqual(expect.stringContaining('later changes of its records may be lost'))
})

test.each(recordFiles)('a copy of %s from a version that wrote no commit number is refused', async (file) => {
  const { dir, old } = await folderAndCopy()
  await change(join(old, file), (text) => withoutCrc(withoutSeq(text)))
  await acceptEdits(old)
  await cp(join(old, file), join(dir, file))
  expect((await refusal(dir)).message).toContain('an earlier version of Localpost wrote it')
})

test('a file that is newer than the checkpoint is loaded', async () => {
  const { dir, old } = await folderAndCopy()
  const expected = await contentsOf(dir)
  await cp(join(old, 'checkpoint.json'), join(dir, 'checkpoint.json'))
  expect(await contentsOf(dir)).toEqual(expected)
})

test('a folder of a version that wrote no commit numbers opens, and gets them', async () => {
  const { dir } = await folderAndCopy()
  const expected = await contentsOf(dir)
  for (const file of recordFiles) await change(join(dir, file), (text) => withoutCrc(withoutSeq(text)))
  await acceptEdits(dir)
  const path = join(dir, 'checkpoint.json')
  const { schema, log, offset, seq, files } = JSON.parse(await readFile(path, 'utf8')) as Record<
    string,
    unknown
  >
  await writeFile(path, JSON.stringify({ schema, log, offset, seq, files }))
  expect(await contentsOf(dir)).toEqual(expected)
  const store = await openIn(dir)
  await store.commit([put(notes, note(2, { seen: true })), put(labels, { id: 'm', title: 'new' })])
  await store.close()
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    contains: { 'db.json': 11, [segment]: 11 },
  })
})

test.each([
  ['without its checksum', withoutCrc],
  ['without its checksum and its commit number', (text: string) => withoutCrc(withoutSeq(text))],
])(
  'an edited file %s is loaded, and an older copy of it is refused after the next change',
  async (_, strip) => {
    const { dir } = await folderAndCopy()
    await change(join(dir, segment), (text) => strip(text.replace('"name":"name 00004"', '"name":"edited"')))
    const notices: string[] = []
    const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
    expect(await store.get(notes, note(4).id)).toMatchObject({ name: 'edited' })
    expect(notices).toContainEqual(expect.stringContaining('was changed since Localpost wrote it'))
    await store.close()
    const old = await copyOf(dir)
    const next = await openIn(dir)
    await next.commit([insert(notes, note(9))])
    await next.close()
    await cp(join(old, segment), join(dir, segment))
    expect((await refusal(dir)).message).toContain('it is older than the checkpoint')
  },
)

test('an edited older copy is refused, also after its edits were accepted', async () => {
  const { dir, old } = await folderAndCopy()
  await cp(join(old, segment), join(dir, segment))
  await change(join(dir, segment), withoutCrc)
  expect((await refusal(dir)).message).toContain('it is older than the checkpoint')
  await acceptEdits(dir)
  expect((await refusal(dir)).message).toContain('it is older than the checkpoint')
})

test('the doctor counts nothing where a file of records is refused', async () => {
  const { dir, old } = await folderAndCopy()
  await cp(join(old, segment), join(dir, segment))
  const { findings } = await inspect(dir)
  expect(findings).toContainEqual(
    expect.objectContaining({ level: 'note', message: expect.stringContaining('not counted') as unknown }),
  )
  const sure = findings.filter(({ level }) => level === 'ok').map(({ message }) => message)
  expect(sure.join()).not.toMatch(/The folder holds|The bytes of/)
})

test('the doctor does not claim that an unclosed folder without a lock is unused', async () => {
  const { dir } = await folderAndCopy()
  const lock = async (): Promise<unknown> =>
    (await inspect(dir)).findings.find(({ subject }) => subject === 'lock')
  expect(await lock()).toMatchObject({ level: 'ok' })
  await rm(join(dir, 'lock.closed'))
  expect(await lock()).toMatchObject({
    level: 'note',
    message: expect.stringContaining('cannot be known') as unknown,
  })
})

test('the notice about an edited file says that removed records cannot be noticed', async () => {
  const { dir } = await folderAndCopy()
  await change(join(dir, segment), (text) =>
    withoutCrc(text.replace(new RegExp(`.*"id":"${note(4).id}".*\\n`), '')),
  )
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  await store.close()
  expect(notices).toContainEqual(expect.stringContaining('Removed records cannot be noticed'))
})
