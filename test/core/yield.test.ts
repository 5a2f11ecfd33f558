import { expect, it } from 'vitest'
import { paced } from '../../src/core/yield.ts'

function* count(most: number, onStep: (step: number) => void): Generator<undefined, string> {
  for (let step = 1; step <= most; step++) {
    onStep(step)
    yield
  }
  return 'done'
}

it('work in slices gives other work a turn, and ends with its signal at the next one', async () => {
  const caller = new AbortController()
  let steps = 0
  const endless = count(Number.POSITIVE_INFINITY, (step) => (steps = step))
  const work = paced(endless, caller.signal)
  setTimeout(() => caller.abort(new Error('left')), 1)
  await expect(work).rejects.toThrow('left')
  const atEnd = steps
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(steps).toBe(atEnd)
})

it('work whose caller has left does not start', async () => {
  let steps = 0
  const work = paced(
    count(10, () => steps++),
    AbortSignal.abort(new Error('left')),
  )
  await expect(work).rejects.toThrow('left')
  expect(steps).toBe(0)
  expect(await paced(count(10, () => steps++))).toBe('done')
  expect(steps).toBe(10)
})
