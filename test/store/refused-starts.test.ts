import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { salvageFolder } from '../../src/store/doctor/salvage.ts'
import { sealed } from '../../src/store/sealed.ts'
import { insert } from '../../src/store/store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { copyOf, inspect, live, logIn, mortal, noProcesses, openIn, refusal, tempFolder } from './_setup.ts'

test('damage in the middle of the log stops the start at the file and the byte, and changes nothing', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { ...mortal, logFileBytes: 4000 })
  const ends: number[] = []
  await live(first, 20, async () => void ends.push((await stat(logIn(dir))).size))
  const starts = [0, ...new Set(ends)].slice(0, -1)
  for (const start of [starts[0] ?? 0, starts[3] ?? 0, starts.at(-1) ?? 0]) {
    for (const within of [2, 30, 120]) {
      const copy = await copyOf(dir)
      const bytes = await readFile(logIn(copy))
      bytes[start + within] = (bytes[start + within] ?? 0) ^ 0x20
      await writeFile(logIn(copy), bytes)
      const { code, message } = await refusal(copy)
      expect(code).toBe('store_corrupt')
      expect(message).toContain(`${logIn(copy)}:${start}`)
      expect(message).toContain(`truncate -s ${start}`)
    }
  }
})

test('a file of the log that is missing or too short stops the start', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { ...mortal, logFileBytes: 3000 })
  await live(first, 20)
  const missing = await copyOf(dir)
  await rm(logIn(missing, 2))
  expect(await refusal(missing)).toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining(logIn(missing, 2)) as unknown,
  })
  await first.close()
  const short = await copyOf(dir)
  const last = (await readdir(join(short, 'log'))).sort().at(-1) ?? ''
  await truncate(join(short, 'log', last), 5)
  expect(await refusal(short)).toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining(last) as unknown,
  })
})

/** A file as after an edit by hand, without its checksum. */
const edited = (text: string): string => text.replace(/"crc":"\w{8}"\}\n$/, '}\n')

test.each([
  ['db.json', (text: string) => text.replace('"title"', 'title'), /db\.json:4/],
  ['notes/000001.json', (text: string) => text.slice(0, 2000), /000001\.json:\d+.*byte/],
  ['notes/000001.json', () => '', /000001\.json/],
  ['notes/000001.json', () => '[]', /not a file of this store/],
  [
    'notes/000001.json',
    (text: string) => edited(text.replace(/("record":.*?"version":)1/, '$1"one"')),
    /entry 1 of notes/,
  ],
  [
    'notes/000001.json',
    (text: string) => edited(text.replace('"name":"name 00001"', '"name":"name 00003"')),
    /same group, name/,
  ],
  ['checkpoint.json', () => '{', /checkpoint\.json/],
  ['checkpoint.json', () => '{"schema":1}', /checkpoint\.json/],
])('a damaged %s stops the start with its place (case %#)', async (file, damage, message) => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(labels, { id: 'l', title: 't' }), insert(labels, { id: 'm', title: 'u' })])
  await store.commit(Array.from({ length: 50 }, (_, n) => insert(notes, note(n))))
  await store.close()
  const path = join(dir, file)
  await writeFile(path, damage(await readFile(path, 'utf8')))
  const refused = await refusal(dir)
  expect(refused.code).toBe('store_corrupt')
  expect(refused.message).toMatch(message)
  expect(refused.message).toContain(path.includes('notes') && /same group/.test(refused.message) ? dir : path)
})

test('a folder without checkpoint.json but with data is not treated as a new one', async () => {
  const dir = await tempFolder()
  await (await openIn(dir)).close()
  await rm(join(dir, 'checkpoint.json'))
  await writeFile(join(dir, 'db.json'), '{"mine":1}')
  expect(await refusal(dir)).toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining('checkpoint.json') as unknown,
  })
})

test('a folder of a newer version is refused and left unchanged, wherever its version is found', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await live(store, 3)
  await store.close()
  for (const file of ['checkpoint.json', 'db.json', 'notes/000001.json']) {
    const copy = await copyOf(dir)
    const path = join(copy, file)
    await writeFile(path, (await readFile(path, 'utf8')).replace('"schema":1', '"schema":2'))
    expect(await refusal(copy)).toMatchObject({
      code: 'store_newer_schema',
      message: expect.stringContaining(path) as unknown,
    })
  }
})

const sealedWithout =
  (...names: string[]) =>
  (checkpoint: Record<string, unknown>): string =>
    sealed(
      Object.fromEntries(Object.entries(checkpoint).filter(([name]) => ![...names, 'crc'].includes(name))),
    )

test.each<[string, (checkpoint: Record<string, unknown>) => string]>([
  [
    'without a checksum',
    ({ schema, log, offset, seq, files }) => JSON.stringify({ schema, log, offset, seq, files }),
  ],
  ['of the first builds', ({ schema, log, offset, seq }) => JSON.stringify({ schema, log, offset, seq })],
  ['without its files', sealedWithout('files')],
  ['without the commits of its files', sealedWithout('contains')],
  ['without its writer', sealedWithout('boot', 'durability')],
])(
  'a folder of an unreleased build, with a checkpoint %s, is refused and left unchanged',
  async (_, edit) => {
    const dir = await tempFolder()
    const store = await openIn(dir)
    await live(store, 3)
    await store.close()
    // Such a build may still use the folder, with a lock of another form.
    await rm(join(dir, 'lock.closed'))
    const lock = JSON.stringify({ pid: process.pid, started: '1', host: 'test' })
    await writeFile(join(dir, 'lock'), lock)
    const path = join(dir, 'checkpoint.json')
    await writeFile(path, edit(JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>))
    const sentence = `The data folder ${dir} was written by a build of Localpost from before its first release`
    expect(await refusal(dir)).toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(
        `${sentence}.* Use an empty place for the data, or that build; nothing was changed.$`,
      ),
    })
    expect(await readFile(join(dir, 'lock'), 'utf8')).toBe(lock)
    const { findings } = await inspect(dir)
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'problem', message: expect.stringContaining(sentence) as unknown }),
    )
    const to = join(await tempFolder(), 'saved')
    await expect(
      salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock, processes: noProcesses }),
    ).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining(sentence) as unknown })
  },
)
