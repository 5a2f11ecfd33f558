import type { H3Event, Middleware } from 'h3'
import { noAccount } from '../accounts/account.ts'
import { count } from '../core/counts.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { isLongJson } from '../core/long-json.ts'
import type { AccessControl } from './access.ts'
import { type Answer, errorAnswer, isAnswer, jsonAnswer } from './answer.ts'
import type { ClientAddresses } from './client-address.ts'
import type { RequestLimits, ServerDeps } from './deps.ts'
import type { FindFace } from './faces.ts'
import type { FaultGate } from './faults.ts'
import { assertFraming, assertHost } from './guard.ts'
import type { OpenAnswer } from './open-answers.ts'
import type { RequestLog } from './request-log.ts'
import { beginState, type RequestState, socketRequestOf, stateOf } from './request-state.ts'
import type { Need, Route } from './route.ts'
import { streamed, toResponse } from './to-response.ts'

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

/**
 * The first middleware of all: makes a Response of what the next ones return, an {@link Answer} or a value for JSON, and
 * of errors. Adds the request to the log.
 */
export function respond({
  faceOf,
  addresses,
  answers,
  failedLogins,
  log,
  requests,
  onError,
}: RequestDeps): Middleware {
  const refusal = (error: unknown, event: H3Event): Answer => {
    if (isFault(error, event)) onError(error)
    const isCounted = isErrorOf(error, 'invalid_api_key') && socketRequestOf(event)
    const shown = isCounted ? failedLogins.count(addresses.ipOf(event), error) : error
    return errorAnswer(shown, stateOf(event).face, event.url.pathname)
  }
  return async (event, next) => {
    const state = beginState(event, faceOf)
    let answer: Answer
    try {
      const result = await next()
      // Another account answered.
      if (result instanceof Response) return result
      answer = isAnswer(result) ? result : jsonAnswer(result)
      if (state.socket) answers.admit(answer, state.socket.res)
    } catch (error) {
      answer = refusal(error, event)
    }
    count(requests, tallyOf(event, state, answer))
    return toResponse(state.isLogged ? logged(answer, event, log) : answer, event, state)
  }
}

/** Where an answer is counted: no part of it is the client's own text. */
function tallyOf({ req }: H3Event, { route, isCut }: RequestState, { status }: Answer): string {
  const method = countedMethods.has(req.method) ? req.method : 'other'
  return `${method} ${route} ${isCut ? 'cut' : status}`
}

const countedMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** The first middleware of a route: says which it is. */
export function atRoute(route: string): Middleware {
  return (event) => {
    stateOf(event).route = route
  }
}

/** For requests to `/v1` and to the API of a provider: they are logged. Those of the page would fill the log. */
export const logRequest: Middleware = (event) => {
  const state = stateOf(event)
  state.isLogged = !state.isFromPage
}

/** Refuses foreign hosts, and bodies that a proxy may end elsewhere. In process, that is up to the server that we are mounted in. */
export function host(allowed: () => ReadonlySet<string>): Middleware {
  return (event) => {
    const request = socketRequestOf(event)
    if (!request) return
    assertFraming(request)
    assertHost(request, allowed())
  }
}

/** Where instances share a store: an answer waits until everything that any of them acknowledged is known. */
export function upToDate(wait: () => Promise<void>): Middleware {
  return async (event, next) => {
    const { pathname } = event.url
    // The page's files depend on nothing that is stored, and health also reports a store that fails.
    const isOfAccount = stateOf(event).face !== null || /^\/(?:(?:v1|dev|t|a)\/|mcp\/?$)/.test(pathname)
    const isOfData = isOfAccount && !/^\/dev\/(?:health|metrics)$/.test(pathname)
    if (isOfData) await wait()
    return next()
  }
}

/** Applies the faults of `/dev/faults`, before anything of a request is read: a fault simulates a service that is down. */
export function fault({ faults }: Pick<RequestDeps, 'faults'>): Middleware {
  return (event) => (stateOf(event).isFromPage ? undefined : faults.meet(event))
}

/**
 * Decides whether the caller may do this, and counts requests with a key. The rules are in SECURITY.md.
 *
 * @param needOf  What the caller needs, by the query of the request; null: any key is enough.
 */
export function access(
  { accessControl }: Pick<RequestDeps, 'accessControl'>,
  rule: Route['access'],
  needOf: ((query: string) => Need) | null,
): Middleware {
  return async (event, next) => {
    const state = stateOf(event)
    const key = accessControl.admit(event, rule, needOf && needOf(event.url.search))
    if (key !== null) state.headers = await accessControl.count(key)
    // Only now, so that strangers do not learn which accounts there are.
    const { unknown } = state.account
    if (unknown !== null && (rule === 'key' || rule === 'local')) throw noAccount(unknown)
    return next()
  }
}

/**
 * Ends an answer as soon as its caller loses access. Only what needs no more than reading is watched: a request that
 * changes something is completed once its caller was admitted.
 */
export function watch(
  { accessControl, openAnswers }: Pick<RequestDeps, 'accessControl' | 'openAnswers'>,
  needOf: ((query: string) => Need) | null,
): Middleware {
  return async (event, next) => {
    if (event.req.method !== 'GET' && needOf?.(event.url.search) !== 'read') return next()
    const { account } = stateOf(event)
    const open = openAnswers.watch(() => {
      accessControl.admit(event, 'local', needOf && needOf(event.url.search))
      account.assertReached()
    })
    try {
      const result = await open.throughout(next())
      return watched(isAnswer(result) ? result : jsonAnswer(result), open)
    } catch (error) {
      open.leave()
      throw error
    }
  }
}

/** The answer; if its body is a stream, the stream ends as soon as the caller loses access. */
function watched(answer: Answer, open: OpenAnswer): Answer {
  const body = streamed(answer)
  if (body instanceof ReadableStream) return { ...answer, body: open.guard(body) }
  open.leave()
  return answer
}

/** Whether an error is the server's own: not a refusal, and not the end of work whose caller left. */
function isFault(error: unknown, event: H3Event): boolean {
  if (error instanceof LocalpostError) return error.code === 'internal_error'
  const { aborted, reason } = event.req.signal
  return !aborted || error !== reason
}

/** Adds the request to the log. */
function logged(answer: Answer, event: H3Event, log: RequestLog): Answer {
  const { exchange, isCut } = stateOf(event)
  exchange.status = isCut ? 0 : answer.status
  exchange.responseBody = beginningOf(answer)
  log.add(exchange)
  return isTerminal(event.req.headers) ? withLineEnd(answer) : answer
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

/** The beginning of a text answer for the request log, at least as much as the log keeps; null if it is not text. */
function beginningOf({ body }: Answer): string | null {
  if (typeof body === 'string') return body
  return isLongJson(body) ? (body.pieces().next().value ?? null) : null
}
