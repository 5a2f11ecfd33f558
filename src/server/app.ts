import type { H3 } from 'h3'
import { toNodeHandler } from 'h3'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { createAnswerRoom } from './answer-room.ts'
import { errorAnswer } from './answer.ts'
import { answerHeld } from './held-answer.ts'
import type { RequestRooms } from './request-rooms.ts'
import { createBodyRoom } from './body-room.ts'
import { createClientAddresses, listenerContext, socketRequestOf } from './client-address.ts'
import { type AccountHttp, type Destination, destinationOf, maySee } from './other-accounts.ts'
import { accountRoutes } from './dev/accounts.ts'
import { devAudienceRoutes } from './dev/audiences.ts'
import { consentRoutes } from './dev/consent.ts'
import { ruleAndFaultRoutes } from './dev/rules-and-faults.ts'
import { broadcastRoutes } from './dev/broadcasts.ts'
import { devDomainRoutes } from './dev/domains.ts'
import { devEmailRoutes } from './dev/emails.ts'
import { inboxRoutes } from './dev/inbox.ts'
import { smtpSessionRoutes } from './dev/smtp-sessions.ts'
import { instanceRoutes } from './dev/instance.ts'
import { keyRoutes } from './dev/keys.ts'
import { oidcRoutes } from './dev/oidc.ts'
import { mailByteRoutes } from './dev/mail-bytes.ts'
import { nestedMailRoutes } from './dev/nested-mail.ts'
import { sessionRoutes } from './dev/session.ts'
import { templateRoutes } from './dev/templates.ts'
import { webhookRoutes } from './dev/webhooks.ts'
import type { KeyCheck } from './auth.ts'
import { createAccessControl } from './access.ts'
import { createFailedKeys } from './failed-keys.ts'
import { brokenConnection, createFaultGate, isCut } from './faults.ts'
import { assertHost, hostOf, settleHost } from './guard.ts'
import type { LiveEvents } from './live-events.ts'
import { createLiveEvents } from './live-events.ts'
import { createOpenAnswers } from './open-answers.ts'
import { openApiRoute } from './openapi.ts'
import type { ServerDeps } from './deps.ts'
import { restOfRequest } from './rest-of-request.ts'
import type { Route } from './route.ts'
import { createRouter, registeredRoutes } from './router.ts'
import { createSessions } from './session.ts'
import { accountUsed, assertAccountReached, unknownAccount } from './dispatch.ts'
import { trackingRoutes } from './tracking.ts'
import { audienceRoutes } from './v1/audiences.ts'
import { domainRoutes } from './v1/domains.ts'
import { emailRoutes } from './v1/emails.ts'

/** The HTTP interface of an instance: the same in process and over a socket. */
export interface App extends AccountHttp {
  /** The limits that the requests of all accounts share. */
  readonly rooms: RequestRooms
  /** Answers a request in process. Rejects only where a fault of `/dev/faults` breaks the connection, as `fetch` does. */
  fetch(request: Request): Promise<Response>
  /** The same for a `node:http` server; it also checks the Host header. */
  readonly nodeHandler: RequestListener
  /** Ends live events and the delays of faults, which otherwise keep a server from closing. */
  close(): void
  /** The table that the router and the document are made from; for tests. */
  readonly routes: readonly Route[]
  /** The routes of the router, as `GET /v1/emails`; for tests. */
  registered(): string[]
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
  const sessions = createSessions(deps.sessions, () => portOfPage(deps))
  const addresses = createClientAddresses(deps.config.trustProxy)
  const accessControl = createAccessControl(deps, sessions, addresses)
  const routes = tableOf(deps, live, sessions)
  routes.push(openApiRoute(routes, deps.version))

