import type { H3Event } from 'h3'
import { FastResponse } from 'srvx'
import { isLongJson, type LongJson, readLongJson } from '../core/long-json.ts'
import { andMore } from '../core/quote.ts'
import { type Answer, webSocketStatus } from './answer.ts'
import { streamBody } from './body-streams.ts'
import type { RequestState } from './request-state.ts'
import { endAfterRequest } from './rest-of-request.ts'

/**
 * The response of an answer, with the headers and warnings that were collected while the request was handled. Writes
 * `isStreamed` and `webSocket` of the state.
 */
export function toResponse(given: Answer, event: H3Event, state: RequestState): Response {
  const request = state.socket?.req
  const isHead = event.req.method === 'HEAD'
  const answer = request && !request.complete && !isHead ? endAfterRequest(given, request) : given
  const { status } = answer
  const body = streamed(answer)
  const all: Record<string, string> = { ...state.headers, ...answer.headers }
  const { warnings } = state.exchange
  if (!state.isLogged && warnings.length > 0) all['warning'] = warningOf(warnings)
  // For a socket, h3's own server has a response that makes no web stream and no Headers object.
  const ResponseClass = request ? FastResponse : Response
  if (isHead) {
    // An unread stream would stay open.
    if (body instanceof ReadableStream) body.cancel().catch(() => undefined)
    else all['content-length'] ??= String(body === null ? 0 : Buffer.byteLength(body))
    return new ResponseClass(null, { status, headers: all })
  }
  state.isStreamed = body instanceof ReadableStream
  if (status === webSocketStatus && body instanceof ReadableStream) {
    state.webSocket = { headers: answer.headers, frames: body }
    // It is not sent, and a Response cannot have this status.
    return new ResponseClass(null)
  }
  const cookies = (answer.cookies ?? []).map((cookie): [string, string] => ['set-cookie', cookie])
  const headers = cookies.length === 0 ? all : [...Object.entries(all), ...cookies]
  return new ResponseClass(body as ResponseBody, { status, headers })
}

// h3's type follows the DOM's, which does not include byte arrays with shared memory.
type ResponseBody = ConstructorParameters<typeof Response>[0]

/** The body of an answer. Long JSON becomes a stream, which is written while it is read. */
export function streamed({ body }: Answer): Exclude<Answer['body'], LongJson> {
  return isLongJson(body) ? streamBody(readLongJson(body)) : body
}

/**
 * The warnings of a request that the log does not keep, each text once, as a header of RFC 7234 section 5.5. Many requests in
 * one body have many, and clients refuse answers whose headers have more than 16 KB.
 */
function warningOf(warnings: readonly string[]): string {
  const texts = [...new Set(warnings)]
  const said: string[] = []
  let left = maxWarningChars
  for (const text of texts) {
    const value = warningValue(text)
    left -= value.length
    if (left < 0) return [...said, warningValue(andMore(texts.length - said.length))].join(', ')
    said.push(value)
  }
  return said.join(', ')
}

const warningValue = (text: string): string =>
  `299 localpost ${JSON.stringify(text.replace(/[^\x20-\x7e]/g, '?'))}`

const maxWarningChars = 4000
