import { expect, it } from 'vitest'
import { paced } from '../../src/core/yield.ts'

function* work(steps: number, each: () => void = () => {}): Generator<undefined, number> {
  for (let i = 0; i < steps; i++) {
    each()
    yield
  }
  return steps
}

const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end;);
}

it('does short work in the turn of the call', async () => {
  let steps = 0
  const running = paced(work(1000, () => steps++))
  expect(steps).toBe(1000)
  expect(await running).toBe(1000)
  expect(await paced(work(0))).toBe(0)
})

it('lets the event loop run during long work, and finishes it', async () => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const running = paced(work(640, () => busyFor(0.1)))
  expect(await running).toBe(640)
  isOver = true
  expect(turns).toBeGreaterThan(3)
})

it('passes errors on, early and late', async () => {
  const failing = (at: number): Generator<undefined, number> => {
    let step = 0
    return work(640, () => {
      if (step++ === at) throw new Error('No.')
      busyFor(0.05)
    })
  }
  await expect(paced(failing(0))).rejects.toThrow('No.')
  await expect(paced(failing(600))).rejects.toThrow('No.')
})