  const faults = createFaultGate(deps)
  const rooms = deps.rooms ?? {
    bodies: createBodyRoom(deps.config.limits.requestBytes, systemClock),
    answers: createAnswerRoom(),
    failedKeys: createFailedKeys(deps.clock),
    openAnswers: createOpenAnswers(),
  }
  const h3 = createRouter(routes, deps.uiDir, {
    accessControl,
    addresses,
    faults,
    log,
    ...rooms,
    large: deps.large,
    strict: deps.config.strict,
    onError: deps.onError,
  })
  // A context of our own: the request's may belong to a server that we are mounted in.
  const own = async (request: Request, context: Record<string, unknown>): Promise<Response> =>
    h3.request(request, undefined, context)
  const { otherAccounts } = deps
  async function answerAnyAccount(request: Request, context: Record<string, unknown>): Promise<Response> {
    // Avoids building the whole URL of a request over a socket.
    const url = socketRequestOf({ context })?.url ?? request.url
    const isPlain =
      otherAccounts?.isEmpty() && deps.users === null && deps.oidc === null && !url.includes('account=')
    if (!otherAccounts || isPlain) return own(request, context)
    const find = (): Destination =>
      destinationOf(request, otherAccounts, () => sessions.ownerOf(request.headers))
    const { unknown, ...to } = find()
    if (unknown !== null) context[unknownAccount] = unknown
    else
      context[assertAccountReached] = () => {
        const now = find()
        if (now.id !== to.id || now.unknown !== null || (now.id !== null && !otherAccounts.has(now.id)))
          throw new LocalpostError('not_found', 'The account of this request cannot be reached any more.')
      }
    if (to.id === null) return own(request, context)
    try {
      const { app, used, release } = await otherAccounts.open(to.id)
      context[accountUsed] = used
      return await answerHeld(() => app.answer(to.request, context), context, release)
    } catch (error) {
      return refuse(error)
    }
  }
  const { current } = deps
  /** If instances share a store: waits until everything that any of them acknowledged is known. */
  async function answerCurrent(request: Request, context: Record<string, unknown>): Promise<Response> {
    try {
      if (current && isOfData(request)) await current()
    } catch (error) {
      return refuse(error)
    }
    return answerAnyAccount(request, context)
  }
  const answer = !otherAccounts ? own : current ? answerCurrent : answerAnyAccount
  const overSocket = toNodeHandler({
    fetch: (request: Request & { runtime?: { node?: { req: IncomingMessage; res?: ServerResponse } } }) => {
      const node = request.runtime?.node
      return answer(request, node ? listenerContext(node.req, node.res) : {})
    },
  } as unknown as H3)
  const allowedHosts = createAllowedHosts(deps)

  return {
    rooms,
    answer,
    async fetch(request) {
      const context = {}
      const response = await answer(request, context)
      if (isCut(context)) throw brokenConnection()
      return response
    },
    nodeHandler(request, response) {
      try {
        settleHost(request)
        assertHost(request, allowedHosts())
        void overSocket(request, response)
      } catch (error) {
        if (!(error instanceof LocalpostError)) deps.onError(error)
        sendError(request, response, error)
      }
    },
    close() {
      faults.close()
      live.close()
      // The logs may outlive this.
      log.onAdded(() => {})
      deps.smtpSessions.onEnded(
        () => {},
        () => false,
      )
      // The interface of an account also ends when the account is removed or disabled.
      if (deps.rooms) rooms.openAnswers.look()
      else rooms.openAnswers.close()
    },
    routes,
    registered: () => registeredRoutes(h3),
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

function refuse(error: unknown): Response {
  const { status, headers, body } = errorAnswer(error)
  return new Response(body as string, { status, headers })
}

/** Whether the answer depends on what is stored. The page's files do not, and health also reports a store that fails. */
function isOfData({ url }: Request): boolean {
  const { pathname } = new URL(url)
  return /^\/(?:v1|dev|t|a)\//.test(pathname) && !/^\/dev\/(?:health|metrics)$/.test(pathname)
}

/** Accepts the keys of all accounts, because each of them can sign in. */
function anyKeys({ keys, otherAccounts }: Pick<ServerDeps, 'keys' | 'otherAccounts'>): KeyCheck {
  return { scopeOf: (key) => otherAccounts?.ofKey(key)?.scope ?? keys.scopeOf(key) }
}

function tableOf(deps: ServerDeps, live: LiveEvents, sessions: ReturnType<typeof createSessions>): Route[] {
  return [
    ...emailRoutes(deps.emails),
    ...domainRoutes(deps.domains),
    ...audienceRoutes(deps.audiences),
    ...inboxRoutes(deps.inbox),
    ...consentRoutes(deps.tracking),
    ...mailByteRoutes(deps.inbox, deps.tracking),
    ...nestedMailRoutes(deps.inbox.nested, deps.tracking),
    ...devEmailRoutes(deps.emails),
    ...devDomainRoutes(deps.domains),
    ...devAudienceRoutes(deps.audiences),
    ...broadcastRoutes(deps.broadcasts),
    ...templateRoutes(deps.templates),
    ...webhookRoutes(deps.webhooks),
    ...accountRoutes(deps.accounts, (headers, name) => maySee(sessions.ownerOf(headers), name)),
    ...keyRoutes(deps.keys),
    ...sessionRoutes({ keys: anyKeys(deps), users: deps.users, oidc: deps.oidc, sessions }),
    ...oidcRoutes({ oidc: deps.oidc, sessions }),
    ...ruleAndFaultRoutes(deps.rules, deps.faults),
    ...smtpSessionRoutes(deps),
    ...instanceRoutes(deps, live),
    ...trackingRoutes(deps.tracking),
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

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { status, headers, body } = errorAnswer(error)
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {}
  response.writeHead(status, { ...headers, ...length }).write(body)
  void restOfRequest(request).then(() => response.end())
}
