import type { H3Event } from 'h3'
import type { z } from 'zod'
import { LocalpostError, validationError } from '../core/errors.ts'
import { checkInput, fieldName, parseInput } from '../core/validate.ts'
import type { Answer } from './answer.ts'
import { isAnswer, jsonAnswer } from './answer.ts'
import { receiveBody } from './body.ts'
import { socketRequestOf } from './client-address.ts'
import { accountUsed, type DispatchDeps } from './dispatch.ts'
import type { Exchange } from './request-log.ts'
import { mayComeFromMail } from './remote-consent.ts'
import type { Route } from './route.ts'

/** Reads the parts of a request that the route needs, and calls the route's handler. */
export async function runRoute(
  route: Route,
  event: H3Event,
  exchange: Exchange,
  {
    accessControl,
    addresses,
    bodies,
    large,
    strict,
  }: Pick<DispatchDeps, 'accessControl' | 'addresses' | 'bodies' | 'large' | 'strict'>,
): Promise<unknown> {
  if (event.url.pathname.endsWith('/')) meetTrailingSlash(event, exchange, strict)
  const params = paramsOf(event)
  const query = route.query ? readQuery(route.query, queryOf(event)) : undefined
  const { headers, method } = event.req
  const handle = (body: unknown): unknown =>
    route.handler({
      params,
      query,
      body,
      headers,
      isLocal: () => accessControl.isLocal(event),
      mayComeFromMail: () => mayComeFromMail(event),
      isSecure: () => accessControl.isSecure(event),
      isHead: method === 'HEAD',
      ip: () => addresses.ipOf(event),
      signal: () => event.req.signal,
      warn(warnings) {
        for (const warning of warnings) exchange.warnings.push(warning)
      },
    })
  if (!route.body) return toAnswer(await handle(undefined), route)
  const room = bodies.enter()
  try {
    const used: unknown = event.context[accountUsed]
    const onPiece = typeof used === 'function' ? () => void used() : undefined
    const source = { headers, body: () => event.req.body, node: socketRequestOf(event), onPiece }
    const body = await receiveBody(source, route.body, room, (text) => (exchange.requestBody = text))
    const isChecked = route.body.readBy === 'resource'
    const { schema } = route.body
    const work = async (): Promise<Answer> => {
      const parsed = body.parse()
      const given = parsed instanceof Promise ? await parsed : parsed
      return toAnswer(await handle(isChecked ? given : parseInput(schema, given)), route)
    }
    return await (body.isLong ? large.run(work, largePatienceMs, event.req.signal) : work())
  } finally {
    room.leave()
  }
}

/** How long a request with a long body waits for others, in milliseconds. */
const largePatienceMs = 30_000

/** The router ignores a trailing slash, but the real service answers 404. Warns about it, or refuses with `strict`. */
function meetTrailingSlash(event: H3Event, exchange: Exchange, strict: boolean): void {
  const { pathname } = event.url
  const meant = `The path is ${pathname.replace(/\/+$/, '')}, without the trailing slash.`
  if (strict) throw new LocalpostError('not_found', `There is nothing at ${pathname}. ${meant}`)
  exchange.warnings.push(`the path ${pathname} is answered here, and is 404 with strict. ${meant}`)
}

function toAnswer(result: unknown, route: Route): Answer {
  return isAnswer(result) ? result : jsonAnswer(result, route.success.status)
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

function readQuery(schema: z.ZodType, given: Record<string, string>): unknown {
  const result = checkInput(schema, given)
  if ('value' in result) return result.value
  const errors = result.errors.map(({ field, message }) => ({
    field: field === fieldName([]) ? 'query' : field,
    message,
  }))
  throw validationError(errors)
}

// If a parameter is repeated, the first value is used.
function queryOf(event: H3Event): Record<string, string> {
  const query: Record<string, string> = {}
  if (event.url.search.length > 1) {
    for (const [name, value] of new URLSearchParams(event.url.search)) {
      // Every path below `/dev` takes the name of an account; it was read before.
      if (name === 'account' && event.url.pathname.startsWith('/dev/')) continue
      if (!Object.hasOwn(query, name)) query[name] = value
    }
  }
  return query
}
