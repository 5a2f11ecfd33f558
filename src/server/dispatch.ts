import type { H3Event } from 'h3'
import { FastResponse } from 'srvx'
import type { z } from 'zod'
import { isErrorOf, LocalpostError, validationError } from '../core/errors.ts'
import { checkInput, fieldName, parseInput } from '../core/validate.ts'
import type { Answer } from './answer.ts'
import { errorAnswer, isAnswer, jsonAnswer, streamBody } from './answer.ts'
import { receiveBody } from './body.ts'
import type { JobQueue } from '../core/job-queue.ts'
import { type ClientAddresses, socketRequestOf, socketResponseOf } from './client-address.ts'
import type { AccessControl } from './access.ts'
import type { FaultGate } from './faults.ts'
import { isCut } from './faults.ts'
import type { OpenAnswer } from './open-answers.ts'
import type { RequestRooms } from './request-rooms.ts'
import type { Exchange, RequestLog } from './request-log.ts'
import { isStreamed } from './held-answer.ts'
import { endAfterRequest } from './rest-of-request.ts'
import { isLongJson, type LongJson, readLongJson } from '../core/long-json.ts'
import type { Route } from './route.ts'
import type { Need } from './scopes.ts'
import { monotonicNow } from '../core/machine.ts'
import { noAccount } from '../accounts/account.ts'

/** What the handling of every request needs. */
export interface DispatchDeps extends RequestRooms {
  readonly accessControl: AccessControl
  readonly addresses: ClientAddresses
  readonly faults: FaultGate
  readonly log: RequestLog
  /** Where requests with long bodies wait for their turn. */
  readonly large: JobQueue
  /** Treats warnings as errors. */
  readonly strict: boolean
  onError(error: unknown): void
}

/**
 * Creates the handler of one route, or of a path without a route for the method.
 *
 * @param access  The access rule. An unknown path below `/v1` requires a key, like an existing one.
 * @param needOf  What the caller needs, by the query of the request. Default: any key is enough.
 * @param run  Returns the answer or throws. Called after access was granted.
 */
export function dispatcher(
  deps: DispatchDeps,
  access: Route['access'] | 'none',
  run: (event: H3Event, exchange: Exchange) => unknown,
  needOf: ((query: string) => Need) | null = null,
): (event: H3Event) => Promise<Response> {
  const { accessControl, addresses, faults, log, answers, failedKeys, openAnswers } = deps
  const slowedDown = (error: unknown, event: H3Event): unknown =>
    isErrorOf(error, 'invalid_api_key') && socketRequestOf(event)
      ? failedKeys.count(addresses.ipOf(event), error)
      : error
  return async (event) => {
    const exchange = newExchange(event)
    let answer: Answer
    let headers: Readonly<Record<string, string>> = {}
    let open: OpenAnswer | null = null
    try {
      const fault = access === 'key' && !exchange.fromPage ? faults.meet(event, exchange) : null
      const struck = fault && (await fault)
      const need = needOf && needOf(event.url.search)
      const admitted = access !== 'none' && !struck && accessControl.admit(event, access, need, exchange)
      if (admitted) headers = admitted instanceof Promise ? await admitted : admitted
      if (!struck && (access === 'key' || access === 'local')) assertAccount(event)
      // What changes something is done when its caller has been let in.
      if (access === 'local' && event.req.method === 'GET')
        open = openAnswers.watch(() => {
          void accessControl.admit(event, access, need, exchange)
          assertReached(event)
        })
      const running = struck ?? run(event, exchange)
      const result = await (open ? open.throughout(running) : running)
      answer = isAnswer(result) ? result : jsonAnswer(result)
      const response = socketResponseOf(event)
      if (response) answers.admit(answer, response)
    } catch (error) {
      if (!(error instanceof LocalpostError) || error.code === 'internal_error') deps.onError(error)
      answer = errorAnswer(slowedDown(error, event))
    }
    if (open) answer = watchedAnswer(answer, open)
    if (access === 'key' && !exchange.fromPage) {
      exchange.status = isCut(event.context) ? 0 : answer.status
      exchange.responseBody = beginningOf(answer)
      log.add(exchange)
    } else if (exchange.warnings.length > 0) headers = { ...headers, warning: warningOf(exchange.warnings) }
    if (access === 'key' && isTerminal(event.req.headers)) answer = withLineEnd(answer)
    const request = socketRequestOf(event)
    if (request && !request.complete && event.req.method !== 'HEAD') answer = endAfterRequest(answer, request)
    if (isLongJson(answer.body) || answer.body instanceof ReadableStream) event.context[isStreamed] = true
    // For a socket, h3's own server has a response that makes no web stream and no Headers object.
    const kind = request ? FastResponse : Response
    return toResponse(kind, answer, headers, event.req.method === 'HEAD')
  }
}

