import type { InjectedLimit } from '../faults/faults.ts'
import type { RequestWindow, SharedWindows } from '../faults/shared-windows.ts'
import type { FaultRateLimit } from '../faults/types.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'

/** Counts requests per key in fixed windows. */
export interface RateLimit {
  /**
   * Counts one request.
   *
   * @returns The headers with the limit and what is left of it; a promise where instances count together.
   * @throws rate_limit_exceeded, with the same headers and `Retry-After`.
   */
  take(key: string): Headers | Promise<Headers>
}

type Headers = Readonly<Record<string, string>>

/** Counts in the memory of this instance. */
function createWindows(): { count(key: string, perMs: number, now: number): RequestWindow } {
  const windows = new Map<string, RequestWindow>()
  return {
    count(key, perMs, now) {
      let window = windows.get(key)
      if (!window || window.ends <= now) {
        // With `acceptAnyKey` callers invent keys: expired windows are removed before they add up.
        if (windows.size >= maxWindows) forgetEnded(windows, now)
        window = { ends: now + perMs, used: 0 }
        windows.set(key, window)
      }
      window.used++
      return window
    },
  }
}

/** @throws rate_limit_exceeded. */
function headersOf(
  { requests, per_ms }: FaultRateLimit,
  { ends, used }: RequestWindow,
  now: number,
): Headers {
  const seconds = Math.max(1, Math.ceil((ends - now) / 1000))
  const headers = {
    'ratelimit-limit': String(requests),
    'ratelimit-remaining': String(Math.max(0, requests - used)),
    'ratelimit-reset': String(seconds),
  }
  if (used <= requests) return headers
  const message = `More than ${requests} requests in ${per_ms} ms. Wait ${seconds} s.`
  throw new LocalpostError('rate_limit_exceeded', message, {
    headers: { ...headers, 'retry-after': String(seconds) },
  })
}

/**
 * The limit of the options, and in addition the current one of `/dev/faults`.
 *
 * @param injected  Returns the same object until the limit changes: counting restarts with each new one.
 * @param shared  Counts the requests of all instances that share a store; null: counts only those of this instance.
 */
export function createRateLimits(
  configured: { requests: number; perMs: number } | null,
  injected: () => InjectedLimit | null,
  clock: Clock,
  shared: SharedWindows | null,
): RateLimit {
  const always = configured && { requests: configured.requests, per_ms: configured.perMs }
  if (shared) {
    const take = async (name: string, limit: FaultRateLimit, key: string): Promise<Headers> =>
      headersOf(limit, await shared.count(name, key, limit.per_ms), clock.now())
    return {
      take(key) {
        const limit = injected()
        if (!always && !limit) return none
        return (async () => ({
          ...(always && (await take('option', always, key))),
          ...(limit && (await take(limit.generation ?? '', limit, key))),
        }))()
      },
    }
  }
  const own = createWindows()
  let known: FaultRateLimit | null = null
  let current = createWindows()
  return {
    take(key) {
      const now = clock.now()
      const headers = always ? headersOf(always, own.count(key, always.per_ms, now), now) : none
      const limit = injected()
      if (limit !== known) {
        known = limit
        current = createWindows()
      }
      return limit ? { ...headers, ...headersOf(limit, current.count(key, limit.per_ms, now), now) } : headers
    },
  }
}

const none: Headers = {}
const maxWindows = 10_000

function forgetEnded(windows: Map<string, { ends: number }>, now: number): void {
  for (const [key, window] of windows) if (window.ends <= now) windows.delete(key)
  if (windows.size >= maxWindows) windows.clear()
}
