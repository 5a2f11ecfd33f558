import { expect, it } from 'vitest'
import { createPacer, forEachSlice } from '../../src/core/slices.ts'

const items = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** How often other work could run while `work` ran. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

it('short work ends in the turn of the call', async () => {
  const seen: number[] = []
  const running = forEachSlice(items(31), (item) => void seen.push(item))
  expect(seen).toEqual(items(31))
  await running
  await forEachSlice([], () => expect.unreachable())
})

it('long work gives other work a turn every few milliseconds, and sees each item once, in order', async () => {
  const seen: number[] = []
  const turns = await turnsDuring(() =>
    forEachSlice(items(640), (item) => {
      seen.push(item)
      busyFor(0.1)
    }),
  )
  expect(seen).toEqual(items(640))
  expect(turns).toBeGreaterThan(3)
})

it('a promise of an item is awaited before the next item', async () => {
  const seen: string[] = []
  await forEachSlice(items(3), async (item) => {
    seen.push(`begins ${item}`)
    await Promise.resolve()
    seen.push(`ends ${item}`)
  })
  expect(seen).toEqual(items(3).flatMap((item) => [`begins ${item}`, `ends ${item}`]))
})

it.each([0, 600])('an error at item %i ends the work and is passed on', async (at) => {
  let last = -1
  const work = forEachSlice(items(640), (item) => {
    last = item
    if (item === at) throw new Error('No.')
    busyFor(0.05)
  })
  await expect(work).rejects.toThrow('No.')
  expect(last).toBe(at)
})

it('work with its own loop is paced alike', async () => {
  const pacer = createPacer()
  const turns = await turnsDuring(async () => {
    for (let i = 0; i < 640; i++) {
      busyFor(0.1)
      if (pacer.due()) await pacer.turn()
    }
  })
  expect(turns).toBeGreaterThan(3)
})
