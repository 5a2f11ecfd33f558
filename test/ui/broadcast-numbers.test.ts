import { expect, it } from 'vitest'
import { linesOf, numbersOf, spanWords } from '../../ui/views/audiences/broadcast-numbers.ts'

const totals = {
  emails: 300,
  delivered: 297,
  opened: 100,
  clicked: 1,
  bounced: 0,
  delivery_delayed: 0,
  complained: 0,
  failed: 3,
  unsubscribed: 2,
}

it('shows each number with its share, and what went wrong only where it did', () => {
  expect(numbersOf(totals).map(({ words, tone, count, share }) => [words, tone, count, share])).toEqual([
    ['Delivered', 'good', 297, '99 %'],
    ['Opened', 'info', 100, '33 %'],
    ['Clicked', 'info', 1, '0.3 %'],
    ['Bounced', 'quiet', 0, '0 %'],
    ['Unsubscribed', 'warn', 2, '0.7 %'],
    ['Failed', 'bad', 3, '1 %'],
  ])
})

it('has no share of a broadcast without emails', () => {
  const none = Object.fromEntries(Object.keys(totals).map((name) => [name, 0])) as typeof totals
  expect(numbersOf(none).every(({ count, share }) => count === 0 && share === '')).toBe(true)
})

it('draws a line for each kind that happened, which only rises; the highest reaches the top', () => {
  const none = { opened: 0, clicked: 0, bounced: 0, delivered: 0 }
  const moments = [
    { ...none, at: 0, delivered: 3 },
    { ...none, at: 1000 },
    { ...none, at: 2000, delivered: 1, opened: 2 },
    { ...none, at: 3000 },
  ]
  expect(linesOf(moments)).toEqual([
    {
      kind: 'delivered',
      points: [
        [0, 1],
        [0.25, 0.25],
        [0.5, 0.25],
        [0.75, 0],
        [1, 0],
      ],
    },
    {
      kind: 'opened',
      points: [
        [0, 1],
        [0.25, 1],
        [0.5, 1],
        [0.75, 0.5],
        [1, 0.5],
      ],
    },
  ])
  expect(linesOf([])).toEqual([])
})

it.each([
  [1000, '1 second'],
  [48_000, '48 seconds'],
  [60_000, '1 minute'],
  [5_400_000, '1.5 hours'],
  [14 * 86_400_000, '14 days'],
])('says how long %s ms are', (ms, words) => {
  expect(spanWords(ms)).toBe(words)
})
