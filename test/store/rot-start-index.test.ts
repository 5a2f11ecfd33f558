import { stat, truncate } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { randomOf } from '../support/random.ts'
import { flipBit, flipCount, flipped, flipSeed } from './_flips.ts'
import { copyOf, madeOnce } from './_setup.ts'
import { answersOf, makeClosed, expectedOf, indexIn, items, open, segmentIn } from './_start-index.ts'

const closed = madeOnce(() => makeClosed())

/** A start reads the file whose index is damaged, and answers as one without indexes. */
async function assertUnused(
  dir: string,
  expected: Awaited<ReturnType<typeof answersOf>>,
  place: string,
): Promise<void> {
  const { store, files } = await open(dir)
  expect(files.whole, place).toBe(1)
  expect(await answersOf(store), place).toEqual(expected)
  await store.close()
}

test('an index with a changed bit is never used', { timeout: 120_000 + flipCount * 2000 }, async () => {
  const dir = await closed()
  const expected = await expectedOf(dir)
  for (const [number, count] of [1, 2, 3].map((one) => [one, Math.ceil(flipCount / 3)] as const))
    for await (const { copy, place } of flipped(dir, indexIn('', number), count))
      await assertUnused(copy, expected, place)
})

test('an index that is truncated is never used', { timeout: 120_000 }, async () => {
  const dir = await closed()
  const expected = await expectedOf(dir)
  for (const part of [0.1, 0.5, 0.999]) {
    const copy = await copyOf(dir)
    const path = indexIn(copy)
    await truncate(path, Math.floor((await stat(path)).size * part))
    await assertUnused(copy, expected, `cut at ${part}`)
  }
})

test(
  'damage in a file that has an index is never served: the start is refused, or the damage is reported and left out',
  { timeout: 120_000 + flipCount * 2000 },
  async () => {
    const dir = await closed()
    const { store: whole } = await open(await copyOf(dir))
    const expected = new Map((await whole.page(items, { limit: 1e4 })).records.map((one) => [one.id, one]))
    const random = randomOf(flipSeed)
    const ends = { refused: 0, told: 0 }
    for (let n = 0; n < flipCount; n++) {
      const copy = await copyOf(dir)
      const place = await flipBit(segmentIn(copy, 1 + (n % 3)), random)
      const opened = await open(copy).catch((error: unknown) => {
        expect(error, place).toMatchObject({ code: 'store_corrupt' })
        return null
      })
      if (!opened) {
        ends.refused++
        continue
      }
      ends.told++
      const { store, fire, notices } = opened
      const { records } = await store.page(items, { limit: 1e4 })
      expect(records.length, place).toBeGreaterThanOrEqual(expected.size - 1)
      for (const record of records) expect(record, place).toEqual(expected.get(record.id))
      for (const id of [...expected.keys()].filter((id) => !records.some((record) => record.id === id)))
        await expect(store.get(items, id), place).rejects.toMatchObject({ code: 'store_corrupt' })
      await vi.waitFor(
        () => {
          fire()
          expect(
            notices.some((text) => text.includes('Found while Localpost uses the folder')),
            place,
          ).toBe(true)
        },
        { timeout: 10_000 },
      )
      await store.close()
      // From now on it is as without an index.
      await expect(open(copy), place).rejects.toMatchObject({ code: 'store_corrupt' })
    }
    expect(ends.told).toBeGreaterThan(flipCount / 2)
  },
)
