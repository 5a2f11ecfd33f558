import { monotonicNow } from '../core/machine.ts'
import { createWindows } from './windows.ts'

/** A filter for notices that a client could cause any number of times: true at most once per minute for each key. */
export function createOncePerMinute(now: () => number = monotonicNow): (key: string) => boolean {
  const windows = createWindows(1000)
  return (key) => windows.count(key, 60_000, now()).used === 1
}
