import { H3, type H3Event } from 'h3'
import { type RequestListener, ServerResponse } from 'node:http'
import type { ServerRequest } from 'srvx'
import { NodeRequest, sendNodeResponse, toNodeHandler } from 'srvx/node'
import { systemClock } from '../core/clock.ts'
import { version } from '../core/version.ts'
import { createAccessControl } from './access.ts'
import { createAnswerRoom } from './answer-room.ts'
import type { KeyCheck } from './auth.ts'
import { basicUsers } from './basic-users.ts'
import { createBodyRoom } from './body-room.ts'
import { createClientAddresses } from './client-address.ts'
import type { RequestLimits, ServerDeps } from './deps.ts'
import { accountRoutes } from './dev/accounts.ts'
import { devAudienceRoutes } from './dev/audiences.ts'
import { consentRoutes } from './dev/consent.ts'
import { broadcastRoutes } from './dev/broadcasts.ts'
import { devDomainRoutes } from './dev/domains.ts'
import { scheduledRoutes } from './dev/scheduled.ts'
import { suppressionRoutes } from './dev/suppressions.ts'
import { devEmailRoutes } from './dev/emails.ts'
import { inboxRoutes } from './dev/inbox.ts'
import { mailRoutes } from './dev/mail.ts'
import { instanceRoutes } from './dev/instance.ts'
import { keyRoutes } from './dev/keys.ts'
import { mailByteRoutes } from './dev/mail-bytes.ts'
import { missingRoutes } from './dev/missing.ts'
import { nestedMailRoutes } from './dev/nested-mail.ts'
import { oidcRoutes } from './dev/oidc.ts'
import { ruleAndFaultRoutes } from './dev/rules-and-faults.ts'
import { sessionRoutes } from './dev/session.ts'
import { smtpSessionRoutes } from './dev/smtp-sessions.ts'
import { templateRoutes } from './dev/templates.ts'
import { webhookRoutes } from './dev/webhooks.ts'
import { brokenConnection, createFaultGate } from './faults.ts'
import { endSocket } from './end-socket.ts'
import type { Face } from './face.ts'
import { assertLoaded, createFindFace, createLoading, facesOf } from './faces.ts'
import { createLastRequests, hostOf, settleHost } from './guard.ts'
import type { UpgradeListener } from './listener.ts'
import { type LiveEvents, createLiveEvents } from './live-events.ts'
import { host, respond, upToDate } from './middleware.ts'
import { createOpenAnswers } from './open-answers.ts'
import { openApiRoutes } from './openapi.ts'
import { type AccountHttp, maySee, otherAccountOf, passToAccount } from './other-accounts.ts'
import { probeRoutes } from './probes.ts'
import { newContext, type RequestState, stateOf } from './request-state.ts'
import type { Route } from './route.ts'
import { addRest, addRoutes } from './router.ts'
import { createSessions } from './session.ts'
import { createSignInLimit } from './sign-in-limit.ts'
import { trackingRoutes } from './tracking.ts'
import { createWebSockets } from './websocket.ts'
import { audienceRoutes } from './v1/audiences.ts'
import { domainRoutes } from './v1/domains.ts'
import { emailRoutes } from './v1/emails.ts'

