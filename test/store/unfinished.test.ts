import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isErrorOf } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/clock.ts'
import { compareParts } from '../../src/store/copy/compare.ts'
import { copyStore } from '../../src/store/copy/copy.ts'
import { salvageFolder } from '../../src/store/doctor/salvage.ts'
import { fillLogStore } from '../../src/store/disk/open.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import type { Filling, Mark } from '../../src/store/unfinished.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { sampleOf } from '../support/long.ts'
import { PowerFiles } from './_power.ts'
import { randomOf } from '../support/random.ts'
import { inspect, manualClock, noProcesses, openAfterKill, openIn, tempFolder } from './_setup.ts'

const collections = [notes, labels]
const byCopy: Mark = { by: 'copy', from: '/source' }
const bySalvage: Mark = { by: 'salvage', from: '/source' }
const count = 12

async function source(): Promise<PartitionedStore> {
  const store = await openMemoryStore({ collections })
  for (let n = 0; n < count; n++) {
    const size = n % 4 === 3 ? 300_000 : 500
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(size, n))])
  }
  await store.partition('part').commit([insert(labels, { id: 'l1', title: 'one' })])
  return store
}

const fill = (dir: string, mark: Mark): Promise<Filling> =>
  fillLogStore({ dir, collections, clock: systemClock, durability: 'disk', reserveBytes: 0 }, mark)

/** Opens a folder of a modelled disk. */
const fillAfterCut = (power: PowerFiles, boot: string): Promise<Filling> =>
  fillLogStore(
    {
      dir: '/folder',
      collections,
      clock: manualClock().clock,
      durability: 'disk',
      reserveBytes: 0,
      files: power.files,
      boot,
      processes: { ...noProcesses, pid: 2 ** 22 + 7, wait: async () => {} },
    },
    byCopy,
  )

async function copyInto(to: Filling, from: PartitionedStore): Promise<void> {
  const compared = await compareParts(await copyStore({ from, to, collections }))
  expect(compared.differences).toEqual([])
  await to.finish()
}

it('after a power cut at any operation of a copy, the folder is whole, empty or refused, and can be finished', async () => {
  const from = await source()
  const random = randomOf(Number(process.env['LOCALPOST_SEED'] ?? 7))
  const power = new PowerFiles()
  const cuts: { after: PowerFiles; operation: number }[] = []
  power.onChange = () => {
    cuts.push({ after: power.cut(random() < 0.3 ? () => 0 : random), operation: cuts.length + 1 })
  }
  await copyInto(await fillAfterCut(power, 'first'), from)
  power.onChange()
  expect(cuts.length).toBeGreaterThan(60)
  const outcomes = { whole: 0, empty: 0, refused: 0 }
  await Promise.all(
    [...new Set([...sampleOf(cuts, 60), ...cuts.slice(-10)])].map(async ({ after, operation }) => {
      const message = `cut at operation ${operation} of ${cuts.length}`
      try {
        const { clock } = manualClock()
        const opened = await openAfterKill('/folder', { files: after.files, boot: 'second', clock })
        const there = await opened.count(notes)
        await opened.close()
        expect([0, count], message).toContain(there)
        outcomes[there === 0 ? 'empty' : 'whole']++
      } catch (error) {
        if (!isErrorOf(error, 'store_incomplete')) throw error
        outcomes.refused++
      }
      await copyInto(await fillAfterCut(after, 'third'), from)
      const { clock } = manualClock()
      const whole = await openAfterKill('/folder', { files: after.files, boot: 'third', clock })
      expect(await whole.count(notes), message).toBe(count)
      await whole.close()
    }),
  )
  console.log(`${cuts.length} cuts of a copy:`, outcomes)
  expect(outcomes.refused).toBeGreaterThan(30)
  expect(outcomes.whole).toBeGreaterThan(0)
}, 60_000)

