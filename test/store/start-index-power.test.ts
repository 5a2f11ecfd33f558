import { expect, test } from 'vitest'
import type { Files } from '../../src/core/files.ts'
import { nextTurn } from '../../src/core/machine.ts'
import { insert, put, remove } from '../../src/store/store.ts'
import { isLong } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { flipSeed } from './_flips.ts'
import { PowerFiles } from './_power.ts'
import { answersOf, collections, idOf, item, items, open } from './_start-index.ts'

test.each(['process', 'disk'] as const)(
  'after a power cut at any operation (%s), a start with the indexes that are left answers as one without them',
  { timeout: 120_000 },
  async (durability) => {
    const random = randomOf(flipSeed)
    const power = new PowerFiles()
    const cuts: { after: PowerFiles; operation: number }[] = []
    let operation = 0
    power.onChange = () => {
      operation++
      if (isLong || operation % 24 === 0) cuts.push({ after: power.cut(random), operation })
    }
    const indexes = new Set<number>()
    // Nothing syncs an index, but the disk may have written it early.
    const files: Files = {
      ...power.files,
      async open(path, flags) {
        const fd = await power.files.open(path, flags)
        if (path.endsWith('.idx')) indexes.add(fd)
        return fd
      },
      async close(fd) {
        if (indexes.delete(fd)) {
          await power.files.sync(fd)
          for (const folder of ['derived/items', 'derived', ''])
            await power.files.syncFolder(`/folder/${folder}`)
        }
        await power.files.close(fd)
      },
    }
    const options = { durability, files, boot: 'first', checkpointBytes: 1e12 }
    for (let life = 0; life < 3; life++) {
      const { store, fire } = await open('/folder', options)
      for (let round = 0; round < 3; round++) {
        const from = 40 * (3 * life + round)
        await store.commit(Array.from({ length: 40 }, (_, n) => insert(items, item(from + n))))
        await store.commit([put(items, item(from, { value: -from, seen: true, due: round }))])
        await store.commit([
          remove(items, idOf(from + 1)),
          put(items, item(2, { seen: round === 1, tags: [`r${round}`] })),
        ])
        for (let same = 0, seen = -1; same < 20; same = seen === operation ? same + 1 : 0) {
          if (seen < 0) fire()
          seen = operation
          await nextTurn()
        }
      }
      await store.close()
    }
    let taken = 0
    for (const { after, operation: at } of cuts) {
      const bare = after.cut(() => 0)
      for (const name of ['000001.idx', '000001.idx.tmp'])
        await bare.files.remove(`/folder/derived/items/${name}`)
      const left = { ...options, boot: 'second', collections }
      const { store } = await open('/folder', { ...left, files: bare.files })
      const expected = await answersOf(store)
      let whole = 0
      const readAll = async (path: string): Promise<Buffer | null> => {
        if (path === '/folder/items/000001.json') whole++
        return await after.files.readAll(path)
      }
      const isThere = (await after.files.size('/folder/items/000001.json')) !== null
      const { store: again } = await open('/folder', { ...left, files: { ...after.files, readAll } })
      if (isThere && whole === 0) taken++
      expect(await answersOf(again), `operation ${at}`).toEqual(expected)
    }
    expect(taken).toBeGreaterThan(cuts.length / 10)
  },
)
