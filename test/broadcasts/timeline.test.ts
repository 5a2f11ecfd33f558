import { expect, it } from 'vitest'
import { createTimeline, maxMoments } from '../../src/broadcasts/timeline.ts'
import { randomOf } from '../support/random.ts'

it('counts by seconds at first', () => {
  const timeline = createTimeline(10_000)
  for (const at of [10_000, 10_999, 12_000]) timeline.add('delivered', at)
  timeline.add('opened', 12_500)
  // A clock that was set back.
  timeline.add('bounced', 9000)
  const none = { delivered: 0, opened: 0, clicked: 0, bounced: 0 }
  expect(timeline.result()).toEqual({
    span_ms: 1000,
    moments: [
      { at: 10_000, ...none, delivered: 2, bounced: 1 },
      { at: 11_000, ...none },
      { at: 12_000, ...none, delivered: 1, opened: 1 },
    ],
  })
})

it('has no moment without an event', () => {
  expect(createTimeline(5).result()).toEqual({ span_ms: 1000, moments: [] })
})

it('loses no event and has few moments, however long it takes and in whatever order', () => {
  const random = randomOf(4)
  const start = 1_790_000_000_000
  for (let round = 0; round < 200; round++) {
    const length = 10 ** (random() * 12)
    const times = Array.from({ length: 300 }, () => start + Math.floor(random() * length))
    const timeline = createTimeline(start)
    for (const at of times) timeline.add('clicked', at)
    const { span_ms, moments } = timeline.result()
    expect(moments.length).toBeLessThanOrEqual(maxMoments)
    for (const { at, clicked } of moments)
      expect(clicked).toBe(times.filter((time) => time >= at && time < at + span_ms).length)
    expect(moments.reduce((sum, { clicked }) => sum + clicked, 0)).toBe(300)
  }
})

it.each([Number.NaN, Number.POSITIVE_INFINITY])('a time of %s, of an edited record, is not counted', (at) => {
  const timeline = createTimeline(10_000)
  timeline.add('opened', at)
  timeline.add('opened', 10_000)
  expect(timeline.result()).toMatchObject({ span_ms: 1000, moments: [{ at: 10_000, opened: 1 }] })
})
