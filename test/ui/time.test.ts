import { expect, it } from 'vitest'
import { dayWords, elapsed, fullTime, preciseTime, shortTime, timeOfDay } from '../../ui/composables/time.ts'

const at = (text: string): number => new Date(text).getTime()

it('a time to the millisecond shows its day where that differs from the one next to it', () => {
  const sent = at('2026-03-02T09:05:07.042')
  expect(preciseTime(sent, at('2026-03-02T23:59:00'))).toBe('09:05:07.042')
  expect(preciseTime(sent, at('2026-03-05T09:00:00'))).toBe('2 Mar, 09:05:07.042')
  expect(preciseTime(sent, at('2027-03-02T09:05:07'))).toBe('2 Mar 2026, 09:05:07.042')
})

it('a span is shown in full units that have passed, as ages in the list are', () => {
  expect([0, 999, 1000, 59_999].map(elapsed)).toEqual(['+0 ms', '+999 ms', '+1.0 s', '+59.9 s'])
  const minutes = 119_000
  expect(elapsed(minutes)).toBe('+1 min')
  expect(shortTime(at('2026-03-02T12:00:00'), at('2026-03-02T12:00:00') + minutes)).toBe('1 min')
  expect(elapsed(59.9 * 60_000)).toBe('+59 min')
  expect(elapsed(23.9 * 3_600_000)).toBe('+23 h')
  expect(elapsed(47 * 3_600_000)).toBe('+1 d')
})

it('times are those of the British English of Intl, which is too slow for the first list', () => {
  const format = (options: Intl.DateTimeFormatOptions, time: number): string =>
    new Intl.DateTimeFormat('en-GB', options).format(time)
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  for (const month of Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'))) {
    const time = at(`2026-${month}-02T00:05:07`)
    // Intl alone has four letters for September.
    const words = (options: Intl.DateTimeFormatOptions): string =>
      format(options, time).replace('Sept ', 'Sep ')
    expect(fullTime(time)).toBe(words({ weekday: 'short', ...day, ...clock }))
    expect(shortTime(time, at('2028-01-01T00:00:00'))).toBe(words(day))
  }
})

it('a day is a heading in words that fit its age, and its mails have the time of day', () => {
  const now = at('2026-03-12T12:00:00')
  for (const [day, words] of [
    ['2026-03-12T00:00:00', 'Today'],
    ['2026-03-11T23:59:59', 'Yesterday'],
    ['2026-03-10T23:59:59', 'Tuesday'],
    ['2026-03-06T00:00:00', 'Friday'],
    ['2026-03-05T23:59:59', 'Thursday 5 March'],
    ['2025-12-31T23:59:59', '31 December 2025'],
    // The clock of the sender's server may be ahead.
    ['2026-03-13T00:00:00', 'Friday 13 March'],
  ] as const)
    expect(dayWords(at(day), now), day).toBe(words)
  expect(timeOfDay(at('2026-03-05T23:59:59'), now)).toBe('23:59')
  expect(timeOfDay(at('2026-03-12T11:55:00'), now)).toBe('5 min')
})
