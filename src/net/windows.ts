/** A period, and how many were counted in it. */
export interface Window {
  /** Unix or monotonic time in milliseconds. */
  ends: number
  used: number
}

/** Counts by name, in periods that begin with the first count. */
export interface Windows {
  count(name: string, perMs: number, now: number): Window
}

/** @param maxNames  How many names are kept. */
export function createWindows(maxNames: number = 10_000): Windows {
  const windows = new Map<string, Window>()
  return {
    count(name, perMs, now) {
      let window = windows.get(name)
      if (!window || window.ends <= now) {
        windows.delete(name)
        // The oldest entry is dropped: an unlimited table would be an attack on memory.
        const [oldest] = windows.keys()
        if (windows.size >= maxNames && oldest !== undefined) windows.delete(oldest)
        window = { ends: now + perMs, used: 0 }
        windows.set(name, window)
      }
      window.used++
      return window
    },
  }
}

/** How long to wait for the end of a window, for `Retry-After`. */
export function secondsLeft({ ends }: Window, now: number): number {
  return Math.max(1, Math.ceil((ends - now) / 1000))
}