/** The HTTP interface of an instance: the same in process and over a socket. */
export interface App extends AccountHttp {
  /** The limits that the requests of all accounts share. */
  readonly limits: RequestLimits
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
  const { log } = deps
  log.onAdded((request) => {
    live.publish('request.logged', () => {
      const { request_body: _request, response_body: _response, ...rest } = request()
      return rest
    })
  }, live.isWatched)
  deps.smtpSessions.onEnded((session) => live.publish('smtp.session', session), live.isWatched)
  deps.inbox.bulk.onProgress((progress) => live.publish('bulk.progress', () => progress))
  deps.inbox.removals.onChanged((ids, isHidden) => {
    // Mails that come back are not new: nobody is to be notified of them.
    if (isHidden) for (const id of ids) live.publish('email.deleted', () => ({ id }))
    else live.publish('emails.changed', () => ({ updated: ids.length, deleted: 0 }))
  })
  const sessions = createSessions(deps.sessions, () => portOfPage(deps))
  const addresses = createClientAddresses(deps.config.trustProxy)
  const accessControl = createAccessControl(deps, sessions, addresses)
  const limits = deps.limits ?? {
    bodies: createBodyRoom(deps.config.limits.requestBytes, systemClock),
    answers: createAnswerRoom(),
    failedLogins: deps.failedLogins,
    passwords: createSignInLimit(),
    providers: createSignInLimit(),
    openAnswers: createOpenAnswers(),
  }
  const routes = tableOf(deps, live, sessions, limits)
  const { faces: later } = deps
  const faces = later?.all ?? facesOf(routes)
  routes.push(...openApiRoutes(routes, faces, version))

  const faults = createFaultGate(deps)
  const parts = {
    ...limits,
    faceOf: createFindFace(faces),
    accessControl,
    addresses,
    faults,
    log,
    large: deps.large,
    thread: deps.thread,
    requests: deps.requests,
    strict: deps.config.strict,
    onError: deps.onError,
  }
  const { otherAccounts } = deps
  const hostCheck = host(createAllowedHosts(deps))
  /** Before the checks of the request itself: whether they refuse it, or pass it on to another account. */
  const isOwn = (event: H3Event, face: Face): boolean => {
    if (!otherAccounts) return true
    try {
      void hostCheck(event, () => undefined)
      return otherAccountOf(face, event.req.headers, otherAccounts) === null
    } catch {
      return false
    }
  }
  const load =
    later &&
    createLoading(later, parts.faceOf, isOwn, (rows) => {
      routes.push(...rows)
      addRoutes(h3, rows, parts)
    })
  const h3 = new H3({ silent: true, allowMalformedURL: true, ...(load && { onRequest: load }) })
  h3.use(respond(parts))
  if (otherAccounts) {
    h3.use(hostCheck)
    if (deps.upToDate) h3.use(upToDate(deps.upToDate))
    if (deps.users) {
      const { users } = deps
      h3.use(basicUsers({ users, keys: anyKeys(deps), limit: limits.passwords, addresses }))
    }
    h3.use(passToAccount(otherAccounts, deps.users !== null || deps.oidc !== null, sessions.ownerOf))
  }
  h3.use((event) => assertLoaded(event))
  addRoutes(h3, routes, parts)
  addRest(h3, faces, deps.uiDir, parts)

  // A context of our own: the request's may belong to a server that we are mounted in.
  const answer: App['answer'] = (request, context) => h3.request(request, undefined, context)
  const overSocket = toNodeHandler((request: ServerRequest) =>
    answer(request, newContext((request.runtime?.node ?? null) as RequestState['socket'])),
  ) as RequestListener
  const isHandled = createLastRequests()
  const webSockets = createWebSockets()

  async function upgrade(...[req, socket, head]: Parameters<UpgradeListener>): Promise<void> {
    const res = new ServerResponse(req)
    // Node has removed its own listeners, and an error without one would end the process.
    socket
      .on('error', () => socket.destroy())
      .on('timeout', () => socket.destroy())
      .on('drain', () => res.emit('drain'))
    if (!isHandled(req, res)) return void socket.destroy()
    settleHost(req)
    res.assignSocket(socket)
    res.shouldKeepAlive = false
    const context = newContext({ req, res, isUpgrade: true })
    const response = await answer(new NodeRequest({ req, res }), context)
    const { webSocket } = stateOf({ context })
    if (webSocket) return webSockets.open(socket, head, webSocket)
    // Else the end of the client, or what it still sends, would keep the connection.
    socket.once('end', () => socket.end()).resume()
    await sendNodeResponse(res, response)
    endSocket(socket)
  }

