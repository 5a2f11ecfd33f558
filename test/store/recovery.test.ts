import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insert, put } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { contents, copyOf, live, logIn, mortal, openAfterKill, openIn, tempFolder } from './_setup.ts'

test('a closed store opens with all its data and without a notice', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await live(first, 40)
  await first.commit(Array.from({ length: 2500 }, (_, n) => insert(notes, note(n + 100))))
  const before = await contents(first)
  await first.close()
  const notices: string[] = []
  const second = await openIn(dir, { onNotice: (text) => notices.push(text) })
  expect(await contents(second)).toEqual(before)
  expect(notices).toEqual([])
  await second.commit([put(notes, note(1, { name: 'after' }))])
  await second.close()
  const third = await openIn(dir)
  expect((await third.get(notes, note(1).id))?.name).toBe('after')
  expect((await readdir(join(dir, 'notes'))).sort()).toEqual(['000001.json', '000002.json', '000003.json'])
  await third.close()
})

test('the files can be read by a person: one record per line, in segments of 1,000', async () => {
  const dir = await tempFolder()
  const store = await openIn(join(dir, 'new', 'data'))
  await store.commit([
    insert(labels, { id: 'l', title: 'Title' }),
    ...Array.from({ length: 1001 }, (_, n) => insert(notes, note(n))),
  ])
  await store.close()
  const folder = join(dir, 'new', 'data')
  const db: unknown = JSON.parse(await readFile(join(folder, 'db.json'), 'utf8'))
  expect(db).toMatchObject({ schema: 1, labels: [{ record: { id: 'l', title: 'Title', version: 1 } }] })
  const segment: unknown = JSON.parse(await readFile(join(folder, 'notes', '000002.json'), 'utf8'))
  expect(segment).toMatchObject({ notes: [{ record: note(1000) }] })
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('a killed store opens with every commit that it acknowledged', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { ...mortal, logFileBytes: 3000 })
  await live(first, 40)
  expect((await readdir(join(dir, 'log'))).length).toBeGreaterThan(5)
  const second = await openAfterKill(dir)
  expect(await contents(second)).toEqual(await contents(first))
  await second.close()
})

test('a log that is cut anywhere loses no commit that ends before the cut, and invents none', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, mortal)
  const states: { end: number; state: unknown }[] = [{ end: 0, state: await contents(first) }]
  await live(first, 15, async () => {
    const end = (await stat(logIn(dir))).size
    if (end !== states.at(-1)?.end) states.push({ end, state: await contents(first) })
  })
  const length = states.at(-1)?.end ?? 0
  const edges = states.flatMap(({ end }) => [end - 1, end, end + 1]).filter((cut) => cut >= 0 && cut < length)
  const random = Array.from({ length: 40 }, (_, i) => Math.floor(((i * 0.618034) % 1) * length))
  for (const cut of [...edges, ...random]) {
    const copy = await copyOf(dir)
    await truncate(logIn(copy), cut)
    const second = await openAfterKill(copy)
    const expected = states.findLast(({ end }) => end <= cut)
    expect(await contents(second), `cut at ${cut}`).toEqual(expected?.state)
    await second.commit([put(notes, note(999))])
    const now = await contents(second)
    await second.close()
    const third = await openIn(copy)
    expect(await contents(third)).toEqual(now)
    await third.close()
    await rm(copy, { recursive: true })
  }
  expect(edges.length + random.length).toBeGreaterThan(80)
})

test('the bytes after the last complete commit are set aside, with a notice', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, mortal)
  await live(first, 5)
  const before = await contents(first)
  const good = await readFile(logIn(dir))
  const garbage = Buffer.concat([
    pattern(5000),
    good.subarray(0, 400),
    Buffer.from('{"seq":99,"len":5,"crc":"00000000","ops":[]}\n'),
  ])
  await appendFile(logIn(dir), garbage)
  const notices: string[] = []
  // While the machine runs a kill leaves no such bytes: there they are damage.
  await expect(openAfterKill(dir)).rejects.toMatchObject({ code: 'store_corrupt' })
  const second = await openAfterKill(dir, { boot: 'later', onNotice: (text) => notices.push(text) })
  expect(await contents(second)).toEqual(before)
  const aside = `${logIn(dir)}.cut-${good.byteLength}`
  expect(notices).toEqual([expect.stringContaining(aside)])
  expect(notices[0]).toContain(String(garbage.byteLength))
  expect((await readFile(aside)).equals(garbage)).toBe(true)
  expect((await readFile(logIn(dir))).equals(good)).toBe(true)
  await second.close()
})

test('a bad end before an empty next file of the log counts as the end', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, mortal)
  await live(first, 5)
  const before = await contents(first)
  await appendFile(logIn(dir), 'torn')
  await writeFile(logIn(dir, 2), '')
  const second = await openAfterKill(dir)
  expect(await contents(second)).toEqual(before)
  await second.commit([put(notes, note(77))])
  const now = await contents(second)
  const third = await openAfterKill(await copyOf(dir))
  expect(await contents(third)).toEqual(now)
  await third.close()
  await second.close()
})

test('a collection that this version does not know is kept with its blobs', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { ...mortal, logFileBytes: 2000 })
  await live(first, 10)
  const before = await contents(first)
  const without = await openAfterKill(dir, { collections: [] })
  await without.close()
  await (await openIn(dir, { collections: [], checkpointBytes: 1 })).close()
  const third = await openIn(dir)
  expect(await contents(third)).toEqual(before)
  await third.close()
})
