import type { EventHandler, H3Event } from 'h3'
import type { z } from 'zod'
import { LocalpostError, validationError } from '../core/errors.ts'
import { FormBody, readTextForm } from '../core/form.ts'
import { LongBody } from '../core/long-body.ts'
import { withoutEnding } from '../core/text.ts'
import { checkInput, fieldName, parseInput } from '../core/validate.ts'
import type { AccessControl } from './access.ts'
import { type Answer, isAnswer, jsonAnswer, webSocketAnswer, webSocketStatus } from './answer.ts'
import { receiveBody, type ReceivedBody } from './body.ts'
import { mayComeFromMail } from './guard.ts'
import type { RequestDeps } from './middleware.ts'
import type { Exchange } from './request-log.ts'
import { isLocalPath, stateOf } from './request-state.ts'
import type { Need, Route, RouteBody, RouteContext } from './route.ts'
import { acceptWebSocket } from './websocket.ts'

/**
 * The handler of a route for h3, after the middleware: reads and checks the parts of a request that the route needs, and
 * calls the route's own handler. h3's `readValidatedBody` is not used, because long bodies wait for their turn and for
 * memory, and errors have our shape.
 */
export function routeHandler(route: Route, deps: RequestDeps): EventHandler {
  const { bodies, strict } = deps
  return async (event) => {
    const { account, exchange, socket } = stateOf(event)
    // The OpenAPI document of a face is not a path of the provider, so the provider's leniency does not hold for it.
    const isLenient = route.face?.lenient === true && route.access !== 'open'
    if (!isLenient && event.url.pathname.endsWith('/') && !route.path.endsWith('/'))
      meetTrailingSlash(event, exchange, strict)
    const params = paramsOf(event)
    const query = route.query ? readQuery(route.query, queryOf(event)) : undefined
    const { status } = route.success
    const { headers } = event.req
    const webSocketAccept =
      status === webSocketStatus ? acceptWebSocket(headers, socket?.isUpgrade === true) : null
    const handle = async (body: unknown): Promise<Answer> => {
      const result = await route.handler({ params, query, body, ...callerOf(event, route, deps) })
      if (webSocketAccept !== null)
        return webSocketAnswer(result as ReadableStream<Uint8Array>, webSocketAccept)
      return isAnswer(result) ? result : jsonAnswer(result, status)
    }
    const { body } = route
    if (!body) return handle(undefined)
    const room = bodies.enter()
    try {
      const source = { headers, body: () => event.req.body, node: socket?.req, onPiece: account.used }
      const received = await receiveBody(source, body, room, (text) => (exchange.requestBody = text))
      const work = async (): Promise<Answer> => handle(await readBody(received, body, deps))
      return await (received.isLong ? deps.large.run(work, largePatienceMs, event.req.signal) : work())
    } finally {
      room.leave()
    }
  }
}

/** What a handler may ask about its caller. */
function callerOf(
  event: H3Event,
  route: Route,
  { accessControl, addresses }: RequestDeps,
): Omit<RouteContext, 'params' | 'query' | 'body'> {
  const { headers, method } = event.req
  return {
    headers,
    isLocal: () => accessControl.isLocal(event),
    may: (need) => may(accessControl, event, route.access, need),
    mayComeFromMail: () => mayComeFromMail(event),
    isSecure: () => accessControl.isSecure(event),
    isHead: method === 'HEAD',
    ip: () => addresses.ipOf(event),
    signal: () => event.req.signal,
    warn(warnings) {
      for (const warning of warnings) stateOf(event).exchange.warnings.push(warning)
    },
  }
}

/** The body for the handler: checked, unless its resource checks it. */
async function readBody(
  received: ReceivedBody,
  { readBy, schema, long }: RouteBody,
  { thread }: Pick<RequestDeps, 'thread'>,
): Promise<unknown> {
  const parsed = received.parse()
  const isForThread = long && parsed instanceof LongBody
  const given = isForThread ? await thread.run('body', [parsed.take(), long]) : parsed
  if (readBy === 'resource') return given
  return parseInput(schema, given instanceof FormBody ? readTextForm(given) : given)
}

/** Whether the caller of a route would also be admitted where more is needed. */
function may(
  { admit }: Pick<AccessControl, 'admit'>,
  event: H3Event,
  access: Route['access'],
  need: Need,
): boolean {
  try {
    admit(event, access, need)
    return true
  } catch (error) {
    if (error instanceof LocalpostError) return false
    throw error
  }
}

/** How long a request with a long body waits for others, in milliseconds. */
const largePatienceMs = 30_000

/** The router ignores a trailing slash, but the real service answers 404. Warns about it, or refuses with `strict`. */
function meetTrailingSlash(event: H3Event, exchange: Exchange, strict: boolean): void {
  const { pathname } = event.url
  const meant = `The path is ${withoutEnding(pathname, '/')}, without the trailing slash.`
  if (strict) throw new LocalpostError('not_found', `There is nothing at ${pathname}. ${meant}`)
  exchange.warnings.push(`the path ${pathname} is answered here, and is 404 with strict. ${meant}`)
}

function paramsOf(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(event.context.params ?? {})) {
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      throw new LocalpostError('not_found', `The path ${event.url.pathname} is not encoded as a URL.`)
    }
  }
  return params
}

function readQuery(schema: z.ZodType, given: Record<string, string | string[]>): unknown {
  const result = checkInput(schema, given)
  if ('value' in result) return result.value
  const errors = result.errors.map(({ field, message }) => ({
    field: field === fieldName([]) ? 'query' : field,
    message,
  }))
  throw validationError(errors)
}

// If a parameter is repeated, the first value is used; a provider's schema gets all of them, and refuses what it does not take.
function queryOf(event: H3Event): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  const { face } = stateOf(event)
  if (event.url.search.length > 1) {
    for (const [given, value] of new URLSearchParams(event.url.search)) {
      const name = face?.lenient ? given.toLowerCase() : given
      // The name of an account was read before.
      if (name === 'account' && isLocalPath(event)) continue
      const known = Object.hasOwn(query, name) ? query[name] : undefined
      if (known === undefined) query[name] = value
      else if (Array.isArray(known)) known.push(value)
      else if (face) query[name] = [known, value]
    }
  }
  return query
}
