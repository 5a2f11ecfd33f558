import { expect, test } from 'vitest'
import { readContactRows } from '../../src/audiences/contact-rows.ts'

test('thousands of invalid contacts in an array do not block the event loop', async () => {
  let turns = 0
  let isDone = false
  const turn = (): void => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  let wrong = 0
  for await (const row of readContactRows(Array(5000).fill(5))) if ('message' in row) wrong++
  isDone = true
  expect(wrong).toBe(5000)
  expect(turns).toBeGreaterThan(3)
})
