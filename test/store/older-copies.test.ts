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
    `${file}: it is older than the checkpoint: it contains the commits up to 4, but the checkpoint needs commit 10. Restore the whole folder from one copy.`,
  )
  const { healthy, findings } = await inspect(dir)
  expect(healthy).toBe(false)
  expect(findings).toContainEqual(
    expect.objectContaining({
      subject: 'snapshot',
      level: 'problem',
      message: expect.stringContaining('it contains the commits up to 4') as unknown,
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

test('a file that is newer than the checkpoint is loaded', async () => {
  const { dir, old } = await folderAndCopy()
  const expected = await contentsOf(dir)
  await cp(join(old, 'checkpoint.json'), join(dir, 'checkpoint.json'))
  expect(await contentsOf(dir)).toEqual(expected)
})

test('an edited file is loaded, and an older copy of it is refused after the next change', async () => {
  const { dir } = await folderAndCopy()
  await change(join(dir, segment), (text) =>
    withoutCrc(text.replace('"name":"name 00004"', '"name":"edited"')),
  )
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
})

test.each(recordFiles)(
  'a copy of %s without its commit number is refused, and the error says how to use it',
  async (file) => {
    const { dir, old } = await folderAndCopy()
    const expected = await contentsOf(dir)
    await cp(join(old, file), join(dir, file))
    await change(join(dir, file), (text) => withoutCrc(withoutSeq(text)))
    const { message } = await refusal(dir)
    expect(message).toMatch(
      /may be older than the checkpoint, which needs commit 10: its line `"seq"` is missing/,
    )
    const [, line = ''] = /put the line `(.*)` before its last line/.exec(message) ?? []
    expect((await inspect(dir)).healthy).toBe(false)
    await acceptEdits(dir)
    expect((await refusal(dir)).message).toContain('may be older than the checkpoint')
    // Of a file that is no older copy, the line makes what it was.
    const { dir: own } = await folderAndCopy()
    await change(join(own, file), (text) => withoutCrc(withoutSeq(text)))
    expect((await refusal(own)).message).toContain('may be older than the checkpoint')
    await change(join(own, file), (text) => text.replace(/\}\n$/, `${line}\n}\n`))
    expect(await contentsOf(own)).toEqual(expected)
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

/** The file without the line of a record. */
const withoutRecord =
  (id: string) =>
  (text: string): string =>
    text.replace(new RegExp(`.*"id":"${id}".*,?\\n`), '').replace(/,\n\]/g, '\n]')

test.each<[string, string]>([
  [segment, note(4).id],
  [segment, note(7).id],
  ['db.json', 'l'],
])('a record that was removed by hand from %s is named: %s', async (file, id) => {
  const { dir } = await folderAndCopy()
  await change(join(dir, file), (text) => withoutCrc(withoutRecord(id)(text)))
  const named = expect.stringContaining(`Removed records (1): ${id}.`) as unknown
  expect((await inspect(dir)).findings).toContainEqual(
    expect.objectContaining({ subject: 'snapshot', message: named }),
  )
  const copy = await copyOf(dir)
  expect(await acceptEdits(copy)).toMatchObject([{ file, records: [], removed: [id] }])
  const to = join(await tempFolder(), 'saved')
  const salvage = await salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock })
  expect(salvage.restored).toContainEqual(named)
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  expect(notices).toContainEqual(named)
  await store.close()
  // The file was written again, without it.
  const quiet: string[] = []
  await (await openIn(dir, { onNotice: (text) => quiet.push(text) })).close()
  expect(quiet).toEqual([])
})

test('the list of records is complete after records rest, are changed and are removed', async () => {
  const { dir } = await folderAndCopy()
  const next = await openIn(dir)
  await next.commit([put(notes, note(5, { seen: true })), remove(notes, note(3).id), insert(notes, note(9))])
  await next.close()
  const { ids, notes: lines } = JSON.parse(await readFile(join(dir, segment), 'utf8')) as {
    ids: unknown
    notes: { id: string }[]
  }
  expect(lines).toHaveLength(7)
  expect(ids).toEqual({ notes: lines.map(({ id }) => id) })
})

test('the notice about an edited file without a list of its records says that removed ones cannot be noticed', async () => {
  const { dir } = await folderAndCopy()
  await change(join(dir, segment), (text) =>
    withoutCrc(withoutRecord(note(4).id)(text).replace(/"ids":.*\n/, '')),
  )
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  await store.close()
  expect(notices).toContainEqual(expect.stringContaining('Removed records cannot be noticed'))
})
