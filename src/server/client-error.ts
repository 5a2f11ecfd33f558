import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { jsonType, privateHeaders } from './answer.ts'
import { endSocket, restOfRequest } from './rest-of-request.ts'
import { foreignProtocolOf, useHttp } from './foreign-clients.ts'

/**
 * Answers invalid requests in the shape of every error: garbage, unknown methods, a header that is too large or never
 * ends, a body with broken chunks, CONNECT, an unknown Expect. Node answers these with a status only, or just closes
 * the connection. A client that speaks SMTP, or waits for a greeting until the time is over, gets an SMTP reply.
 *
 * @param smtp  Where the SMTP port is, as `127.0.0.1:1025`; null where that is not known.
 */
export function answerClientErrors(server: Server | SecureServer, smtp: string | null): void {
  // Answered by the handler, with a body.
  Object.assign(server, { requireHostHeader: false })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!mayAnswer(socket)) socket.destroy()
    else if (expectsSmtp(error, socket)) endSocket(socket, smtpReply(smtp))
    else answer(socket, faultOf(error))
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // Node has removed its own listeners, and an error without one would end the process.
    socket.on('error', () => socket.destroy()).resume()
    answer(
      socket,
      new LocalpostError('method_not_allowed', 'CONNECT is for proxies, and this server is not a proxy.'),
    )
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const message = `The header Expect: ${quote(request.headers.expect)} is not supported. Leave the header out.`
    answerOutside(request, response, new LocalpostError('expectation_failed', message))
  })
}

/** Answers a request that the app does not get with an error, after which the connection ends. */
export function answerOutside(
  request: IncomingMessage,
  response: ServerResponse,
  fault: LocalpostError,
): void {
  const body = JSON.stringify(fault)
  const headers = {
    ...privateHeaders,
    'content-type': jsonType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  response.writeHead(fault.status, headers).write(body)
  void restOfRequest(request).then(() => response.end())
}

/**
 * Whether an answer can still be sent on this connection. After the beginning of an answer, another one would be read as part of
 * it, or as the answer to an earlier request.
 */
function mayAnswer(socket: Duplex): boolean {
  if (!socket.writable) return false
  const running = '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null
  return !running || (!running.headersSent && !running.req.complete)
}

function answer(socket: Duplex, fault: LocalpostError): void {
  const body = JSON.stringify(fault)
  const lines = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ''}`,
    'Connection: close',
    ...Object.entries(privateHeaders).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  if (fault.code === 'method_not_allowed') lines.push('Allow: GET, HEAD, POST, PUT, PATCH, DELETE')
  // The handler of the request may still answer, so nothing is sent after this.
  endSocket(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

function faultOf(error: NodeJS.ErrnoException): LocalpostError {
  if (foreignProtocolOf(error) === 'TLS')
    return new LocalpostError('invalid_request', `This is TLS and not an HTTP request: ${useHttp}.`)
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new LocalpostError('header_too_large', 'The header of the request is too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new LocalpostError('request_too_slow', 'The request timed out before it was complete.')
    default:
      return new LocalpostError('invalid_request', `This is no HTTP request: ${error.message}.`)
  }
}

/** Whether the client spoke SMTP, or said nothing until the time for a request was over, as one does that awaits a greeting. */
function expectsSmtp(error: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (foreignProtocolOf(error) === 'SMTP') return true
  const isSilent = socket instanceof Socket && !('encrypted' in socket) && socket.bytesRead === 0
  return isSilent && error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
}

/** RFC 5321 section 3.1: 554 in place of a greeting says that there is no SMTP service. */
const smtpReply = (smtp: string | null): string =>
  `554 5.7.1 this is Localpost's HTTP port; SMTP is at ${smtp ?? 'another port'}\r\n`
