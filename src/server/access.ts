import type { H3Event } from 'h3'
import { isLoopback } from '../net/hosts.ts'
import { bearerOf, requireKey } from './auth.ts'
import { socketRequestOf } from './client-address.ts'
import { isForwarded, isForwardedHttps } from './forwarded.ts'
import { assertNotEmbedded, assertOrigin, hostOf } from './guard.ts'
import { boundHost, type HttpListener } from './listener.ts'
import type { ServerDeps } from './deps.ts'
import { createRateLimits } from './rate-limit.ts'
import type { Exchange } from './request-log.ts'
import type { Route } from './route.ts'
import type { Sessions } from './session.ts'

/** Decides which requests are let in, before anything of them is read. */
export interface AccessControl {
  /**
   * @returns Headers for the answer.
   * @throws missing_api_key, invalid_api_key, rate_limit_exceeded, forbidden_origin.
   */
  admit(event: H3Event, access: Route['access'], exchange: Exchange): Readonly<Record<string, string>>
  /**
   * Whether the caller sits on this machine: in process, or by a loopback name at a listener bound to loopback; never
   * one that a proxy passed on, and none with `requireKey`.
   */
  isLocal(event: H3Event): boolean
  /** Whether the caller's browser uses HTTPS, by `publicUrl` and the headers of proxies. */
  isSecure(event: H3Event): boolean
}

/** Rules: SECURITY.md. The listener checks the Host header; see `guard.ts`. */
export function createAccessControl(
  deps: Pick<ServerDeps, 'keys' | 'clock' | 'config' | 'faults' | 'listener'>,
  sessions: Sessions,
): AccessControl {
  const { keys, clock, config, faults } = deps
  const limits = createRateLimits(config.rateLimit, faults.rateLimit, clock)
  const publicUrl = config.publicUrl === null ? null : new URL(config.publicUrl)

  // Asking a socket for its address is a system call, and this is asked at every request.
  let asked: HttpListener | null = null
  let isBoundToLoopback = false

  // Bound to an address that others reach, everybody is a stranger, also who comes from this machine: that may be a
  // tunnel. So is who comes before it is known where we are bound, and who comes to loopback by a name of `allowHosts`
  // or `publicUrl`: a tunnel or a proxy brings the whole world there. Many of them set the Host to a loopback name, but
  // say in headers of their own that they are there.
  function isLocal(event: H3Event): boolean {
    if (config.requireKey) return false
    const request = socketRequestOf(event)
    if (isForwarded(request?.headers ?? event.req.headers)) return false
    if (!request) return true
    if (!isLoopback(hostOf(request.headers.host ?? '') ?? '')) return false
    const listener = deps.listener()
    if (listener === null) return false
    if (listener !== asked) {
      asked = listener
      isBoundToLoopback = isOnLoopback(listener)
    }
    return isBoundToLoopback
  }

  return {
    isLocal,
    isSecure(event) {
      const { headers } = event.req
      if (event.url.protocol === 'https:' || isForwardedHttps(headers)) return true
      if (publicUrl?.protocol !== 'https:') return false
      return hostOf(headers.get('host') ?? '') === hostOf(publicUrl.host) || isForwarded(headers)
    },
    admit(event, access, exchange) {
      const { headers } = event.req
      if (access === 'key') {
        exchange.key = bearerOf(headers)
        const key = requireKey(headers, keys, exchange.key)
        return exchange.fromPage ? none : limits.take(key)
      }
      if (access === 'public') return none
      assertOrigin(headers, headers.get('host') ?? event.url.host, publicUrl?.host ?? '')
      if (access === 'local') assertNotEmbedded(headers, event.url.pathname)
      if (access === 'local' && !isLocal(event) && !sessions.has(headers)) requireKey(headers, keys)
      return none
    },
  }
}

function isOnLoopback(listener: HttpListener): boolean {
  const host = boundHost(listener)
  return host === null ? typeof listener.server.address() === 'string' : isLoopback(host)
}

const none: Readonly<Record<string, string>> = {}
