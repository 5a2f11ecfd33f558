import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Inspection } from '../../src/store/doctor/inspect.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import {
  copyOf,
  filesIn,
  inspect,
  mortal,
  noProcesses,
  openAfterKill,
  openIn,
  systemError,
  tempFolder,
} from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const problems = ({ findings }: Inspection): string[] =>
  findings.filter(({ level }) => level === 'problem').map(({ message, fix }) => `${message} ${fix}`)
const remarks = ({ findings }: Inspection): string[] =>
  findings.filter(({ level }) => level === 'note').map(({ message }) => message)

/** A folder with records in segments, several log files, a large blob, and commits after the checkpoint. */
async function lived(): Promise<string> {
  const dir = await tempFolder()
  const first = await openIn(dir, { logFileBytes: 20_000 })
  await first.commit([insert(labels, { id: 'l', title: 'Title' })])
  for (let n = 0; n < 30; n++)
    await first.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await first.commit([insert(notes, note(50))], [blobOf('n_00050/message', pattern(300_000))])
  await first.close()
  const second = await openIn(dir, { ...mortal, logFileBytes: 20_000 })
  for (let n = 30; n < 40; n++)
    await second.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await second.commit([remove(notes, note(3).id), put(notes, note(4, { seen: true }))])
  // A kill leaves the lock in place.
  return await copyOf(dir)
}

const dead = noProcesses

test('a folder that was closed or killed is healthy, and the inspection changes nothing in it', async () => {
  const dir = await lived()
  const old = new Date(Math.floor(Date.now() / 1000) * 1000 - 10_000_000)
  const paths = (await readdir(dir, { recursive: true })).map((name) => join(dir, name))
  for (const path of [dir, ...paths]) await utimes(path, old, old)
  const before = await filesIn(dir)
  const found = await inspect(dir, { processes: dead })
  expect(problems(found)).toEqual([])
  expect(found.healthy).toBe(true)
  expect(remarks(found)).toEqual([expect.stringMatching(/lock is left over.*next start takes/) as unknown])
  expect(found.findings.map(({ message }) => message)).toContain('The folder holds 40 notes, 1 labels.')
  expect(await filesIn(dir)).toEqual(before)
  for (const path of [dir, ...paths]) expect((await stat(path)).mtimeMs).toBe(old.getTime())
  const store = await openAfterKill(dir)
  expect(await store.count(notes)).toBe(40)
  await store.close()
  expect(remarks(await inspect(dir))).toEqual([])
})

test('a folder in use is inspected without its lock', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { logFileBytes: 50_000, checkpointBytes: 20_000 })
  const running = { now: true }
  const load = (async () => {
    for (let n = 0; running.now; n++) {
      await store.commit(
        [put(notes, note(n % 200))],
        [blobOf(`${note(n % 200).id}/message`, pattern(1500, n))],
      )
    }
  })()
  for (let round = 0; round < 5; round++) {
    const found = await inspect(dir)
    expect(remarks(found)[0]).toMatch(new RegExp(`Process ${process.pid} .* uses the folder`))
    expect(found.findings.some(({ subject }) => subject === 'log')).toBe(true)
  }
  running.now = false
  await load
  expect(problems(await inspect(dir))).toEqual([])
  await store.close()
})

test('an empty folder is healthy, a missing one is reported', async () => {
  const dir = await tempFolder()
  expect(await inspect(dir)).toMatchObject({ healthy: true, findings: [{ subject: 'folder' }] })
  const missing = await inspect(join(dir, 'no'))
  expect(missing.healthy).toBe(false)
  expect(problems(missing)).toEqual([expect.stringContaining('There is no folder') as unknown])
  expect(await readdir(dir)).toEqual([])
})

test('a folder of a newer version is reported as such, and not checked by this one', async () => {
  const dir = await lived()
  const path = join(dir, 'checkpoint.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace('"schema":1', '"schema":9'))
  const found = await inspect(dir)
  expect(problems(found)).toEqual([
    expect.stringMatching(/written by a newer Localpost.*version 9/) as unknown,
  ])
})

const log = (n: number) => (dir: string) => join(dir, 'log', `00000${n}.log`)
const flip = (at: number) => async (path: string) => {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x20
  await writeFile(path, bytes)
}
const edit = (from: string, to: string) => async (path: string) =>
  writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
const inDir = (name: string) => (dir: string) => join(dir, name)

test.each([
  ['a byte of an old commit', log(1), flip(900), [/n_0000\d\/message.* lost: .*000001\.log/]],
  [
    'the end of an old log file',
    log(1),
    (path: string) => truncate(path, 9000),
    [/messages and contents are lost: .*000001\.log/],
  ],
  ['an old log file that is gone', log(1), (path: string) => rm(path), [/lost: .*000001\.log is missing/]],
  ['a byte of a commit that is replayed', log(5), flip(3000), [/000005\.log.* is damaged|lost/]],
  ['a segment', inDir('notes/000001.json'), edit('"version":1', '"version":'), [/000001\.json:\d+/]],
  ['db.json', inDir('db.json'), edit('"title"', 'title'), [/db\.json:4/]],
  [
    'a record',
    inDir('notes/000001.json'),
    edit('"name":"name 00001"', '"name":"name 00002"'),
    [/notes\/000001\.json:5: .*checksum does not fit/],
  ],
  ['checkpoint.json', inDir('checkpoint.json'), (path: string) => writeFile(path, '{'), [/checkpoint\.json/]],
  ['checkpoint.json that is gone', inDir('checkpoint.json'), (path: string) => rm(path), [/is missing/]],
])('damage is found, with its place: %s', async (_, place, damage, expected) => {
  const dir = await lived()
  await damage(place(dir))
  const found = problems(await inspect(dir, { processes: dead }))
  for (const pattern of expected) expect(found.join('\n')).toMatch(pattern)
  const other = await copyOf(dir)
  expect(found.length).toBeLessThan(40)
  await rm(other, { recursive: true })
})

test('a damaged message that was removed is no longer a problem, and a note names its file', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { logFileBytes: 20_000 })
  for (let n = 0; n < 9; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await store.close()
  await flip(900)(log(1)(dir))
  expect(problems(await inspect(dir))).toEqual([expect.stringContaining('n_00000/message') as unknown])
  const again = await openIn(dir)
  await again.commit([remove(notes, note(0).id)])
  await again.close()
  const found = await inspect(dir)
  expect(problems(found)).toEqual([])
  expect(found.healthy).toBe(true)
  expect(remarks(found).join('\n')).toMatch(/000001\.log is damaged from byte 0 to byte \d+/)
})

