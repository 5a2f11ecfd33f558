import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isBeginning, readFrame } from '../../src/store/disk/frame.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import {
  contents,
  copyOf,
  filesIn,
  inspect,
  logIn,
  mortal,
  noProcesses,
  openAfterKill,
  tempFolder,
} from './_setup.ts'

type Durability = 'process' | 'disk'
const boot = 'first'

/** What the last commit does. The removal of an account has the shortest frame. */
const ends = ['mail', 'removal', 'account'] as const

/** A folder whose log ends in one more commit, with what it held before that one. */
async function folder(
  durability: Durability,
  end: (typeof ends)[number] = 'mail',
): Promise<{ dir: string; before: unknown; after: unknown; at: number; bytes: Buffer }> {
  const dir = await tempFolder()
  const store = await openAfterKill(dir, { ...mortal, durability, boot })
  // Commits of one write, so that those of a synced one say which they are.
  await Promise.all(
    [1, 2, 3].map((n) =>
      store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(300, n))]),
    ),
  )
  if (end === 'account') await store.partition('guest').commit([insert(notes, note(1))])
  const before = await contents(store)
  const at = (await readFile(logIn(dir))).byteLength
  if (end === 'removal') await store.commit([remove(notes, note(2).id)])
  else if (end === 'account') await store.removePartition('guest')
  else await store.commit([insert(notes, note(4))], [blobOf(`${note(4).id}/message`, pattern(200, 4))])
  return { dir, before, after: await contents(store), at, bytes: await readFile(logIn(dir)) }
}

/** A byte of each field of the last frame, and the bit in it that makes another valid value where there is one. */
const fields: [field: string, find: (frame: string) => number, bit: number][] = [
  ['the beginning', () => 0, 1],
  ['seq', (frame) => frame.indexOf('"seq":') + 6, 1],
  ['a longer len', (frame) => frame.indexOf('"len":') + 6, 2],
  ['a shorter len', (frame) => frame.indexOf('"len":') + 6, 1],
  ['the name of len', (frame) => frame.indexOf('"len":') + 2, 1],
  ['the length of the line', (frame) => frame.indexOf('"ops":["') + 8 + 5, 1],
  ['the checksum of the lengths', (frame) => frame.indexOf('"ops":["') + 8 + 12, 1],
  ['the name of ops', (frame) => frame.indexOf('"ops"') + 2, 1],
  ['crc', (frame) => frame.indexOf('"crc":"') + 7, 1],
  ['ops', (frame) => frame.indexOf('"ops":[') + 40, 1],
  ['the line feed', (frame) => frame.indexOf('\n'), 1],
  ['the message', (frame) => frame.indexOf('\n') + 100, 1],
  ['the last byte', (frame) => frame.length - 1, 128],
]

async function flip(dir: string, at: number, bytes: Buffer, find: (frame: string) => number, bit: number) {
  const changed = Buffer.from(bytes)
  const place = at + find(bytes.toString('latin1', at))
  changed[place] = (changed[place] ?? 0) ^ bit
  await writeFile(logIn(dir), changed)
}

test.each<Durability>(['process', 'disk'])(
  'a changed bit in any field of the last commit (%s) is refused while the machine runs, with its place',
  async (durability) => {
    const { dir, after, at, bytes } = await folder(durability)
    for (const [field, find, bit] of fields) {
      await flip(dir, at, bytes, find, bit)
      const before = await filesIn(dir)
      const message = expect.stringMatching(
        new RegExp(`000001\\.log:${at}: .*acknowledged, and is damaged.*truncate -s ${at} .*--salvage`),
      ) as unknown
      await expect(openAfterKill(dir, { boot, durability }), field).rejects.toMatchObject({
        code: 'store_corrupt',
        message,
      })
      expect(await filesIn(dir), field).toEqual(before)
      const found = await inspect(dir, { boot, processes: noProcesses })
      expect(found.healthy, field).toBe(false)
      expect(found.findings.map(({ message }) => message).join(), field).toContain(`at byte ${at}`)
    }
    await writeFile(logIn(dir), bytes)
    const store = await openAfterKill(dir, { boot, durability })
    expect(await contents(store)).toEqual(after)
    await store.close()
  },
)

