import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { acceptEdits } from '../../src/store/doctor/accept-edits.ts'
import { salvageFolder } from '../../src/store/doctor/salvage.ts'
import { blobOf, insert, put } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { answers, isDamaged, unversioned } from './_answers.ts'
import { flipCount, flipped } from './_flips.ts'
import {
  copyOf,
  filesIn,
  inspect,
  madeOnce,
  mortal,
  openAfterKill,
  openIn,
  refusal,
  tempFolder,
} from './_setup.ts'

/** A folder of a killed store: two segments, small records, a large message, and a log after the checkpoint. */
const lived = madeOnce(async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(labels, { id: 'l1', title: 'one' }), insert(labels, { id: 'l2', title: 'two' })])
  for (let n = 0; n < 20; n++)
    await first.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(300, n))])
  await first.commit([insert(notes, note(20))], [blobOf(`${note(20).id}/message`, pattern(300_000, 20))])
  await first.close()
  const second = await openAfterKill(dir, mortal)
  for (let n = 30; n < 40; n++)
    await second.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(300, n))])
  await second.commit([put(labels, { id: 'l3', title: 'three' })])
  return dir
})

test.each(['db.json', 'notes/000001.json', 'checkpoint.json', 'log/000001.log', 'large'])(
  'a changed bit of %s is refused, marked or harmless, and never changed data',
  { timeout: 120_000 + flipCount * 2000 },
  async (kind) => {
    const dir = await lived()
    const [large = ''] = await readdir(join(dir, 'large'))
    const file = kind === 'large' ? join('large', large) : kind
    const expected = (await answers(await copyOf(dir))).all
    const ends = { refused: 0, marked: 0, harmless: 0 }
    for await (const { copy, place } of flipped(dir, file)) {
      const found = await answers(copy).catch((error: unknown) => {
        expect(error, place).toMatchObject({
          code: expect.stringMatching(/^store_(?:corrupt|newer_schema)$/) as unknown,
        })
        return null
      })
      if (!found) {
        ends.refused++
        continue
      }
      let marked = false
      for (const [id, answer] of Object.entries(expected)) {
        if (found.all[id] === answer) continue
        marked = true
        // The message is marked, or the end of the log was set aside with a notice.
        expect(
          isDamaged(found.all[id]) || (found.all[id] === undefined && found.notices.length > 0),
          `${place}: ${id}`,
        ).toBe(true)
      }
      expect(
        Object.keys(found.all).filter((id) => !(id in expected)),
        place,
      ).toEqual([])
      if (marked) ends.marked++
      else ends.harmless++
    }
    expect(ends.refused + ends.marked + ends.harmless).toBe(flipCount)
    if (/json/.test(kind)) expect(ends.refused).toBe(flipCount)
    if (kind === 'large') expect(ends.marked).toBe(flipCount)
  },
)

const changed = async (dir: string, file: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(dir, file), 'utf8')
  expect(text).toContain(from)
  await writeFile(join(dir, file), text.replace(from, to))
}

test('a changed record is reported as damage of its line, unless edits are accepted', async () => {
  const dir = await lived()
  await changed(dir, 'notes/000001.json', '"name":"name 00003"', '"name":"name 0000x"')
  const { code, message } = await refusal(dir)
  expect(code).toBe('store_corrupt')
  expect(message).toMatch(/000001\.json:7: line 7 is not what Localpost wrote.*--accept-edits.*--salvage/)
  expect((await inspect(dir)).healthy).toBe(false)
  expect(await acceptEdits(dir)).toEqual([
    { file: 'notes/000001.json', records: [{ line: 7, id: 'n_00003' }], removed: [] },
  ])
  expect(await readFile(join(dir, 'notes/000001.json'), 'utf8')).toMatch(/"crc":"[0-9a-f]{8}"\}\n$/)
  expect((await inspect(dir)).findings.map(({ message }) => message).join('\n')).not.toContain('edited')
  const store = await openIn(dir)
  expect(await store.get(notes, note(3).id)).toMatchObject({ name: 'name 0000x' })
  await store.close()
  // After that, the file counts as written by the store.
  expect(await readFile(join(dir, 'notes/000001.json'), 'utf8')).toMatch(/"crc":"[0-9a-f]{8}"\}\n$/)
  expect((await inspect(dir)).healthy).toBe(true)
})

