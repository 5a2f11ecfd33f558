import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'

/**
 * Refuses requests whose body may end elsewhere for a proxy in front, and which Node accepts: those with an empty
 * Transfer-Encoding, and those with another coding before `chunked`, which nothing would decode. Node itself refuses a
 * Transfer-Encoding beside a Content-Length, and one that does not end with `chunked`.
 *
 * @throws invalid_request
 * @see RFC 9112 section 6.1
 */
export function assertFraming({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || !ambiguousCoding.test(coding)) return
  const message = `The request has the header Transfer-Encoding: ${quote(coding)}. Send \`chunked\`, or a Content-Length instead.`
  throw new LocalpostError('invalid_request', message)
}

const ambiguousCoding = /^$|,[ \t]*chunked$/i

/**
 * Makes a function that says whether a request is to be handled. The answer to a request in HTTP/1.0 with a
 * Transfer-Encoding, or to one that {@link assertFraming} refuses, closes its connection. What follows there may be the rest
 * of its body, and is not handled.
 *
 * @see RFC 9112 section 6.1
 */
export function createLastRequests(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const ended = new WeakSet<Socket>()
  return ({ httpVersion, headers, socket }, response) => {
    if (ended.has(socket)) return false
    const coding = headers['transfer-encoding']
    if (coding !== undefined && (httpVersion === '1.0' || ambiguousCoding.test(coding))) {
      ended.add(socket)
      response.setHeader('connection', 'close')
    }
    return true
  }
}

/**
 * A request of which Node believes that it upgrades its connection only if it asks for a websocket. Java's client asks with
 * each first request for HTTP/2, also with those that have a body, and wants them to be answered as they are.
 */
export class ListenerRequest extends IncomingMessage {
  // Not a private member, because the constructor of Node's class sets `upgrade`.
  declare protected asksForUpgrade: boolean | null

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false
    return this.method === 'CONNECT' || (this.method === 'GET' && isWebSocket(this.headers.upgrade))
  }

  set upgrade(asks: boolean | null) {
    this.asksForUpgrade = asks
  }
}

const isWebSocket = (upgrade: string | undefined): boolean => upgrade?.toLowerCase() === 'websocket'
