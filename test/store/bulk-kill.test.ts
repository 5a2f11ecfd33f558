import { expect, test } from 'vitest'
import { nextTurn } from '../../src/core/machine.ts'
import { blobOf, type Collection, type FlagChange, insert } from '../../src/store/store.ts'
import { type Note, note, notes, pattern } from '../contracts/notes.ts'
import { randomOf } from '../support/random.ts'
import { PowerFiles } from './_power.ts'
import { manualClock, openAfterKill } from './_setup.ts'

const count = 2300
const marked: Collection<Note> = {
  ...notes,
  facts: {
    version: 1,
    flags: ['seen'],
    members: ['seen'],
    numbers: [],
    texts: [],
    of: ({ seen }) => ({ flags: seen ? 1 : 0, numbers: [], texts: [] }),
  },
}
type Marking = ((record: Note) => Note) | FlagChange
/** Every 300th note has a message in a file of its own. */
const messageOf = (n: number): Uint8Array => pattern(n % 300 === 0 ? 300_000 : 50, n)
const numberOf = (id: string): number => Number(id.slice(2))

/** The progress that a bulk change had reported when the power was cut, and the folder after the cut. */
interface Cut {
  after: PowerFiles
  done: number
  removed: number
}

/** Marks all notes and removes the first half, with cuts at some operations, and at each one around large files. */
async function liveWithCuts(
  durability: 'process' | 'disk',
  marking: Marking,
  random: () => number,
): Promise<Cut[]> {
  const power = new PowerFiles()
  const { clock, fire } = manualClock()
  const cuts: Cut[] = []
  let done = 0
  let removed = 0
  let operation = 0
  const options = {
    collections: [marked],
    clock,
    durability,
    files: power.files,
    boot: 'first',
    logFileBytes: 100_000,
  }
  const store = await openAfterKill('/folder', options)
  for (let at = 0; at < count; at += 100) {
    const numbers = Array.from({ length: Math.min(100, count - at) }, (_, n) => at + n)
    await store.commit(
      numbers.map((n) => insert(marked, note(n))),
      numbers.map((n) => blobOf(`${note(n).id}/message`, messageOf(n))),
    )
  }
  const settle = async (): Promise<void> => {
    fire()
    for (let same = 0, seen = -1; same < 20; same = seen === operation ? same + 1 : 0) {
      seen = operation
      await nextTurn()
    }
  }
  await settle()
  power.onChange = () => {
    operation++
    if (random() < 0.2) cuts.push({ after: power.cut(random() < 0.3 ? () => 0 : random), done, removed })
  }
  const ids = await store.ids(marked)
  await store.bulk(marked, ids, marking, { onProgress: (count) => (done = count) })
  await settle()
  await store.bulk(marked, ids.slice(0, count / 2), 'remove', { onProgress: (count) => (removed = count) })
  await settle()
  await store.close()
  power.onChange()
  return cuts
}

const see = (record: Note): Note => ({ ...record, seen: true })
const flag = { flag: 'seen', is: true }

test.each([
  ['process', 'changes of read records', see],
  ['disk', 'changes of read records', see],
  ['process', 'flags', flag],
  ['disk', 'flags', flag],
] as const)(
  'with --durability %s a power cut during %s and removals leaves each record whole, with its files',
  { timeout: 120_000 },
  async (durability, _, marking) => {
    const random = randomOf(Date.now() % 1e6)
    const cuts = await liveWithCuts(durability, marking, random)
    expect(cuts.length).toBeGreaterThan(10)
    let between = 0
    for (const { after, done, removed } of cuts) {
      const { clock } = manualClock()
      const collections = [marked]
      const store = await openAfterKill('/folder', { collections, clock, files: after.files, boot: 'second' })
      const { records } = await store.page(marked, { limit: 1e6 })
      const seen = records.filter((record) => record.seen)
      expect(await store.count(marked, { where: { flag: 'seen' } })).toBe(seen.length)
      if (seen.length > 0 && seen.length < records.length) between++
      // The changes were made in the order of the ids, so what is done comes before what is not.
      const first = records[0] ? numberOf(records[0].id) : count
      expect(records.map(({ id }) => numberOf(id))).toEqual(
        Array.from({ length: count - first }, (_, n) => first + n),
      )
      const firstUnseen = records.findIndex((record) => !record.seen)
      expect(seen).toHaveLength(firstUnseen < 0 ? records.length : firstUnseen)
      if (durability === 'disk') {
        expect(first).toBeGreaterThanOrEqual(removed)
        expect(first + seen.length).toBeGreaterThanOrEqual(done)
      }
      for (const { id } of records) {
        const n = numberOf(id)
        if (n % 300 !== 0) continue
        expect((await store.readBlob(`${id}/message`))?.equals(messageOf(n)), id).toBe(true)
      }
      await store.close()
    }
    // Without syncs a cut may leave all or nothing each time.
    if (durability === 'disk') expect(between).toBeGreaterThan(0)
  },
)