test('a message is intact where only another part of its commit is damaged', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(notes, note(1))], [blobOf('n_00001/message', pattern(2000))])
  await store.commit([insert(notes, note(2))])
  await store.close()
  const path = log(1)(dir)
  await flip((await readFile(path)).indexOf('"group"'))(path)
  expect(problems(await inspect(dir))).toEqual([])
  const again = await openIn(dir)
  expect((await again.readBlob('n_00001/message'))?.equals(pattern(2000))).toBe(true)
  await again.close()
})

test('a large file that is missing or short is reported with its mail', async () => {
  const dir = await lived()
  const [name = ''] = await readdir(join(dir, 'large'))
  await truncate(join(dir, 'large', name), 1000)
  expect(problems(await inspect(dir, { processes: dead }))).toEqual([
    expect.stringMatching(/n_00050\/message.*has 1000 bytes.*remove n_00050/) as unknown,
  ])
  await rm(join(dir, 'large', name))
  expect(problems(await inspect(dir, { processes: dead }))[0]).toContain('is missing')
  await mkdir(join(dir, 'large', name))
  expect(problems(await inspect(dir, { processes: dead }))).toEqual([
    expect.stringMatching(/n_00050\/message \(\d+\) are lost: .*has 0 bytes\. .*remove n_00050/) as unknown,
  ])
})

test('a file that cannot be read is reported as such: what it holds may be intact', async () => {
  const dir = await lived()
  const unread = (path: string): boolean => path.includes('/large/') || path.endsWith('000001.log')
  const files = {
    ...nodeFiles,
    readAll: (path: string) =>
      unread(path) ? Promise.reject(systemError('EACCES')) : nodeFiles.readAll(path),
  }
  const found = problems(await inspect(dir, { processes: dead, files }))
  expect(found).toContainEqual(
    expect.stringMatching(
      /^The bytes n_00050\/message \(\d+\) were not checked: .*EACCES.*Let this user read/,
    ),
  )
  expect(found).toContainEqual(
    expect.stringMatching(
      /^The bytes of \d+ messages and contents were not checked: .*000001\.log cannot be read: n_0/,
    ),
  )
  expect(found.join()).not.toMatch(/are lost|is missing|remove/)
})

test('the same loss in many messages is reported once, with the first of them', async () => {
  const dir = await lived()
  await rm(join(dir, 'log'), { recursive: true })
  const found = problems(await inspect(dir, { processes: dead }))
  const blobs = found.filter((text) => text.includes('The bytes of'))
  expect(blobs[0]).toMatch(
    /The bytes of \d+ messages and contents are lost: .*000001\.log is missing: n_00000\/message \(2000\), n_00001\/message \(2000\), n_00002\/message \(2000\) and \d+ more\./,
  )
  expect(found.length).toBeLessThan(8)
})

test('leftovers of a crash that the next start repairs are reported as a note', async () => {
  const dir = await lived()
  await writeFile(join(dir, 'large', 'n_1-message-00.eml'), 'nobody')
  await writeFile(join(dir, 'notes', '000001.json.tmp'), 'half')
  const last = (await readdir(join(dir, 'log'))).sort().at(-1) ?? ''
  await appendFile(join(dir, 'log', last), '{"seq":')
  await writeFile(join(dir, 'log', '000001.log.cut-77'), 'old')
  const found = await inspect(dir, { processes: dead })
  expect(found.healthy).toBe(true)
  const said = remarks(found).join('\n')
  expect(said).toMatch(/ends in 7 bytes.*no complete commit/)
  expect(said).toMatch(/1 files in .*large \(6 bytes\) belong to no record/)
  expect(said).toMatch(/000001\.json\.tmp/)
  expect(said).toMatch(/000001\.log\.cut-77/)
  const store = await openAfterKill(dir)
  await store.close()
  expect((await inspect(dir)).healthy).toBe(true)
})

test('a disk that is nearly full is a problem', async () => {
  const dir = await lived()
  const found = await inspect(dir, { processes: dead, freeBytes: async () => 5_000_000 })
  expect(problems(found)).toEqual([expect.stringMatching(/4 MiB left/) as unknown])
})

test('a folder of another program is not inspected', async () => {
  const dir = await tempFolder()
  await mkdir(join(dir, 'photos'))
  const found = await inspect(dir)
  expect(problems(found)).toEqual([
    expect.stringMatching(/holds photos, and no data of Localpost/) as unknown,
  ])
  expect(await readdir(dir, { recursive: true })).toEqual(['photos'])
})
