import type { H3Event } from 'h3'
import { FastResponse } from 'srvx'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import type { Answer } from './answer.ts'
import { errorAnswer, isAnswer, jsonAnswer, streamBody } from './answer.ts'
import type { JobQueue } from '../core/job-queue.ts'
import type { JobThread } from '../core/job-thread.ts'
import { type ClientAddresses, socketRequestOf, socketResponseOf } from './client-address.ts'
import type { AccessControl } from './access.ts'
import type { FaultGate } from './faults.ts'
import { isCut } from './faults.ts'
import type { bodyJobs } from './long-bodies.ts'
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

/** Dependencies of the handling of every request. */
export interface DispatchDeps extends RequestRooms {
  readonly accessControl: AccessControl
  readonly addresses: ClientAddresses
  readonly faults: FaultGate
  readonly log: RequestLog
  /** Where requests with long bodies wait for their turn. */
  readonly large: JobQueue
  /** Where they are read. */
  readonly thread: JobThread<typeof bodyJobs>
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
      // Only reads are watched: a request that changes something is completed once its caller was admitted.
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
      if (isFault(error, event)) deps.onError(error)
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

/** Whether an error is the server's own: not a refusal, and not the end of work whose caller left. */
function isFault(error: unknown, event: H3Event): boolean {
  if (error instanceof LocalpostError) return error.code === 'internal_error'
  const { aborted, reason } = event.req.signal
  return !aborted || error !== reason
}

/** Name of the member of h3's context that holds a function: it throws if the account cannot be reached any more. */
export const assertAccountReached = 'localpost.assertAccountReached'

function assertReached(event: H3Event): void {
  const assertIt: unknown = event.context[assertAccountReached]
  if (typeof assertIt === 'function') assertIt()
}

/** The answer; if its body is a stream, the stream ends as soon as the caller loses access. */
function watchedAnswer(answer: Answer, open: OpenAnswer): Answer {
  const body = streamed(answer)
  if (body instanceof ReadableStream) return { ...answer, body: open.guard(body) }
  open.leave()
  return answer
}

/** The body of an answer. Long JSON becomes a stream, which is written while it is read. */
function streamed({ body }: Answer): Exclude<Answer['body'], LongJson> {
  return isLongJson(body) ? streamBody(readLongJson(body)) : body
}

/** Name of the member of h3's context that holds a function: it records that the account is in use. Not for `default`. */
export const accountUsed = 'localpost.accountUsed'

/** Name of the member of h3's context that holds the name of an account that the caller may not see. */
export const unknownAccount = 'localpost.unknownAccount'

/** @throws not_found. Only after the caller's key was checked, so that strangers do not learn which accounts there are. */
function assertAccount(event: H3Event): void {
  const name: unknown = event.context[unknownAccount]
  if (typeof name === 'string') throw noAccount(name)
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

/** The beginning of a text answer for the request log, at least as much as the log keeps; null if it is not text. */
function beginningOf({ body }: Answer): string | null {
  if (typeof body === 'string') return body
  return isLongJson(body) ? (body.pieces().next().value ?? null) : null
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
