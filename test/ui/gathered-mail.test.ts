import { expect, it } from 'vitest'
import { createGathering, type Gathered } from '../../ui/composables/gathered-mail.ts'

it('reports a burst once, then the mail in the meantime, and reports at once again after a pause', () => {
  const told: Gathered[] = []
  const waits: { work: () => void; ms: number }[] = []
  const { add, stop } = createGathering(
    (gathered) => told.push(gathered),
    (work, ms) => {
      const wait = { work, ms }
      waits.push(wait)
      return () => waits.splice(waits.indexOf(wait), 1)
    },
  )
  const pass = (ms: number): void => {
    const [wait, ...others] = waits.splice(0)
    expect([wait?.ms, others.length]).toEqual([ms, 0])
    wait?.work()
  }

  add(['b', 'a'])
  add(['c'])
  expect(told).toEqual([])
  pass(1000)
  expect(told).toEqual([{ count: 3, newest: 'c' }])
  for (const id of ['d', 'e', 'f']) add([id])
  expect(told.length).toBe(1)
  pass(5000)
  expect(told.slice(1)).toEqual([{ count: 3, newest: 'f' }])
  pass(5000)
  add([])
  expect([told.length, waits.length]).toEqual([2, 0])
  add(['g'])
  pass(1000)
  expect(told.slice(2)).toEqual([{ count: 1, newest: 'g' }])
  add(['h'])
  stop()
  expect([told.length, waits.length]).toEqual([3, 0])
})
