import type { FaultRateLimit } from '../faults/types.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'

/** Counts requests per key in fixed windows. */
export interface RateLimit {
  /**
   * Counts one request.
   *
   * @returns The headers with the limit and what is left of it.
   * @throws rate_limit_exceeded, with the same headers and `Retry-After`.
   */
  take(key: string): Readonly<Record<string, string>>
}

/** @param limit  How many requests a key may make in `perMs` milliseconds. */
function createRateLimit(limit: { requests: number; perMs: number }, clock: Clock): RateLimit {
  const windows = new Map<string, { ends: number; used: number }>()
  return {
    take(key) {
      const now = clock.now()
      let window = windows.get(key)
      if (!window || window.ends <= now) {
        // With `acceptAnyKey` callers invent keys: expired windows are removed before they add up.
        if (windows.size >= maxWindows) forgetEnded(windows, now)
        window = { ends: now + limit.perMs, used: 0 }
        windows.set(key, window)
      }
      window.used++
      const seconds = Math.max(1, Math.ceil((window.ends - now) / 1000))
      const headers = {
        'ratelimit-limit': String(limit.requests),
        'ratelimit-remaining': String(Math.max(0, limit.requests - window.used)),
        'ratelimit-reset': String(seconds),
      }
      if (window.used <= limit.requests) return headers
      const message = `More than ${limit.requests} requests in ${limit.perMs} ms. Wait ${seconds} s.`
      throw new LocalpostError('rate_limit_exceeded', message, {
        headers: { ...headers, 'retry-after': String(seconds) },
      })
    },
  }
}

/**
 * The limit of the options, and on top of it the one that `/dev/faults` has at the time.
 *
 * @param injected  Gives the same object until the limit changes: counting restarts with each.
 */
export function createRateLimits(
  configured: { requests: number; perMs: number } | null,
  injected: () => FaultRateLimit | null,
  clock: Clock,
): RateLimit {
  const always = configured && createRateLimit(configured, clock)
  let known: FaultRateLimit | null = null
  let current: RateLimit | null = null
  return {
    take(key) {
      const headers = always?.take(key) ?? {}
      const limit = injected()
      if (limit !== known) {
        known = limit
        current = limit && createRateLimit({ requests: limit.requests, perMs: limit.per_ms }, clock)
      }
      return current ? { ...headers, ...current.take(key) } : headers
    },
  }
}

const maxWindows = 10_000

function forgetEnded(windows: Map<string, { ends: number }>, now: number): void {
  for (const [key, window] of windows) if (window.ends <= now) windows.delete(key)
  if (windows.size >= maxWindows) windows.clear()
}
