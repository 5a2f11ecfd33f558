import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { salvageFolder } from '../../src/store/doctor/salvage.ts'
import { forgetCollection } from '../../src/store/loading.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { Packed, packRows } from '../../src/store/packed.ts'
import { Records } from '../../src/store/records.ts'
import { blobOf, insert, put, remove, type Store } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { roundsOf } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { contents, copyOf, filesIn, inspect, mortal, noProcesses, openIn, tempFolder } from './_setup.ts'

const partitions = ['gone', 'stays']

/** The main partition, and the others. */
const viewsOf = (store: PartitionedStore): Store[] => [
  store,
  ...partitions.map((name) => store.partition(name)),
]

const allOf = (store: PartitionedStore): Promise<unknown[]> =>
  Promise.all(viewsOf(store).map((view) => contents(view)))

/** One random commit, the same for several stores. */
function randomCommit(random: () => number, round: number): (store: Store) => Promise<void> {
  const [n, kind] = [Math.floor(random() * 60), random()]
  const size = random() < 0.05 ? 300_000 : 100 + n * 20
  if (kind < 0.6)
    return (store) =>
      store.commit(
        [put(notes, note(n, { due: n % 4 ? n : null, name: `name ${n} ${round}` }))],
        [blobOf(`${note(n).id}/message`, pattern(size, round))],
      )
  if (kind < 0.8) return (store) => store.commit([put(labels, { id: `l${n}`, title: `${n} ${round}` })])
  return (store) => store.commit([remove(notes, note(n).id), remove(labels, `l${n}`)])
}

const options = { ...mortal, logFileBytes: 20_000 }

/** As after a kill: what is in the files while the store is still open. */
async function killed(
  store: PartitionedStore,
  dir: string,
): Promise<{ dir: string; store: PartitionedStore }> {
  const copy = await copyOf(dir)
  await store.close()
  await rename(join(copy, 'lock'), join(copy, 'lock.closed'))
  return { dir: copy, store: await openIn(copy, options) }
}

test.each(Array.from({ length: roundsOf('LOCALPOST_CLEARED', { short: 6, long: 100 }) }, (_, seed) => seed))(
  'a partition that is removed at any time is empty, after each start too, and nothing else is missing (seed %i)',
  async (seed) => {
    const random = randomOf(seed + 1)
    const model = await openMemoryStore({ collections: [notes, labels] })
    let dir = await tempFolder()
    let store = await openIn(dir, options)
    for (let round = 0; round < 60; round++) {
      const at = Math.floor(random() * 3)
      const commit = randomCommit(random, round)
      for (const one of [model, store]) {
        const view = viewsOf(one)[at]
        if (view) await commit(view)
      }
      if (random() < 0.1) for (const one of [model, store]) await one.removePartition('gone')
      const next = random()
      if (next < 0.85) continue
      if (next < 0.93) ({ dir, store } = await killed(store, dir))
      else {
        // The end writes the files of records.
        await store.close()
        store = await openIn(dir, options)
      }
      expect(await allOf(store)).toEqual(await allOf(model))
    }
    expect(await allOf(store)).toEqual(await allOf(model))
    await store.close()
    const { findings } = await inspect(dir)
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
    const last = await openIn(dir, options)
    for (const name of partitions) await last.removePartition(name)
    await last.close()
    expect(readdirSync(dir).filter((name) => /\.(?:gone|stays)$/.test(name))).toEqual([])
    await model.close()
  },
)

test('a removed partition frees its space: files of records, of messages, and of the log', async () => {
  const dir = await tempFolder()
  const small = await openIn(dir, { logFileBytes: 20_000 })
  await small.commit([insert(notes, note(1))])
  await small.close()
  const sizeOf = async (): Promise<number> =>
    Object.values(await filesIn(dir)).reduce((sum, { length }) => sum + length, 0)
  const before = await sizeOf()
  const store = await openIn(dir, { logFileBytes: 20_000 })
  const gone = store.partition('gone')
  for (let n = 0; n < 40; n++)
    await gone.commit(
      [insert(notes, note(n))],
      [blobOf(`${note(n).id}/message`, pattern(n % 9 === 0 ? 300_000 : 2000, n))],
    )
  await store.close()
  expect(await sizeOf()).toBeGreaterThan(before + 1_500_000)
  const again = await openIn(dir, { logFileBytes: 20_000 })
  // Replaced ones too count once.
  await again
    .partition('gone')
    .commit([put(notes, note(5))], [blobOf(`${note(5).id}/message`, pattern(3000, 1))])
  await again.removePartition('gone')
  await again.close()
  expect(readdirSync(join(dir, 'large'))).toEqual([])
  // The last file of the log stays, and what it begins with.
  expect(await sizeOf()).toBeLessThan(before + 40_000)
})

