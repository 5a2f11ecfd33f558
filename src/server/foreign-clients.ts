import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { networkOf, plainAddress } from '../net/addresses.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import { tlsFaultOf, tlsReason } from '../net/tls-words.ts'

/** Where the SMTP ports are, as `127.0.0.1:1025`. */
export interface SmtpPlaces {
  smtp: string
  /** The port that begins with TLS; null without one. */
  smtps: string | null
}

/**
 * Reports clients that speak another protocol, and those whose TLS handshake fails, once a minute for each network
 * and kind. A connection that ends before its first byte is not reported: port scanners and health checks make such ones.
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
  const report = (from: string, kind: string, did: string, protocol: 'TLS' | 'SMTP' | 'HTTP'): void => {
    const address = plainAddress(from)
    if (isNews(`${kind} ${networkOf(address)}`)) notify(`A client at ${address} ${did}`, protocol)
  }
  // A socket no longer knows its address after its client left.
  const addresses = new WeakMap<Duplex, string>()
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress !== undefined) addresses.set(socket, socket.remoteAddress)
  })
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // The connection below TLS. It has no public name.
    const below = '_parent' in socket && socket._parent instanceof Socket ? socket._parent : null
    const fault = handshakeFault(error, below?.bytesRead ?? 0, places)
    if (fault === null) return
    const address = (below && addresses.get(below)) ?? socket.remoteAddress ?? unknownAddress
    report(address, fault.kind, fault.words, fault.kind === 'http' ? 'HTTP' : 'TLS')
  })
  // Before the answer, which ends the socket and its address with it.
  server.prependListener('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const protocol = foreignProtocolOf(error)
    if (protocol === null) return
    const address = (socket instanceof Socket ? socket.remoteAddress : undefined) ?? unknownAddress
    const did = `sent ${protocol} instead of an HTTP request: ${foreignAdvice[protocol](places)}.`
    report(address, protocol, did, protocol)
  })
}

const unknownAddress = 'an unknown address'

/** The advice for a client that speaks TLS to the port for HTTP. */
export const useHttp = 'this port speaks plain HTTP, use http:// and not https://'

const foreignAdvice = {
  SMTP: ({ smtp }: SmtpPlaces) => `SMTP is at ${smtp}`,
  TLS: ({ smtp, smtps }: SmtpPlaces) =>
    `${useHttp}. SMTP${smtps === null ? ` is at ${smtp}` : ` with TLS is at ${smtps}`}`,
}

/** The protocol that a client spoke instead of HTTP; null for anything else. */
export function foreignProtocolOf(error: NodeJS.ErrnoException): 'TLS' | 'SMTP' | null {
  const bytes = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : null
  if (!bytes) return null
  if (bytes[0] === 0x16 && bytes[1] === 0x03) return 'TLS'
  return smtpCommand.test(bytes.toString('latin1', 0, 6)) ? 'SMTP' : null
}

const smtpCommand = /^(?:EHLO|HELO|LHLO|MAIL|RCPT|NOOP|QUIT|RSET)[ \r\n]/i

/**
 * What a client did whose handshake at the HTTPS port failed, and what to do, to be put after the client.
 *
 * @returns null for a connection that ended before its first byte.
 */
function handshakeFault(
  error: NodeJS.ErrnoException,
  bytesRead: number,
  { smtp }: SmtpPlaces,
): { kind: 'http' | 'certificate' | 'handshake'; words: string } | null {
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
