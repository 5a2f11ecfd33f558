import { expect, it } from 'vitest'
import { rawFactSteps } from '../../src/checks/raw-facts.ts'

it('a header of a million short fields is read in short steps', () => {
  const message = Buffer.alloc(5_000_000, 'a:b\r\n')
  const steps = rawFactSteps(message)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  // 4 MB of five octets each, 64 lines in a step.
  expect(count).toBe(Math.floor((4 * 1024 * 1024) / 5 / 64))
  expect(step.value).toMatchObject({ longest: { line: 1, octets: 3 }, bareLines: 0 })
})