test.each<[Durability, RegExp]>([
  ['process', /stored in the last 5 seconds before that may be lost/],
  ['disk', /last write before the machine stopped.*not acknowledged, unless the disk damaged it later/],
])(
  'after a restart of the machine a last commit that cannot be read (%s) is set aside, and the start says what may be lost',
  async (durability, said) => {
    const { dir, before, at, bytes } = await folder(durability)
    for (const [field, find, bit] of fields) {
      const copy = await copyOf(dir)
      await flip(copy, at, bytes, find, bit)
      const found = await inspect(copy, { boot: 'second', processes: noProcesses })
      expect(found.findings.map(({ message }) => message).join(), field).toMatch(
        /no complete commit: what a power cut can leave|the last write before the machine stopped/,
      )
      const notices: string[] = []
      const onNotice = (text: string): void => void notices.push(text)
      const store = await openAfterKill(copy, { boot: 'second', durability, onNotice })
      expect(await contents(store), field).toEqual(before)
      expect(notices.join('\n'), field).toMatch(said)
      expect(notices.join('\n'), field).toContain(`.cut-${at}`)
      await store.close()
      await rm(copy, { recursive: true })
    }
  },
)

test('a changed bit in the removal of an account is refused while the machine runs', async () => {
  const { dir, at, bytes } = await folder('process', 'account')
  for (const place of [0, 10, bytes.byteLength - at - 20, bytes.byteLength - at - 1]) {
    await flip(dir, at, bytes, () => place, 1)
    await expect(openAfterKill(dir, { boot, durability: 'process' }), `byte ${place}`).rejects.toMatchObject({
      code: 'store_corrupt',
    })
  }
})

test.each(ends)(
  'the last commit (%s), cut at any byte, counts as the beginning of a commit; with any changed bit it does not',
  async (end) => {
    for (const durability of ['process', 'disk'] as const) {
      const { at, bytes } = await folder(durability, end)
      expect(readFrame(bytes, at)).toMatchObject({ end: bytes.byteLength })
      for (let cut = at; cut < bytes.byteLength; cut++) {
        expect(readFrame(bytes.subarray(0, cut), at)).toBeNull()
        expect(isBeginning(bytes.subarray(0, cut), at), `cut at ${cut - at}`).toBe(true)
      }
      for (let place = at; place < bytes.byteLength; place++) {
        for (let bit = 1; bit < 256; bit *= 2) {
          const changed = Buffer.from(bytes)
          changed[place] = (changed[place] ?? 0) ^ bit
          expect(readFrame(changed, at)).toBeNull()
          expect(isBeginning(changed, at), `byte ${place - at}, bit ${bit}`).toBe(false)
        }
      }
    }
  },
)

test.each<Durability>(['process', 'disk'])(
  'a last commit (%s) that is cut after any byte is set aside while the machine runs',
  { timeout: 60_000 },
  async (durability) => {
    const { dir, before, at, bytes } = await folder(durability)
    for (let cut = at + 1; cut < bytes.byteLength; cut += 29) {
      const copy = await copyOf(dir)
      await truncate(logIn(copy), cut)
      const notices: string[] = []
      const store = await openAfterKill(copy, {
        boot,
        durability,
        onNotice: (text) => notices.push(text),
      })
      expect(await contents(store), `cut at ${cut - at}`).toEqual(before)
      expect(notices, `cut at ${cut - at}`).toEqual([expect.stringContaining(`.cut-${at}`)])
      await store.commit([put(notes, note(9))])
      await store.close()
      await rm(copy, { recursive: true })
    }
  },
)
