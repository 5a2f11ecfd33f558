import type { RequestListener } from 'node:http'
import { H3, type H3Event } from 'h3'
import { version } from '../core/version.ts'
import { createAccessControl } from './access.ts'
import { createAllowedHosts } from './guard.ts'
import { announce, createLiveEvents } from './live-events.ts'
import { basicUsers } from './basic-users.ts'
import { createClientAddresses } from './forwarded.ts'
import type { ServerDeps } from './deps.ts'
import type { Face } from './face.ts'
import { createFindFace, facesOf, assertLoaded, createLoading } from './faces.ts'
import { brokenConnection, createFaultGate } from './faults.ts'
import type { UpgradeListener } from './listener.ts'
import { checkHost, waitUntilCurrent } from './middleware.ts'
import { openApiRoutes } from './openapi.ts'
import { type AccountHttp, otherAccountOf, passToAccount } from './pass-to-account.ts'
import { newContext, stateOf } from './request-state.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import { anyKeys, ownRoutes } from './route-table.ts'
import { addRest, addRoutes } from './router.ts'
import { createSessions } from './session.ts'
import { createSocketHandlers } from './socket-handlers.ts'

/** The HTTP interface of an instance: the same in process and over a socket. */
export interface App extends AccountHttp {
  /** Answers a request in process. Rejects only where a fault of `/dev/faults` breaks the connection, as `fetch` does. */
  fetch(request: Request): Promise<Response>
  /** The same for a `node:http` server; it also checks the Host header. */
  readonly nodeHandler: RequestListener
  /** Answers a request for a websocket, and opens that. */
  readonly upgradeHandler: UpgradeListener
  /** Ends live events, websockets and the delays of faults, which otherwise keep a server from closing. */
  close(): void
  /** The table that the router and the document are made from, without what is not loaded yet; for tests. */
  readonly routes: readonly Route[]
}

/** Makes the HTTP interface from the resources. It opens no port: see `listener.ts`. */
export function createApp(deps: ServerDeps): App {
  const live = createLiveEvents(deps.store)
  const stopAnnouncing = announce(deps, live)
  const sessions = createSessions(deps.sessions, () => portOfPage(deps))
  const addresses = createClientAddresses(deps.config.trustProxy)
  const accessControl = createAccessControl(deps, sessions, addresses)
  const { limits, instance } = deps
  const routes = ownRoutes(deps, live, sessions)
  const { faces: later } = deps
  const faces = later?.all ?? facesOf(routes)
  routes.push(...openApiRoutes(routes, faces, version))

  const faults = createFaultGate(deps)
  const requestDeps = {
    ...deps,
    ...limits,
    faceOf: createFindFace(faces),
    accessControl,
    addresses,
    faults,
    strict: deps.config.strict,
  }
  const hostCheck = checkHost(createAllowedHosts(deps))
  /** Before the checks of the request itself: whether they refuse it, or pass it on to another account. */
  const isOwn = (event: H3Event, face: Face): boolean => {
    if (!instance) return true
    try {
      void hostCheck(event, () => undefined)
      return otherAccountOf(face, event.req.headers, instance.otherAccounts) === null
    } catch {
      return false
    }
  }
  const load =
    later &&
    createLoading(later, requestDeps.faceOf, isOwn, (rows) => {
      routes.push(...rows)
      addRoutes(h3, rows, requestDeps)
    })
  const h3 = new H3({ silent: true, allowMalformedURL: true, ...(load && { onRequest: load }) })
  h3.use(respond(requestDeps))
  if (instance) {
    h3.use(hostCheck)
    if (deps.upToDate) h3.use(waitUntilCurrent(deps.upToDate))
    if (deps.users) h3.use(basicUsers(deps.users, anyKeys(deps), limits.passwords, addresses))
    const hasUsers = deps.users !== null || deps.oidc !== null
    h3.use(passToAccount(instance.otherAccounts, hasUsers, sessions.ownerOf))
  }
  h3.use((event) => assertLoaded(event))
  addRoutes(h3, routes, requestDeps)
  addRest(h3, faces, deps.uiDir, requestDeps)

  // A context of our own: the request's may belong to a server that we are mounted in.
  const answer: App['answer'] = (request, context) => h3.request(request, undefined, context)
  const { nodeHandler, upgradeHandler, close: closeSockets } = createSocketHandlers(answer, deps.onError)

  return {
    answer,
    async fetch(request) {
      const context = newContext(null)
      const response = await answer(request, context)
      if (stateOf({ context }).isCut) throw brokenConnection()
      return response
    },
    nodeHandler,
    upgradeHandler,
    close() {
      faults.close()
      live.close()
      closeSockets()
      stopAnnouncing()
      // The interface of an account also ends when the account is removed or disabled.
      if (instance) limits.openAnswers.close()
      else limits.openAnswers.check()
    },
    routes,
  }
}

/** The port at which browsers see the page, which is not that of this instance where several share a store. */
function portOfPage(deps: Pick<ServerDeps, 'store' | 'config' | 'listener'>): number | null {
  if (!deps.store.isShared) return deps.listener()?.port ?? null
  const { publicUrl } = deps.config
  return publicUrl === null ? null : Number(new URL(publicUrl).port) || null
}
