import type { Middleware } from 'h3'
import { noAccount } from '../accounts/account.ts'
import type { AccessControl } from './access.ts'
import { bearerPlace } from './auth.ts'
import type { ClientAddresses } from './forwarded.ts'
import type { ServerDeps } from './deps.ts'
import type { FindFace } from './faces.ts'
import type { FaultGate } from './faults.ts'
import { assertFraming } from './framing.ts'
import { assertHost } from './guard.ts'
import type { RequestLimits } from './request-limits.ts'
import { socketRequestOf, stateOf } from './request-state.ts'
import type { Need, Route } from './route.ts'

/** What the middleware and the handlers of all routes need. */
export interface RequestDeps
  extends RequestLimits, Pick<ServerDeps, 'log' | 'large' | 'thread' | 'requests' | 'onError'> {
  readonly faceOf: FindFace
  readonly accessControl: AccessControl
  readonly addresses: ClientAddresses
  readonly faults: FaultGate
  /** Treats warnings as errors. */
  readonly strict: boolean
}

/** The first middleware of a route: says which it is. */
export function setRoute(route: string): Middleware {
  return (event) => {
    stateOf(event).route = route
  }
}

/** For requests to `/v1` and to the API of a provider: they are logged. Those of the page would fill the log. */
export const logRequest: Middleware = (event) => {
  const state = stateOf(event)
  state.isLogged = !state.isFromPage
}

/**
 * Refuses foreign hosts, and bodies that a proxy may end elsewhere. In process, that is up to the server that we are
 * mounted in.
 */
export function checkHost(allowed: () => ReadonlySet<string>): Middleware {
  return (event) => {
    const request = socketRequestOf(event)
    if (!request) return
    assertFraming(request)
    assertHost(request, allowed())
  }
}

/** Where instances share a store: an answer waits until everything that any of them acknowledged is known. */
export function waitUntilCurrent(wait: () => Promise<void>): Middleware {
  return async (event, next) => {
    const { pathname } = event.url
    // The page's files depend on nothing that is stored, and health also reports a store that fails. These are the paths of
    // `isLocalPath`, of `/v1`, and of URLs in tracked mail (`/a/` is in pass-to-account.ts), but no metrics.
    const isOfAccount = stateOf(event).face !== null || /^\/(?:(?:v1|dev|t|a)\/|mcp\/?$)/.test(pathname)
    const isOfData = isOfAccount && !/^\/dev\/(?:health|metrics)$/.test(pathname)
    if (isOfData) await wait()
    return next()
  }
}

/** Applies the faults of `/dev/faults`, before anything of a request is read: a fault simulates a service that is down. */
export function injectFault({ faults }: Pick<RequestDeps, 'faults'>): Middleware {
  return (event) => (stateOf(event).isFromPage ? undefined : faults.meet(event))
}

/**
 * Decides whether the caller may do this, and counts requests with a key. The rules are in SECURITY.md.
 *
 * @param needOf  What the caller needs, by the query of the request. Without it, any key is enough.
 */
export function admitCaller(
  { accessControl }: Pick<RequestDeps, 'accessControl'>,
  rule: Route['access'],
  needOf: ((query: string) => Need) | undefined,
): Middleware {
  return async (event, next) => {
    const state = stateOf(event)
    const need = needOf?.(event.url.search) ?? null
    // For the request log, also where the key is refused.
    if (rule === 'key') state.exchange.key = (state.face?.key ?? bearerPlace).of(event.req.headers)
    const key = accessControl.admit(event, rule, need)
    if (key !== null) state.headers = await accessControl.count(key)
    // Only now, so that strangers do not learn which accounts there are.
    const { refusedName } = state.account
    if (refusedName !== null && (rule === 'key' || rule === 'local')) throw noAccount(refusedName)
    return next()
  }
}

/**
 * Ends an answer as soon as its caller loses access. Only what needs no more than reading is watched: a request that
 * changes something is completed once its caller was admitted.
 */
export function watchAccess(
  { accessControl, openAnswers }: Pick<RequestDeps, 'accessControl' | 'openAnswers'>,
  needOf: ((query: string) => Need) | undefined,
): Middleware {
  return async (event, next) => {
    if (event.req.method !== 'GET' && needOf?.(event.url.search) !== 'read') return next()
    const { account } = stateOf(event)
    return openAnswers.watch(next(), () => {
      accessControl.admit(event, 'local', needOf?.(event.url.search) ?? null)
      account.assertReached()
    })
  }
}
