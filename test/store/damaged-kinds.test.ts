import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { salvageFolder, type Salvage } from '../../src/store/doctor/salvage.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { sampleOf } from '../support/long.ts'
import { answers, isDamaged, unversioned } from './_answers.ts'
import {
  copyOf,
  filesIn,
  inspect,
  madeOnce,
  mortal,
  noProcesses,
  openAfterKill,
  openIn,
  tempFolder,
} from './_setup.ts'

/** A folder of a killed store: small records, a segment, files of the log before and after the checkpoint, large messages. */
const lived = madeOnce(async () => {
  const dir = await tempFolder()
  const options = { logFileBytes: 20_000 }
  const first = await openIn(dir, { ...options, reserveBytes: 20_000 })
  await first.commit([insert(labels, { id: 'l1', title: 'one' }), insert(labels, { id: 'l2', title: 'two' })])
  for (let n = 0; n < 20; n++)
    await first.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await first.commit([insert(notes, note(20))], [blobOf('n_00020/message', pattern(300_000, 20))])
  await first.commit([put(notes, note(5, { seen: true })), remove(notes, note(6).id)])
  await first.close()
  const second = await openAfterKill(dir, { ...mortal, ...options })
  for (let n = 30; n < 50; n++)
    await second.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await second.commit([insert(notes, note(50))], [blobOf('n_00050/message', pattern(300_000, 50))])
  await second.commit([put(labels, { id: 'l3', title: 'three' }), put(notes, note(7, { seen: true }))])
  return dir
})

const salvage = (dir: string, to: string): Promise<Salvage> =>
  salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock, processes: noProcesses })

/** The kinds of files in a folder, by content, and whether damage to them can lose data. */
const kinds = {
  'db.json': 'records',
  'notes/000001.json': 'records',
  'checkpoint.json': 'records',
  'log/000001.log': 'old messages',
  'log/000003.log': 'checkpoint',
  'log/000004.log': 'new commits',
  'large/n_00020': 'old messages',
  'large/n_00050': 'old messages',
  log: 'all messages',
  notes: 'records',
  large: 'old messages',
  lock: 'nothing',
  reserve: 'nothing',
  'derived/notes/000001.idx': 'nothing',
  'derived/notes': 'nothing',
  derived: 'nothing',
  '.gitignore': 'nothing',
} as const

const faults: Record<string, (path: string) => Promise<void>> = {
  missing: (path) => rm(path, { recursive: true }),
  emptied: (path) => truncate(path, 0),
  truncated: async (path) => truncate(path, Math.floor((await stat(path)).size * 0.6)),
  'with a flipped bit': async (path) => {
    const bytes = await readFile(path)
    const at = Math.floor(bytes.byteLength * 0.5)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(path, bytes)
  },
  'replaced by a directory': async (path) => {
    await rm(path)
    await mkdir(path)
  },
}
const folderFaults: typeof faults = {
  missing: (path) => rm(path, { recursive: true }),
  emptied: async (path) => {
    await rm(path, { recursive: true })
    await mkdir(path)
  },
  'replaced by a file': async (path) => {
    await rm(path, { recursive: true })
    await writeFile(path, 'x')
  },
}

async function pathOf(dir: string, kind: string): Promise<string> {
  if (!kind.startsWith('large/')) return join(dir, kind)
  const name = (await readdir(join(dir, 'large'))).find((file) => kind.endsWith(file.slice(0, 7)))
  return join(dir, 'large', name ?? '')
}

const isFolder = (kind: string): boolean =>
  ['log', 'notes', 'large', 'derived/notes', 'derived'].includes(kind)
const cases = Object.entries(kinds).flatMap(([kind, holds]) =>
  Object.entries(isFolder(kind) ? folderFaults : faults).map(([name, fault]) => ({
    kind,
    holds,
    name,
    fault,
  })),
)

/** The record of an answer, which also has its bytes. */
const recordOf = (answer = '[]'): unknown => (JSON.parse(answer) as unknown[])[0]