test('a file whose last line became a bracket counts as edited', async () => {
  const dir = await lived()
  const path = join(dir, 'db.json')
  const text = (await readFile(path, 'utf8')).replace('"title":"one"', '"title":"edited"')
  await writeFile(path, text.replace(/"crc":"\w{8}"\}\n$/, '}\n'))
  const notices: string[] = []
  const store = await openAfterKill(dir, { onNotice: (said) => notices.push(said) })
  expect(await store.get(labels, 'l1')).toMatchObject({ title: 'edited' })
  expect(notices).toEqual([
    expect.stringMatching(/db\.json was changed.*Edited records \(1\): line \d+ \(l1\)\./) as unknown,
  ])
  await store.close()
})

const edits: Record<string, (text: string) => string> = {
  'the line of the checksum was removed': (text) => text.replace(/"crc":"\w{8}"\}\n$/, '}\n'),
  'the file was formatted by an editor': (text) => {
    const { crc: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    return JSON.stringify(rest, null, 2)
  },
}

test.each(Object.entries(edits))(
  'damage beside an edit is named with its line, and new checksums come at once, where %s',
  async (_, finish) => {
    const dir = await lived()
    const file = join(dir, 'notes/000001.json')
    await changed(dir, 'notes/000001.json', '"name":"name 00003"', '"name":"edited"')
    await changed(dir, 'notes/000001.json', '"name":"name 00007"', '"name":"name 0000w"')
    const text = finish(await readFile(file, 'utf8'))
    await writeFile(file, text)
    const lineOf = (id: string): number => text.slice(0, text.indexOf(`"${id}"`)).split('\n').length
    const names = `Edited records (2): line ${lineOf('n_00003')} (n_00003), line ${lineOf('n_00007')} (n_00007).`
    const found = (await inspect(dir)).findings.map(({ message }) => message).join('\n')
    expect(found).toContain(names)
    const notices: string[] = []
    // It is killed before it can close.
    await openAfterKill(dir, { ...mortal, onNotice: (said) => notices.push(said) })
    expect(notices.join('\n')).toContain(`${file} was changed since Localpost wrote it`)
    expect(notices.join('\n')).toContain(names)

    const copy = await copyOf(dir)
    const store = await openAfterKill(copy)
    expect(await store.get(notes, 'n_00003')).toMatchObject({ name: 'edited' })
    expect(await store.count(notes)).toBe(31)
    await store.close()
    await changed(dir, 'notes/000001.json', '"name":"name 00009"', '"name":"name 0000y"')
    expect((await refusal(dir)).message).toMatch(/000001\.json:\d+: line \d+ is not what Localpost wrote/)
  },
)

test('--accept-edits names each accepted record, and damage after it is found', async () => {
  const dir = await lived()
  await rm(join(dir, 'lock'))
  await changed(dir, 'notes/000001.json', '"name":"name 00003"', '"name":"edited"')
  await changed(dir, 'notes/000001.json', '"name":"name 00007"', '"name":"name 0000w"')
  await changed(dir, 'db.json', '"title":"two"', '"title":"2"')
  expect(await acceptEdits(dir)).toEqual([
    { file: 'db.json', records: [{ line: expect.any(Number) as unknown, id: 'l2' }], removed: [] },
    {
      file: 'notes/000001.json',
      records: [
        { line: 7, id: 'n_00003' },
        { line: 11, id: 'n_00007' },
      ],
      removed: [],
    },
  ])
  expect(await acceptEdits(dir)).toEqual([])
  const store = await openAfterKill(await copyOf(dir))
  expect(await store.find(notes, 'name', ['g', 'edited'])).toMatchObject({ id: 'n_00003' })
  expect(await store.get(labels, 'l2')).toMatchObject({ title: '2' })
  await store.close()
  await changed(dir, 'notes/000001.json', '"name":"name 00009"', '"name":"name 0000y"')
  expect((await refusal(dir)).message).toMatch(/000001\.json:13: line 13 is not what Localpost wrote/)
})

