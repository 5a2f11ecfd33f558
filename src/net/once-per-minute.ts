import { monotonicNow } from '../core/machine.ts'

/** How many keys are kept. A new key replaces the oldest. */
const maxKeys = 1000
const minuteMs = 60_000

/**
 * Returns a filter for notices that a client could cause any number of times.
 *
 * @returns A function that is true at most once per minute for each key.
 */
export function createOncePerMinute(now: () => number = monotonicNow): (key: string) => boolean {
  const last = new Map<string, number>()
  return (key) => {
    const time = now()
    const before = last.get(key)
    if (before !== undefined && time - before < minuteMs) return false
    last.delete(key)
    last.set(key, time)
    const [oldest] = last.keys()
    if (last.size > maxKeys && oldest !== undefined) last.delete(oldest)
    return true
  }
}
