import type { H3Event } from 'h3'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What our own listener puts into the context of its requests; everything without it came in process. */
export function listenerContext(
  request: IncomingMessage,
  response?: ServerResponse,
): Record<string, unknown> {
  return { [listenerRequest]: request, [listenerResponse]: response }
}

/**
 * The socket's request, for a request that came through our own listener.
 *
 * @returns undefined in process, also where a server that we are mounted in has a request of its own: it may have read
 *   the body already, and it decides about hosts itself.
 */
export function socketRequestOf(event: H3Event): IncomingMessage | undefined {
  return event.context[listenerRequest] as IncomingMessage | undefined
}

/** Where its answer is written; undefined in process. */
export function socketResponseOf(event: H3Event): ServerResponse | undefined {
  return event.context[listenerResponse] as ServerResponse | undefined
}

/** The IP address that a request comes from; `127.0.0.1` in process. What a proxy says of others does not count. */
export function ipOf(event: H3Event): string {
  return socketRequestOf(event)?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
}

const listenerRequest = 'localpost.listener'
const listenerResponse = 'localpost.response'