/** The context's member with a function that throws when the account of the request cannot be reached any more. */
export const assertAccountReached = 'localpost.assertAccountReached'

function assertReached(event: H3Event): void {
  const assertIt: unknown = event.context[assertAccountReached]
  if (typeof assertIt === 'function') assertIt()
}

/** The answer, with a body that ends when its caller may not read it any more, where it is a stream. */
function watchedAnswer(answer: Answer, open: OpenAnswer): Answer {
  const body = streamed(answer)
  if (body instanceof ReadableStream) return { ...answer, body: open.guard(body) }
  open.leave()
  return answer
}

/** The body of an answer; long JSON is written while it is read. */
function streamed({ body }: Answer): Exclude<Answer['body'], LongJson> {
  return isLongJson(body) ? streamBody(readLongJson(body)) : body
}

/** The context's member with a function that notes a use of the account of the request, where it is not `default`. */
export const accountUsed = 'localpost.accountUsed'

/** The context's member with the name of an account that the caller asks for and may not see. */
export const unknownAccount = 'localpost.unknownAccount'

/** @throws not_found. Only after the caller's key was checked, so that strangers do not learn which accounts there are. */
function assertAccount(event: H3Event): void {
  const name: unknown = event.context[unknownAccount]
  if (typeof name === 'string') throw noAccount(name)
}

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
    const isChecked = route.body.readBy === 'noun'
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

/** The warnings of a request that the log does not keep, as a header of RFC 7234 section 5.5. */
function warningOf(warnings: readonly string[]): string {
  return warnings
    .map((text) => `299 localpost ${JSON.stringify(text.replace(/[^\x20-\x7e]/g, '?'))}`)
    .join(', ')
}

/** Whether a person called curl in a terminal: its default User-Agent and its default Accept. */
function isTerminal(headers: Pick<Headers, 'get'>): boolean {
  return headers.get('user-agent')?.startsWith('curl/') === true && headers.get('accept') === '*/*'
}

// Without a line end the shell's prompt would follow on the same line.
function withLineEnd(answer: Answer): Answer {
  const { body } = answer
  if (typeof body === 'string') return { ...answer, body: `${body}\n` }
  if (!isLongJson(body)) return answer
  const { bytes } = body
  return {
    ...answer,
    body: {
      bytes,
      *pieces() {
        yield* body.pieces()
        yield '\n'
      },
    },
  }
}

/** The beginning of a text answer for the request log, at least as long as the log keeps; null if it is not text. */
function beginningOf({ body }: Answer): string | null {
  if (typeof body === 'string') return body
  return isLongJson(body) ? (body.pieces().next().value ?? null) : null
}

function toAnswer(result: unknown, route: Route): Answer {
  return isAnswer(result) ? result : jsonAnswer(result, route.success.status)
}

function newExchange(event: H3Event): Exchange {
  return {
    source: 'http',
    method: event.req.method,
    path: event.url.pathname + event.url.search,
    fromPage: isFromPage(event.req.headers),
    status: 0,
    startedAt: monotonicNow(),
    key: null,
    warnings: [],
    requestBody: null,
    responseBody: null,
  }
}

// Requests of the inbox page must not use up faults and rate limits or fill the request log. Only a browser sets
// Sec-Fetch-Site, and a page of another origin cannot set it to `same-origin`.
function isFromPage(headers: Headers): boolean {
  return headers.has('x-localpost-page') && headers.get('sec-fetch-site') === 'same-origin'
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

// h3's type follows the DOM's, which does not include byte arrays with shared memory.
type ResponseBody = ConstructorParameters<typeof Response>[0]

function toResponse(
  kind: typeof Response,
  answer: Answer,
  headers: Readonly<Record<string, string>>,
  isHead: boolean,
): Response {
  const { status } = answer
  const body = streamed(answer)
  const all = { ...headers, ...answer.headers }
  const cookies = (answer.cookies ?? []).map((cookie): [string, string] => ['set-cookie', cookie])
  const sent = cookies.length === 0 ? all : [...Object.entries(all), ...cookies]
  if (!isHead) return new kind(body as ResponseBody, { status, headers: sent })
  // An unread stream would stay open.
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined)
  else all['content-length'] ??= String(body === null ? 0 : Buffer.byteLength(body))
  return new kind(null, { status, headers: all })
}
