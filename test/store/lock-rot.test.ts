import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insert, type Store } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { randomOf } from '../support/random.ts'
import { flipBit, flipCount, flipSeed } from './_flips.ts'
import { contents, copyOf, mortal, openAfterKill, openIn, tempFolder } from './_setup.ts'

/** Runs it so many times at once: a lock that is damaged is watched for 5 seconds. */
function forEachFlip(run: (random: () => number) => Promise<void>): Promise<void[]> {
  const random = randomOf(flipSeed)
  return Promise.all(Array.from({ length: flipCount }, () => run(randomOf(Math.floor(random() * 2 ** 32)))))
}

const timeout = 60_000 + flipCount * 500

test(
  'a changed bit in the lock of a killed process delays the start by 5 seconds at most',
  { timeout },
  async () => {
    const dir = await tempFolder()
    const first = await openIn(dir, mortal)
    await first.commit([insert(notes, note(1))])
    const before = await contents(first)
    const copies = await Promise.all(Array.from({ length: flipCount }, () => copyOf(dir)))
    await forEachFlip(async (random) => {
      const copy = copies.pop() ?? ''
      const place = await flipBit(join(copy, 'lock'), random)
      const second = await openAfterKill(copy)
      expect(await contents(second), place).toEqual(before)
      await second.close()
    })
  },
)

test(
  'with a changed bit in the lock of a running process, a second one is refused, or the first stops writing',
  { timeout },
  async () => {
    const dirs = await Promise.all(Array.from({ length: flipCount }, () => tempFolder()))
    const ends = { refused: 0, tookOver: 0 }
    await forEachFlip(async (random) => {
      const dir = dirs.pop() ?? ''
      const first = await openIn(dir)
      await first.commit([insert(notes, note(1))])
      const place = await flipBit(join(dir, 'lock'), random)
      const acknowledged = ['n_00001']
      const second = await openIn(dir).catch((error: { code: string }) => {
        expect(error.code, place).toBe('store_in_use')
        return null
      })
      if (await takes(first, 2)) acknowledged.push(note(2).id)
      if (second) {
        ends.tookOver++
        expect(acknowledged, place).toEqual(['n_00001'])
        expect(await takes(second, 3), place).toBe(true)
        acknowledged.push(note(3).id)
        await second.close()
      } else ends.refused++
      await first.close()
      const last = await openAfterKill(dir)
      const { records } = await last.page(notes)
      expect(records.map(({ id }) => id).sort(), place).toEqual(acknowledged)
      await last.close()
    })
    expect(ends.refused + ends.tookOver).toBe(flipCount)
    console.log(`${flipCount} flips of a lock in use: ${ends.refused} refused, ${ends.tookOver} taken over`)
  },
)

async function takes(store: Store, n: number): Promise<boolean> {
  return await store.commit([insert(notes, note(n))]).then(
    () => true,
    (error: { code: string }) => {
      expect(error.code).toBe('store_read_only')
      return false
    },
  )
}
