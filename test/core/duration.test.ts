import { expect, test } from 'vitest'
import { createClock } from '../../src/core/manual-clock.ts'
import { parseDuration } from '../../src/core/duration.ts'
import { parseArguments } from '../../src/cli/arguments.ts'
import { readDate } from '../../src/search/query-values.ts'

const durations: [text: string, ms: number][] = [
  ['500ms', 500],
  ['30s', 30_000],
  ['90m', 5_400_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
]
const others = ['', '7', 'd', '7 d', '-7d', '1e3s', '1.2345s', '7y', '7D', '0x1s', '1234567890123ms']

test.each(durations)('%s is a duration of %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(others)('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull()
})

test.each(durations)('%s has the same length for a clock, a flag and a query', async (text, ms) => {
  const clock = createClock({ now: 0 })
  await clock.advance(text)
  expect(clock.now()).toBe(ms)
  expect(parseArguments([`--max-age=${text}`]).options).toEqual({ maxAgeMs: ms })
  expect(readDate(text, clock.now())).toBe(0)
})