it('a folder that a copy fills is refused by a start and by doctor until the copy is finished', async () => {
  const [from, dir] = [await source(), join(await tempFolder(), 'data')]
  const first = await fill(dir, byCopy)
  expect(first.isMarked).toBe(true)
  await copyStore({ from, to: first, collections })
  // Closed without `finish`, as after SIGINT.
  await first.store.close()
  for (let tries = 0; tries < 2; tries++)
    await expect(openIn(dir)).rejects.toMatchObject({
      code: 'store_incomplete',
      message: expect.stringMatching(
        /holds only a part of its data\. A copy from "\/source" .* was interrupted\. Run `localpost copy` with the same/,
      ),
    })
  const inspection = await inspect(dir)
  expect(inspection.healthy).toBe(false)
  expect(inspection.findings).toContainEqual({
    level: 'problem',
    subject: 'folder',
    message: expect.stringContaining('holds only a part of its data'),
    fix: expect.stringContaining('Run `localpost copy`'),
  })
  await copyInto(await fill(dir, byCopy), from)
  expect(await inspect(dir)).toMatchObject({ healthy: true })
  const opened = await openIn(dir)
  expect(await opened.count(notes)).toBe(count)
  await opened.close()
})

it('a mark that cannot be read is still a mark, and work of another kind or source does not continue', async () => {
  const dir = join(await tempFolder(), 'data')
  await (await fill(dir, bySalvage)).store.close()
  await expect(fill(dir, byCopy)).rejects.toMatchObject({
    code: 'store_incomplete',
    message: expect.stringContaining('`localpost doctor --salvage` with the same --dir and --to'),
  })
  await expect(fill(dir, { by: 'salvage', from: '/other' })).rejects.toMatchObject({
    code: 'store_incomplete',
  })
  await (await fill(dir, bySalvage)).finish()
  expect(existsSync(join(dir, 'incomplete.json'))).toBe(false)
  for (const text of ['', '{', '[]', '{"by":"magic"}']) {
    writeFileSync(join(dir, 'incomplete.json'), text)
    await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_incomplete' })
    await (await fill(dir, byCopy)).finish()
  }
  await (await openIn(dir)).close()
})

it('data without a mark gets one before the first record, and keeps it if the copy fails', async () => {
  const dir = join(await tempFolder(), 'data')
  await (await openIn(dir)).close()
  const to = await fill(dir, byCopy)
  expect(to.isMarked).toBe(false)
  await to.begin()
  await to.store.close()
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_incomplete' })
})

it('an interrupted salvage is refused, and the same salvage finishes it; a salvage of it says that it is incomplete', async () => {
  const [dir, to, rest] = [await tempFolder(), join(await tempFolder(), 'to'), join(await tempFolder(), 'to')]
  const damaged = await openIn(dir)
  for (let n = 0; n < count; n++)
    await damaged.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(300_000, n))])
  await damaged.close()
  const begun = await fill(to, { by: 'salvage', from: dir })
  await begun.store.commit([insert(notes, note(2))], [blobOf(`${note(2).id}/message`, pattern(300_000, 2))])
  await begun.store.close()
  const options = { collections, clock: systemClock }
  expect(await salvageFolder({ ...options, dir: to, to: rest })).toMatchObject({
    lost: [
      expect.stringMatching(
        /A salvage of .* was interrupted\. Records that it had not stored yet are missing here too\.$/,
      ),
    ],
  })
  await expect(openIn(to)).rejects.toMatchObject({ code: 'store_incomplete' })
  await expect(salvageFolder({ ...options, dir: rest, to })).rejects.toMatchObject({
    code: 'store_incomplete',
  })
  expect(await salvageFolder({ ...options, dir, to })).toMatchObject({ saved: { notes: count }, lost: [] })
  const opened = await openIn(to)
  for (let n = 0; n < count; n++)
    expect((await opened.readBlob(`${note(n).id}/message`))?.equals(pattern(300_000, n))).toBe(true)
  await opened.close()
  await expect(salvageFolder({ ...options, dir, to })).rejects.toMatchObject({
    message: expect.stringContaining('is not empty'),
  })
})

it('a salvage whose target has records that it did not store stays refused', async () => {
  const [dir, to] = [await tempFolder(), join(await tempFolder(), 'to')]
  const damaged = await openIn(dir)
  await damaged.commit([insert(notes, note(1))])
  await damaged.close()
  const begun = await fill(to, { by: 'salvage', from: dir })
  await begun.store.commit([insert(notes, note(2))])
  await begun.store.close()
  await expect(salvageFolder({ dir, to, collections, clock: systemClock })).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('Remove the new folder and run the salvage again'),
  })
  await expect(openIn(to)).rejects.toMatchObject({ code: 'store_incomplete' })
})
