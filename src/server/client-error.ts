import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { LocalpostError } from '../core/errors.ts'

/**
 * Answers what Node's parser takes for no HTTP request, in the shape of every error: garbage, methods that nobody knows,
 * a header that is too large or never ends. Node by itself answers with a status alone.
 */
export function answerNoHttp(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Behind an answer that is on its way, another one would be read as a part of it.
    if (!socket.writable || hasAnswerOnItsWay(socket)) {
      socket.destroy()
      return
    }
    const fault = faultOf(error)
    const body = JSON.stringify(fault)
    const lines = [
      `HTTP/1.1 ${fault.status} ${phrases[fault.code] ?? ''}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}

function hasAnswerOnItsWay(socket: Duplex): boolean {
  return '_httpMessage' in socket && Boolean(socket._httpMessage)
}

function faultOf({ code, message }: NodeJS.ErrnoException): LocalpostError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new LocalpostError('header_too_large', 'The header of the request is too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new LocalpostError('request_too_slow', 'The request did not come to its end in time.')
    default:
      return new LocalpostError('invalid_request', `This is no HTTP request: ${message}.`)
  }
}

const phrases: Readonly<Record<string, string>> = {
  header_too_large: 'Request Header Fields Too Large',
  request_too_slow: 'Request Timeout',
  invalid_request: 'Bad Request',
}
