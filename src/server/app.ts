import type { H3 } from 'h3'
import { toNodeHandler } from 'h3'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { createAnswerRoom } from './answer-room.ts'
import { errorAnswer } from './answer.ts'
import { createBodyRoom } from './body-room.ts'
import { listenerContext } from './client-address.ts'
import { devAudienceRoutes } from './dev/audiences.ts'
import { ruleAndFaultRoutes } from './dev/rules-and-faults.ts'
import { broadcastRoutes } from './dev/broadcasts.ts'
import { devDomainRoutes } from './dev/domains.ts'
import { devEmailRoutes } from './dev/emails.ts'
import { inboxRoutes } from './dev/inbox.ts'
import { instanceRoutes } from './dev/instance.ts'
import { keyRoutes } from './dev/keys.ts'
import { mailByteRoutes } from './dev/mail-bytes.ts'
import { nestedMailRoutes } from './dev/nested-mail.ts'
import { templateRoutes } from './dev/templates.ts'
import { webhookRoutes } from './dev/webhooks.ts'
import { createAccessControl } from './access.ts'
import { createFailedKeys } from './failed-keys.ts'
import { brokenConnection, createFaultGate, isCut } from './faults.ts'
import { assertHost, hostOf, settleHost } from './guard.ts'
import type { LiveEvents } from './live-events.ts'
import { createLiveEvents } from './live-events.ts'
import { openApiRoute } from './openapi.ts'
import type { ServerDeps } from './deps.ts'
import { restOfRequest } from './rest-of-request.ts'
import type { Route } from './route.ts'
import { createRouter, registeredRoutes } from './router.ts'
import { createSessions } from './session.ts'
import { trackingRoutes } from './tracking.ts'
import { audienceRoutes } from './v1/audiences.ts'
import { domainRoutes } from './v1/domains.ts'
import { emailRoutes } from './v1/emails.ts'

/** The HTTP face of an instance: the same for a program around it and for a socket. */
export interface App {
  /** Answers a request in process. Rejects only where a fault of `/dev/faults` breaks the connection, as `fetch` does. */
  fetch(request: Request): Promise<Response>
  /** The same for a `node:http` server; it also checks the Host header. */
  readonly nodeHandler: RequestListener
  /** Ends live events and the delays of faults, which otherwise keep a server from closing. */
  close(): void
  /** The table that the router and the document are made from; for tests. */
  readonly routes: readonly Route[]
  /** What the router knows, as `GET /v1/emails`; for tests. */
  registered(): string[]
}

/** Makes the HTTP face out of the nouns. It opens nothing: see `listener.ts`. */
export function createApp(deps: ServerDeps): App {
  const live = createLiveEvents(deps.store)
  const { log } = deps
  log.onAdded((request) => {
    live.publish('request.logged', () => {
      const { request_body: _request, response_body: _response, ...rest } = request()
      return rest
    })
  })
  deps.inbox.bulk.onProgress((progress) => live.publish('bulk.progress', () => progress))
  const sessions = createSessions(deps.keys, { port: () => deps.listener()?.port ?? null })
  const accessControl = createAccessControl(deps, sessions)
  const routes = tableOf(deps, live, sessions)
  routes.push(openApiRoute(routes, deps.version))

  const faults = createFaultGate(deps)
  const bodies = createBodyRoom(deps.config.limits.requestBytes, systemClock)
  const failedKeys = createFailedKeys(deps.clock)
  const answers = createAnswerRoom()
  const h3 = createRouter(routes, deps.uiDir, {
    accessControl,
    faults,
    log,
    bodies,
    large: deps.large,
    answers,
    failedKeys,
    strict: deps.config.strict,
    onError: deps.onError,
  })
  const answer = async (request: Request, context: Record<string, unknown>): Promise<Response> =>
    // A context of our own: the request's may belong to a server that we are mounted in.
    h3.request(request, undefined, context)
  const overSocket = toNodeHandler({
    fetch: (request: Request & { runtime?: { node?: { req: IncomingMessage; res?: ServerResponse } } }) => {
      const node = request.runtime?.node
      return answer(request, node ? listenerContext(node.req, node.res) : {})
    },
  } as unknown as H3)
  const allowedHosts = createAllowedHosts(deps)

  return {
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
    },
    routes,
    registered: () => registeredRoutes(h3),
  }
}

function tableOf(deps: ServerDeps, live: LiveEvents, sessions: ReturnType<typeof createSessions>): Route[] {
  return [
    ...emailRoutes(deps.emails),
    ...domainRoutes(deps.domains),
    ...audienceRoutes(deps.audiences),
    ...inboxRoutes(deps.inbox),
    ...mailByteRoutes(deps.inbox),
    ...nestedMailRoutes(deps.inbox.nested),
    ...devEmailRoutes(deps.emails),
    ...devDomainRoutes(deps.domains),
    ...devAudienceRoutes(deps.audiences),
    ...broadcastRoutes(deps.broadcasts),
    ...templateRoutes(deps.templates),
    ...webhookRoutes(deps.webhooks),
    ...keyRoutes(deps.keys, sessions),
    ...ruleAndFaultRoutes(deps.rules, deps.faults),
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
