import type { InjectedLimit } from '../faults/faults.ts'
import type { SharedWindows } from '../faults/shared-windows.ts'
import type { FaultRateLimit } from '../faults/types.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { createWindows, secondsLeft, type Window } from '../net/windows.ts'

type LimitHeaders = Readonly<Record<string, string>>

/**
 * Counts requests per key in fixed windows: by the limit of the options, and by the current one of `/dev/faults`.
 *
 * @param injected  Returns the same object until the limit changes: counting restarts with each new one.
 * @param shared  Counts the requests of all instances that share a store; null: counts only those of this instance.
 * @returns A function that counts one request. It answers headers with the limit and what is left of it, and throws
 *   rate_limit_exceeded with the same headers and `Retry-After`.
 */
export function createRateLimits(
  configured: { requests: number; perMs: number } | null,
  injected: () => InjectedLimit | null,
  clock: Clock,
  shared: SharedWindows | null,
): (key: string) => Promise<LimitHeaders> {
  const always = configured && { requests: configured.requests, per_ms: configured.perMs }
  const own = createWindows()
  let lastInjected: InjectedLimit | null = null
  let injectedWindows = createWindows()

  async function count(
    limit: FaultRateLimit,
    windows: ReturnType<typeof createWindows>,
    name: string,
    key: string,
  ): Promise<LimitHeaders> {
    const window = shared
      ? await shared.count(name, key, limit.per_ms)
      : windows.count(key, limit.per_ms, clock.now())
    return limitHeaders(limit, window, clock.now())
  }

  return async (key) => {
    const limit = injected()
    if (limit !== lastInjected) {
      lastInjected = limit
      injectedWindows = createWindows()
    }
    return {
      ...(always && (await count(always, own, 'option', key))),
      ...(limit && (await count(limit, injectedWindows, limit.generation ?? '', key))),
    }
  }
}

/** @throws rate_limit_exceeded. */
function limitHeaders({ requests, per_ms }: FaultRateLimit, window: Window, now: number): LimitHeaders {
  const seconds = secondsLeft(window, now)
  const { used } = window
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