// Every second one: of each kind of file some faults.
test.each(sampleOf(cases, Math.ceil(cases.length / 2)))(
  '$kind $name: a start works or says what to do, and salvage saves everything that is intact',
  async ({ kind, holds, name, fault }) => {
    const dir = await lived()
    const expected = (await answers(await copyOf(dir))).all
    await fault(await pathOf(dir, kind))
    const before = await filesIn(dir)
    const found = await inspect(dir, { processes: noProcesses })
    const to = join(await tempFolder(), 'saved')
    const { lost, restored } = await salvage(dir, to)
    expect(await filesIn(dir)).toEqual(before)

    const saved = (await answers(to)).all
    const missing = Object.keys(expected).filter((id) => !(id in saved) || isDamaged(saved[id]))
    for (const [id, answer] of Object.entries(saved)) {
      // Where later commits are lost too, it may be an older state, which is said.
      const isOlder = lost.some((text) => /^Commits \d+ to|the commits that only it had are lost/.test(text))
      if (isDamaged(answer) && isOlder) expect(recordOf(answer)).toMatchObject({ id })
      else if (isDamaged(answer))
        expect(recordOf(unversioned(answer)), id).toEqual(recordOf(unversioned(expected[id])))
      else expect(unversioned(answer), id).toBe(unversioned(expected[id]))
    }
    // Without its bytes a record is saved all the same.
    if (holds === 'old messages') expect(Object.keys(saved)).toEqual(Object.keys(expected))
    for (const id of missing) {
      const isNamed = lost.some(
        (text) => text.includes(id) || text.includes(join(dir, kind)) || /^Commits \d+ to/.test(text),
      )
      expect(isNamed, `${id} is not among what is lost:\n${lost.join('\n')}`).toBe(true)
    }
    if (holds === 'records' || holds === 'nothing')
      expect({ missing, lost }).toEqual({ missing: [], lost: [] })
    if (holds === 'old messages') expect(missing.length).toBeLessThan(9)
    if (holds === 'records') expect(restored.join('\n')).toContain(kind)

    const copy = await copyOf(dir)
    const started = await answers(copy).catch((error: unknown) => error as { code: string; message: string })
    if ('code' in started) {
      expect(started.code).toMatch(/^store_/)
      // A lock holds nothing to save.
      const wayOut = kind === 'lock' ? 'Remove it' : 'localpost doctor --salvage --to <new folder>'
      expect(started.message).toContain(wayOut)
      expect(started.message).toContain(copy)
      expect(found.healthy).toBe(false)
      // A start that is refused removes nothing, and the doctor does not say that one does.
      const text = found.findings.map(({ message }) => message).join('\n')
      expect(text).not.toContain('next start removes them')
    } else {
      const isWhole = Object.keys(expected).every(
        (id) => unversioned(started.all[id]) === unversioned(expected[id]),
      )
      if (holds !== 'new commits' && holds !== 'checkpoint') expect(found.healthy).toBe(isWhole)
      if (holds === 'records') expect.unreachable(`a start accepts ${kind} ${name}`)
      if (holds === 'nothing') expect(isWhole).toBe(true)
    }
  },
)

test('the table has every kind of file of a folder', async () => {
  const dir = await lived()
  for (const kind of Object.keys(kinds)) {
    const path = await pathOf(dir, kind)
    expect(existsSync(path), path).toBe(true)
  }
  for (const name of await readdir(dir))
    expect(Object.keys(kinds).some((kind) => kind.startsWith(name))).toBe(true)
})

test('where the log has a gap, salvage restores the damaged record and brings no removed one back', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { logFileBytes: 12_000 })
  for (let n = 0; n < 4; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  await store.commit([insert(notes, note(4))], [blobOf(`${note(4).id}/message`, pattern(6000, 4))])
  await store.commit([remove(notes, note(2).id), remove(notes, note(4).id)])
  for (let n = 5; n < 12; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(6000, n))])
  await store.close()
  const expected = (await answers(await copyOf(dir))).all
  // The clean-up removed the file with the commit that removed both.
  expect(existsSync(join(dir, 'log', '000002.log'))).toBe(false)
  const segment = join(dir, 'notes', '000001.json')
  await writeFile(
    segment,
    (await readFile(segment, 'utf8')).replace('"name":"name 00003"', '"name":"name 0000x"'),
  )
  const to = join(await tempFolder(), 'saved')
  const { lost } = await salvage(dir, to)
  const saved = (await answers(to)).all
  for (const [id, answer] of Object.entries(saved))
    expect(unversioned(answer), id).toBe(unversioned(expected[id]))
  expect({ lost, count: Object.keys(saved).length }).toEqual({
    lost: [],
    count: Object.keys(expected).length,
  })
})
