import type { H3Event, Middleware } from 'h3'
import { count } from '../core/counts.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { isLongJson } from '../core/long-json.ts'
import { type Answer, errorAnswer, isAnswer, jsonAnswer } from './answer.ts'
import type { RequestDeps } from './middleware.ts'
import type { RequestLog } from './request-log.ts'
import { beginState, type RequestState, socketRequestOf, stateOf } from './request-state.ts'
import { toResponse } from './to-response.ts'

/**
 * The first middleware of all: makes a Response of what the next ones return, an {@link Answer} or a value for JSON, and
 * of errors. Adds the request to the log.
 */
export function respond(deps: RequestDeps): Middleware {
  const { faceOf, addresses, answers, failedLogins, log, requests, onError } = deps
  const refusal = (error: unknown, event: H3Event): Answer => {
    if (isFault(error, event)) onError(error)
    const isCounted = isErrorOf(error, 'invalid_api_key') && socketRequestOf(event)
    const shown = isCounted ? failedLogins.countFailure(addresses.ipOf(event), error) : error
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
    if (state.isLogged) {
      logAnswer(answer, state, log)
      if (isTerminal(event.req.headers)) answer = withLineEnd(answer)
    }
    return toResponse(answer, event, state)
  }
}

/** Where an answer is counted: no part of it is the client's own text. */
function tallyOf({ req }: H3Event, { route, isCut }: RequestState, { status }: Answer): string {
  const method = countedMethods.test(req.method) ? req.method : 'other'
  return `${method} ${route} ${isCut ? 'cut' : status}`
}

const countedMethods = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/

/** Whether an error is the server's own: not a refusal, and not the end of work whose caller left. */
function isFault(error: unknown, event: H3Event): boolean {
  if (error instanceof LocalpostError) return error.code === 'internal_error'
  const { aborted, reason } = event.req.signal
  return !aborted || error !== reason
}

/** Adds the request to the log. */
function logAnswer(answer: Answer, { exchange, isCut }: RequestState, log: RequestLog): void {
  exchange.status = isCut ? 0 : answer.status
  exchange.responseBody = beginningOf(answer)
  log.add(exchange)
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
