import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LocalpostError, quote } from '../core/errors.ts'

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
  if (coding === undefined || !acceptedByNode.test(coding)) return
  const message = `The request has the header Transfer-Encoding: ${quote(coding)}. Send \`chunked\`, or a Content-Length instead.`
  throw new LocalpostError('invalid_request', message)
}

const acceptedByNode = /^$|,[ \t]*chunked$/i

/**
 * Tells which requests are handled. The answer to a request in HTTP/1.0 with a Transfer-Encoding, or to one that
 * {@link assertFraming} refuses, closes its connection. What follows there may be the rest of its body, and is not handled.
 *
 * @see RFC 9112 section 6.1
 */
export function createLastRequests(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const ended = new WeakSet<Socket>()
  return ({ httpVersion, headers, socket }, response) => {
    if (ended.has(socket)) return false
    const coding = headers['transfer-encoding']
    if (coding !== undefined && (httpVersion === '1.0' || acceptedByNode.test(coding))) {
      ended.add(socket)
      response.setHeader('connection', 'close')
    }
    return true
  }
}