  return {
    limits,
    answer,
    async fetch(request) {
      const context = newContext(null)
      const response = await answer(request, context)
      if (stateOf({ context }).isCut) throw brokenConnection()
      return response
    },
    nodeHandler(request, response) {
      if (!isHandled(request, response)) return
      // Before h3 reads the URL.
      settleHost(request)
      overSocket(request, response)
    },
    upgradeHandler(request, socket, head) {
      upgrade(request, socket, head).catch((error: unknown) => {
        deps.onError(error)
        socket.destroy()
      })
    },
    close() {
      faults.close()
      live.close()
      webSockets.close()
      // The logs may outlive this.
      log.onAdded(() => {})
      deps.smtpSessions.onEnded(
        () => {},
        () => false,
      )
      // The interface of an account also ends when the account is removed or disabled.
      if (deps.limits) limits.openAnswers.look()
      else limits.openAnswers.close()
    },
    routes,
  }
}

/** The port at which browsers see the page, which is not that of this instance where several share a store. */
function portOfPage({
  store,
  config,
  listener,
}: Pick<ServerDeps, 'store' | 'config' | 'listener'>): number | null {
  if (!store.isShared) return listener()?.port ?? null
  return config.publicUrl === null ? null : Number(new URL(config.publicUrl).port) || null
}

/** Accepts the keys of all accounts, because each of them can sign in. */
function anyKeys({ keys, otherAccounts }: Pick<ServerDeps, 'keys' | 'otherAccounts'>): KeyCheck {
  return { scopeOf: (key) => otherAccounts?.ofKey(key)?.scope ?? keys.scopeOf(key) }
}

function tableOf(
  deps: ServerDeps,
  live: LiveEvents,
  sessions: ReturnType<typeof createSessions>,
  { passwords, providers }: RequestLimits,
): Route[] {
  return [
    ...emailRoutes(deps.emails),
    ...domainRoutes(deps.domains),
    ...audienceRoutes(deps.audiences),
    ...inboxRoutes(deps.inbox),
    ...mailRoutes(deps.inbox),
    ...consentRoutes(deps.tracking),
    ...mailByteRoutes(deps.inbox, deps.tracking),
    ...nestedMailRoutes(deps.inbox.nested, deps.tracking),
    ...devEmailRoutes(deps.emails, deps.sending),
    ...scheduledRoutes(deps.sending),
    ...suppressionRoutes(deps.suppressions),
    ...devDomainRoutes(deps.domains),
    ...devAudienceRoutes(deps.audiences),
    ...broadcastRoutes(deps.broadcasts),
    ...templateRoutes(deps.templates, deps.thread),
    ...webhookRoutes(deps.webhooks),
    ...accountRoutes(deps.accounts, (headers, name) => maySee(sessions.ownerOf(headers), name)),
    ...keyRoutes(deps.keys),
    ...sessionRoutes({ keys: anyKeys(deps), users: deps.users, oidc: deps.oidc, sessions, limit: passwords }),
    ...oidcRoutes({ oidc: deps.oidc, sessions, limit: providers }),
    ...ruleAndFaultRoutes(deps.rules, deps.faults),
    ...smtpSessionRoutes(deps),
    ...missingRoutes(deps),
    ...instanceRoutes(deps, live),
    ...probeRoutes(deps),
    ...trackingRoutes(deps.tracking, deps.webhooks),
    ...(deps.furtherRoutes ?? []),
  ]
}

// What was given, and the name that the listener was opened with, once it is open.
function createAllowedHosts({
  config,
  listener,
}: Pick<ServerDeps, 'config' | 'listener'>): () => Set<string> {
  const given = config.publicUrl ? [...config.allowHosts, new URL(config.publicUrl).host] : config.allowHosts
  const hosts = new Set(given.flatMap((host) => hostOf(host) ?? []))
  let ownUrl: string | undefined
  return () => {
    const url = listener()?.url
    if (url !== undefined && url !== ownUrl) {
      ownUrl = url
      hosts.add(hostOf(new URL(url).host) ?? '')
    }
    return hosts
  }
}
