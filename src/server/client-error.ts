import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { LocalpostError, quote } from '../core/errors.ts'
import { networkOf, plainAddress } from '../net/addresses.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import { tlsFaultOf, tlsReason } from '../net/tls-words.ts'
import { jsonType, privateHeaders } from './answer.ts'
import { endSocket } from './end-socket.ts'
import { restOfRequest } from './rest-of-request.ts'

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
 * After the beginning of an answer, another one would be read as part of it, or as the answer to an earlier request.
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
  // The handler of the request may still answer: this was the last thing that goes out.
  endSocket(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

function faultOf(error: NodeJS.ErrnoException): LocalpostError {
  if (foreignProtocolOf(error) === 'TLS')
    return new LocalpostError(
      'invalid_request',
      'This is TLS and not an HTTP request: this port speaks plain HTTP, use http:// and not https://.',
    )
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

/** The protocol that a client spoke instead of HTTP; null for anything else. */
function foreignProtocolOf(error: NodeJS.ErrnoException): 'TLS' | 'SMTP' | null {
  const bytes = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : null
  if (!bytes) return null
  if (bytes[0] === 0x16 && bytes[1] === 0x03) return 'TLS'
  return smtpCommand.test(bytes.toString('latin1', 0, 6)) ? 'SMTP' : null
}

/** Where the SMTP ports are, as `127.0.0.1:1025`. */
export interface SmtpPlaces {
  smtp: string
  /** The port that begins with TLS; null without one. */
  smtps: string | null
}

const foreignAdvice = {
  SMTP: ({ smtp }: SmtpPlaces) => `SMTP is at ${smtp}`,
  TLS: ({ smtp, smtps }: SmtpPlaces) =>
    `this port speaks plain HTTP, use http:// and not https://. SMTP${smtps === null ? ` is at ${smtp}` : ` with TLS is at ${smtps}`}`,
}

const smtpCommand = /^(?:EHLO|HELO|LHLO|MAIL|RCPT|NOOP|QUIT|RSET)[ \r\n]/i

/**
 * Reports clients that speak another protocol, and those whose TLS handshake fails, once a minute for each network
 * and kind.
 *
 * @param notify  Gets what happened and what to do, and the protocol.
 */
export function reportForeignClients(
  server: Server | SecureServer,
  places: SmtpPlaces,
  notify: (message: string, protocol: 'TLS' | 'SMTP' | 'HTTP') => void,
  now?: () => number,
): void {
  const isNews = createOncePerMinute(now)
  reportHandshakes(server, places, ({ address, kind, words }) => {
    if (isNews(`${kind} ${networkOf(address)}`))
      notify(`A client at ${address} ${words}`, kind === 'http' ? 'HTTP' : 'TLS')
  })
  // Before the answer, which ends the socket and its address with it.
  server.prependListener('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const foreign = foreignProtocolOf(error)
    if (foreign === null) return
    const address = plainAddress(
      (socket instanceof Socket ? socket.remoteAddress : undefined) ?? unknownAddress,
    )
    if (isNews(`${foreign} ${networkOf(address)}`))
      notify(
        `A client at ${address} sent ${foreign} instead of an HTTP request: ${foreignAdvice[foreign](places)}.`,
        foreign,
      )
  })
}

/** A failed handshake at the HTTPS port. */
interface HandshakeFault {
  address: string
  kind: 'http' | 'certificate' | 'handshake'
  /** What the client did and what to do, to be put after the client. */
  words: string
}

const unknownAddress = 'an unknown address'

/**
 * Reports every failed TLS handshake, but not a connection that ends before its first byte, as those of port scanners and
 * health checks do.
 */
function reportHandshakes(
  server: Server | SecureServer,
  places: SmtpPlaces,
  report: (fault: HandshakeFault) => void,
): void {
  // A socket no longer knows its address after its client left.
  const addresses = new WeakMap<Socket, string>()
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress !== undefined) addresses.set(socket, socket.remoteAddress)
  })
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // The connection below TLS. It has no public name.
    const below = '_parent' in socket && socket._parent instanceof Socket ? socket._parent : null
    const described = describe(error, below?.bytesRead ?? 0, places)
    if (described === null) return
    const address = (below && addresses.get(below)) ?? socket.remoteAddress ?? unknownAddress
    report({ address: plainAddress(address), ...described })
  })
}

function describe(
  error: NodeJS.ErrnoException,
  bytesRead: number,
  { smtp }: SmtpPlaces,
): Pick<HandshakeFault, 'kind' | 'words'> | null {
  if (error.code === 'ERR_SSL_HTTP_REQUEST')
    return { kind: 'http', words: 'sent plain HTTP to the HTTPS port. Use https:// and not http://.' }
  const kind = tlsFaultOf(error)
  if (kind === null) {
    // Many clients that reject the certificate disconnect without an error.
    if (error.code !== 'ECONNRESET' || bytesRead === 0) return null
    const words = 'left at the TLS handshake: most likely it does not accept the certificate'
    return { kind: 'certificate', words: `${words}. ${certificateAdvice}` }
  }
  const reason = tlsReason(error.message)
  const said = reason === null ? '' : ` (${reason})`
  if (kind === 'certificate')
    return { kind, words: `did not accept the certificate of the HTTPS port${said}. ${certificateAdvice}` }
  const advice =
    error.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
      ? `Use https:// for this port. SMTP is at ${smtp}.`
      : 'Check which TLS versions the client uses, and that it speaks TLS at all.'
  return { kind, words: `failed its TLS handshake at the HTTPS port${said}. ${advice}` }
}

const certificateAdvice =
  'Make the client trust the certificate, turn off its certificate check, or give `tls` or `--tls-cert` a certificate that the client trusts.'
