import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clockOf } from '../../src/core/clock.ts'

const dayMs = 86_400_000

describe('the clock of the machine', () => {
  // The timers that the test fakes.
  const systemClock = clockOf(globalThis)
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each([1, 1000, 25 * dayMs, 400 * dayMs])('calls back after %d ms, once, and not earlier', (delayMs) => {
    let calls = 0
    systemClock.after(delayMs, () => calls++)
    vi.advanceTimersByTime(delayMs - 1)
    expect(calls).toBe(0)
    vi.advanceTimersByTime(1)
    expect(calls).toBe(1)
    vi.advanceTimersByTime(dayMs)
    expect(calls).toBe(1)
  })

  it('never calls back after Infinity', () => {
    let calls = 0
    const cancel = systemClock.after(Number.POSITIVE_INFINITY, () => calls++)
    vi.advanceTimersByTime(1000 * dayMs)
    expect(calls).toBe(0)
    cancel()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be cancelled late in a long delay', () => {
    let calls = 0
    const cancel = systemClock.after(30 * dayMs, () => calls++)
    vi.advanceTimersByTime(29 * dayMs)
    cancel()
    vi.advanceTimersByTime(30 * dayMs)
    expect([calls, vi.getTimerCount()]).toEqual([0, 0])
  })
})