test('edits are accepted together or not at all', async () => {
  const dir = await lived()
  await rename(join(dir, 'lock'), join(dir, 'lock.closed'))
  await changed(dir, 'db.json', '"title":"one"', '"title":"1"')
  await changed(dir, 'notes/000001.json', '"name":"name 00003"', '"name":name 00003"')
  const before = await filesIn(dir)
  await expect(acceptEdits(dir)).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(await filesIn(dir)).toEqual(before)
})

test('a message whose file is missing stops no start; it is marked as damaged', async () => {
  const dir = await lived()
  const [large = ''] = await readdir(join(dir, 'large'))
  await rm(join(dir, 'large', large))
  const expected = (await answers(await copyOf(dir))).all
  const { all, notices } = await answers(dir)
  expect(all).toEqual(expected)
  expect(notices.join()).toMatch(/bytes of 1 messages and contents are lost: n_00020\/message/)
  expect(isDamaged(all['n_00020'])).toBe(true)
  const { healthy, findings } = await inspect(dir)
  expect(healthy).toBe(false)
  expect(findings.map(({ message }) => message).join('\n')).toContain('n_00020/message')
})

test('salvage writes a new folder with all intact data, and lists the rest', async () => {
  const dir = await lived()
  await rename(join(dir, 'lock'), join(dir, 'lock.closed'))
  const whole = (await answers(await copyOf(dir))).all
  const [large = ''] = await readdir(join(dir, 'large'))
  await writeFile(join(dir, 'large', large), pattern(300_000, 21))
  await changed(dir, 'notes/000001.json', '"name":"name 00003"', '"name":"name 0000x"')
  await changed(dir, 'db.json', '"title":"two"', '"title":"tvo"')
  await changed(dir, 'checkpoint.json', '"seq":2', '"seq":3')
  const log = join(dir, 'log', '000001.log')
  const bytes = await readFile(log)
  const at = bytes.indexOf(pattern(300, 33))
  bytes[at + 5] = 0
  await writeFile(log, bytes)
  const before = await filesIn(dir)
  const to = join(await tempFolder(), 'saved')
  const { lost, restored, saved } = await salvageFolder({
    dir,
    to,
    collections: [notes, labels],
    clock: systemClock,
  })
  expect(await filesIn(dir)).toEqual(before)
  expect(restored.join('\n')).toMatch(/checkpoint\.json/)
  expect(restored.join('\n')).toMatch(/000001\.json:7: .*1 of its records were taken from the log/)
  expect(restored.join('\n')).toMatch(/db\.json:\d+: .*1 of its records were taken from the log/)
  expect(lost).toHaveLength(3)
  expect(lost.join('\n')).toMatch(/notes n_00020: the bytes of its message are damaged/)
  expect(lost.join('\n')).toMatch(/000001\.log is damaged from byte/)
  // A lost commit may have changed or removed earlier records.
  expect(lost.join('\n')).toMatch(/n_00030, n_00031, n_00032 may have changed or been removed/)
  const found = (await answers(to)).all
  const gone = ['n_00033']
  expect(
    Object.keys(whole)
      .filter((id) => !(id in found))
      .sort(),
  ).toEqual([...gone].sort())
  // All but the bytes of its message is saved, and the doctor names it.
  expect(found['n_00020']).toContain('"name":"name 00020"')
  expect(isDamaged(found['n_00020'])).toBe(true)
  delete found['n_00020']
  for (const [id, answer] of Object.entries(found)) expect(unversioned(answer)).toBe(unversioned(whole[id]))
  expect(saved).toEqual({ notes: 30, labels: 3 })
  const { healthy, findings } = await inspect(to)
  expect([healthy, JSON.stringify(findings)]).toEqual([false, expect.stringContaining('n_00020')])
  await expect(
    salvageFolder({ dir, to, collections: [notes, labels], clock: systemClock }),
  ).rejects.toMatchObject({ code: 'invalid_option' })
})
