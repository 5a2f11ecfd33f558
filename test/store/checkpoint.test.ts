import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkpointText, parseCheckpoint } from '../../src/store/disk/checkpoint-text.ts'
import { blobOf, insert, remove } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import {
  faultyFiles,
  filesIn,
  inspect,
  logIn,
  manualClock,
  mortal,
  openAfterKill,
  openIn,
  quiet,
  refusal,
  systemError,
  tempFolder,
} from './_setup.ts'

/** A folder of a killed store. Half of its commits came after the checkpoint. */
async function killed(): Promise<string> {
  const dir = await tempFolder()
  const first = await openIn(dir)
  for (let n = 0; n < 20; n++)
    await first.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(200, n))])
  await first.close()
  const second = await openAfterKill(dir, mortal)
  for (let n = 20; n < 40; n++)
    await second.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(200, n))])
  return dir
}

const checkpointIn = (dir: string): string => join(dir, 'checkpoint.json')

/** Every change of one bit of a file's digits and of 60 other places. */
function flips(text: string): { at: number; bit: number }[] {
  const places = Array.from(text, (sign, at) => (/\d/.test(sign) || at % 7 === 0 ? [at] : [])).flat()
  return places.flatMap((at) => [0, 1, 2, 3].map((bit) => ({ at, bit })))
}

async function flip(path: string, { at, bit }: { at: number; bit: number }): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  await writeFile(path, bytes)
}

test('a checkpoint with a changed bit is refused, and nothing is moved', { timeout: 60_000 }, async () => {
  const dir = await killed()
  const path = checkpointIn(dir)
  const text = await readFile(path, 'utf8')
  expect(text).toMatch(/,"crc":"[0-9a-f]{8}"\}\n$/)
  for (const place of flips(text)) {
    await flip(path, place)
    const { code } = await refusal(dir)
    expect(['store_corrupt', 'store_newer_schema'], JSON.stringify(place)).toContain(code)
    await writeFile(path, text)
  }
})

test('the doctor compares the position of the checkpoint with the log, and a start drops no complete commit', async () => {
  const dir = await killed()
  expect((await inspect(dir)).healthy).toBe(true)
  const path = checkpointIn(dir)
  const good = parseCheckpoint(await readFile(path), path)
  for (const wrong of [
    { ...good, seq: good.seq + 5 },
    { ...good, seq: good.seq - 1 },
    { ...good, offset: good.offset - 1 },
  ]) {
    await writeFile(path, checkpointText(wrong))
    const { healthy, findings } = await inspect(dir)
    expect(healthy).toBe(false)
    const message = expect.stringContaining(`commit ${wrong.seq} ends at byte ${wrong.offset}`) as unknown
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'log', level: 'problem', message }))
    if (wrong.offset === good.offset) expect(await refusal(dir)).toMatchObject({ code: 'store_corrupt' })
  }
})

test('a start that is refused after it read the log leaves the end of the log unchanged', async () => {
  const dir = await killed()
  const bytes = await readFile(logIn(dir))
  await writeFile(logIn(dir), bytes.subarray(0, bytes.byteLength - 5))
  const segment = join(dir, 'notes', '000001.json')
  await writeFile(`${segment}.tmp`, 'half')
  const text = await readFile(segment, 'utf8')
  const edited = text
    .replace('"name":"name 00001"', '"name":"name 00004"')
    .replace(/"crc":"\w+"\}\n$/, '"crc":"00000000"}\n')
  await writeFile(segment, edited)
  const before = await filesIn(dir)
  expect((await refusal(dir)).message).toContain('Nothing was overwritten')
  expect(await filesIn(dir)).toEqual(before)
})

test('a checkpoint that could not take an empty file out of the last one does so before it removes the file', async () => {
  const dir = await tempFolder()
  const { clock, fire } = manualClock()
  let saves = true
  let removed = false
  const files = faultyFiles(({ name, path }) => {
    // The disk fails for good once the file is removed.
    if (removed || (!saves && name === 'rename' && path.includes('checkpoint.json'))) throw systemError('EIO')
    removed = name === 'remove' && path.endsWith(join('notes', '000001.json'))
  })
  const store = await openIn(dir, { ...mortal, clock, files })
  const all = Array.from({ length: 1001 }, (_, n) => note(n))
  await store.commit(all.map((one) => insert(notes, one)))
  fire()
  await quiet(files)
  await store.commit(all.slice(0, 1000).map(({ id }) => remove(notes, id)))
  saves = false
  fire()
  await quiet(files)
  saves = true
  fire()
  await quiet(files)
  expect(removed).toBe(true)
  const again = await openAfterKill(dir, mortal)
  expect(await again.count(notes)).toBe(1)
})