test.each(['notes.gone', 'derived'])(
  'a start removes the indexes of a partition that a kill left, and its folder (%s is there)',
  async (left) => {
    const dir = await tempFolder()
    await (await openIn(dir)).close()
    const indexes = join(dir, 'derived', 'notes.gone')
    for (const folder of [join(dir, left), indexes]) await mkdir(folder, { recursive: true })
    await writeFile(join(indexes, '000001.idx'), 'ids and texts')
    await (await openIn(dir)).close()
    expect([existsSync(join(dir, 'notes.gone')), existsSync(indexes)]).toEqual([false, false])
  },
)

test('the space of a record that was replaced before its partition was removed is freed only once', async () => {
  let dir = await tempFolder()
  let store = await openIn(dir, options)
  const [gone, stays] = [store.partition('gone'), store.partition('stays')]
  // Of the same size and in the same file of the log: space that is freed twice would be taken from the other.
  for (const view of [gone, stays])
    await view.commit([insert(notes, note(1))], [blobOf(`${note(1).id}/message`, pattern(2000, 1))])
  await store.close()
  store = await openIn(dir, options)
  await store.partition('gone').commit([put(notes, note(1, { seen: true }))])
  await store.removePartition('gone')
  ;({ dir, store } = await killed(store, dir))
  // Other files of the log begin, so that the first may go.
  for (let n = 10; n < 15; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(18_000, n))])
  await store.close()
  store = await openIn(dir, options)
  expect((await store.partition('stays').readBlob(`${note(1).id}/message`))?.byteLength).toBe(2000)
  await store.close()
})

test('records that were removed with their partition do not come back if the folder is salvaged without its checkpoint', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, options)
  const gone = store.partition('gone')
  await gone.commit([insert(notes, note(1)), insert(labels, { id: 'l', title: 'removed' })])
  const others = [50, 51, 52].map((n) => note(n))
  for (const other of others)
    await store.commit([insert(notes, other)], [blobOf(`${other.id}/message`, pattern(15_000, 1))])
  await store.commit(others.map(({ id }) => remove(notes, id)))
  await store.close()
  // Only the files of records still have them, and the log has their removal.
  expect(readdirSync(join(dir, 'log'))).not.toContain('000001.log')
  const second = await openIn(dir, options)
  await second.removePartition('gone')
  await second.partition('gone').commit([insert(notes, note(2))])
  await second.commit([insert(notes, note(3))])
  const copy = await copyOf(dir)
  await second.close()
  await rename(join(copy, 'lock'), join(copy, 'lock.closed'))
  for (const lost of [false, true]) {
    const from = await copyOf(copy)
    if (lost) await rm(join(from, 'checkpoint.json'))
    const to = join(await tempFolder(), 'saved')
    await salvageFolder({
      dir: from,
      to,
      collections: [notes, labels],
      clock: systemClock,
      processes: noProcesses,
    })
    const saved = await openIn(to)
    expect(await saved.partition('gone').ids(notes)).toEqual([note(2).id])
    expect(await saved.partition('gone').ids(labels)).toEqual([])
    expect(await saved.ids(notes)).toEqual([note(3).id])
    await saved.close()
  }
})

test('a start counts no record of a removed collection, however many of others were replaced', () => {
  const records = new Records([notes, labels], { hold() {}, release() {} })
  const [gone, stays] = [notes, labels].map(({ name }) => records.collections.state(name))
  if (!gone || !stays) throw new Error('no collections')
  const { replaced } = records
  const pack = new Packed(gone.segment(1), '', packRows([{ id: 'a', at: 0, length: 1 }]), { logs: new Set() })
  for (let n = 0; n < 200_000; n++)
    replaced.push({ state: n % 10 === 0 ? gone : stays, id: `${n}`, pack, row: 0 })
  forgetCollection(records, gone)
  expect(replaced).toHaveLength(180_000)
  expect(replaced.slice(0, 3).map(({ id }) => id)).toEqual(['1', '2', '3'])
})
