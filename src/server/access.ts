import type { H3Event } from 'h3'
import { SharedWindows } from '../faults/shared-windows.ts'
import { maskKey } from '../keys/keys.ts'
import type { Scope } from '../keys/types.ts'
import { isLoopback } from '../net/hosts.ts'
import type { SessionOwner } from '../users/sessions.ts'
import { bearerPlace, requireKey, insufficientScope, roleMeets, scopeMeets } from './auth.ts'
import type { ServerDeps } from './deps.ts'
import { type ClientAddresses, isForwarded, isSecure } from './forwarded.ts'
import { assertNotEmbedded, assertOrigin, hostOf, namesHost } from './guard.ts'
import { boundHost, type HttpListener } from './listener.ts'
import { createRateLimits } from './rate-limit.ts'
import { socketRequestOf, stateOf } from './request-state.ts'
import type { Need, Route } from './route.ts'
import type { Sessions } from './session.ts'

/** Decides which requests are allowed, before their bodies are read. */
export interface AccessControl {
  /**
   * @returns The key whose rate limit the request counts for; null for none.
   * @throws missing_api_key, invalid_api_key, insufficient_scope, forbidden_origin.
   */
  admit(event: H3Event, access: Route['access'], need: Need | null): string | null
  /** Counts one request for a key. @throws rate_limit_exceeded. */
  count(key: string): Promise<Readonly<Record<string, string>>>
  /**
   * Whether the caller is on this machine: in process, or under a loopback name on a listener that is bound to
   * loopback. Never for a request that a proxy forwarded or without a Host, and never with `requireKey`.
   */
  isLocal(event: H3Event): boolean
  /** Whether the caller's browser uses HTTPS, by `publicUrl` and the headers of proxies. */
  isSecure(event: H3Event): boolean
}

/** Rules: SECURITY.md. The listener checks the Host header; see `guard.ts`. */
export function createAccessControl(
  deps: Pick<ServerDeps, 'keys' | 'clock' | 'config' | 'faults' | 'listener' | 'store'>,
  sessions: Sessions,
  addresses: ClientAddresses,
): AccessControl {
  const { keys, clock, config, faults } = deps
  const shared = deps.store.isShared ? new SharedWindows(deps.store, clock) : null
  const count = createRateLimits(config.rateLimit, faults.rateLimit, clock, shared)
  const publicUrl = config.publicUrl === null ? null : new URL(config.publicUrl)

  // Remembered, because a server that is closing has no address any more.
  let knownListener: HttpListener | null = null
  let isBoundToLoopback = false

  // On a listener that others can reach, no caller is local, not even one from this machine: it may be a tunnel. The
  // same applies before the bound address is known, and under a name of `allowHosts` or `publicUrl`, because a tunnel
  // or a proxy exposes loopback to others. Many of them set the Host to a loopback name, but add their own headers.
  function isLocal(event: H3Event): boolean {
    if (config.requireKey) return false
    const request = socketRequestOf(event)
    if (isForwarded(request?.headers ?? event.req.headers)) return false
    if (!request) return true
    if (!namesHost(request) || !isLoopback(hostOf(request.headers.host ?? '') ?? '')) return false
    const listener = deps.listener()
    if (listener === null) return false
    if (listener !== knownListener) {
      knownListener = listener
      isBoundToLoopback = isOnLoopback(listener)
    }
    return isBoundToLoopback
  }

  // A cookie alone is not enough at /v1: only the page calls it without a key.
  function pageOwner(event: H3Event, key: string | null): SessionOwner | null {
    const { headers } = event.req
    // Not `isFromPage`: browsers leave Sec-Fetch-Site out over plain HTTP. A page of another origin cannot send this header.
    const isPage = key === null && headers.has('x-localpost-page')
    const owner = isPage ? sessions.ownerOf(headers) : null
    if (owner) checkOrigin(event)
    return owner
  }

  function checkOrigin({ req: { headers }, url }: H3Event): void {
    assertOrigin(headers, headers.get('host') ?? url.host, publicUrl?.host ?? '')
  }

  /** @returns The key whose rate limit the request counts for; null for a request of the page. */
  function admitWithKey(event: H3Event, need: Need | null): string | null {
    const { headers } = event.req
    const { isFromPage, face } = stateOf(event)
    const place = face?.key ?? bearerPlace
    const owner = face ? null : pageOwner(event, place.of(headers))
    if (owner) {
      assertMay(owner, need, event)
      return null
    }
    const given = requireKey(headers, keys, place)
    assertMay(given, need, event)
    return isFromPage ? null : given.key
  }

  /** @returns null for a local caller without a key. */
  function controlCaller(event: H3Event): Caller | null {
    const { headers } = event.req
    const { face, signedIn } = stateOf(event)
    if (signedIn) return signedIn()
    const place = face?.key ?? bearerPlace
    // A local caller needs no key, but one that it sends is checked, so that an app behaves here as elsewhere: with the
    // key of a removed account, it must not change the account `default` instead. For the same reason a session beside a
    // key admits nothing.
    if (place.of(headers) !== null) return requireKey(headers, keys, place)
    if (isLocal(event)) return null
    return sessions.ownerOf(headers) ?? requireKey(headers, keys, place)
  }

  return {
    isLocal,
    isSecure: (event) => isSecure(event, publicUrl, addresses),
    admit(event, access, need) {
      if (access === 'public') return null
      if (access === 'key') return admitWithKey(event, need)
      checkOrigin(event)
      if (access === 'local') {
        assertNotEmbedded(event.req.headers, event.url.pathname)
        const caller = controlCaller(event)
        if (caller) assertMay(caller, need, event)
      }
      return null
    },
    count,
  }
}

/** A key that was given, or the owner of a session. */
type Caller = SessionOwner | { key: string; scope: Scope }

function assertMay(caller: Caller, need: Need | null, event: H3Event): void {
  if (need === null) return
  if ('user' in caller ? roleMeets(caller.user.role, need) : scopeMeets(caller.scope, need)) return
  throw insufficientScope(inWords(caller), `${event.req.method} ${event.url.pathname}`, need)
}

/** Who the caller is, as the beginning of a sentence. */
function inWords(caller: Caller): string {
  if ('user' in caller) return `${caller.user.name} has the role \`${caller.user.role}\``
  const key = 'key' in caller ? maskKey(caller.key) : 'of this session'
  return `The API key ${key} has the scope \`${caller.scope}\``
}

function isOnLoopback(listener: HttpListener): boolean {
  const host = boundHost(listener)
  return host === null ? typeof listener.server.address() === 'string' : isLoopback(host)
}
