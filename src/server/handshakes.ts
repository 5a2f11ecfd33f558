import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { plainAddress } from '../net/addresses.ts'
import { tlsFaultOf, tlsReason } from '../net/tls-words.ts'

/** A failed handshake at the HTTPS port. */
export interface HandshakeFault {
  address: string
  kind: 'http' | 'certificate' | 'handshake'
  /** What the client did and what to do, to be put after the client. */
  words: string
}

export const unknownAddress = 'an unknown address'

/**
 * Reports every failed TLS handshake, but not a connection that ends before its first byte, as those of port scanners and
 * health checks do.
 */
export function reportHandshakes(
  server: Server | SecureServer,
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
    const described = describe(error, below?.bytesRead ?? 0)
    if (described === null) return
    const address = (below && addresses.get(below)) ?? socket.remoteAddress ?? unknownAddress
    report({ address: plainAddress(address), ...described })
  })
}

function describe(
  error: NodeJS.ErrnoException,
  bytesRead: number,
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
  const advice = 'Check which TLS versions the client uses, and that it speaks TLS at all.'
  return { kind, words: `failed its TLS handshake at the HTTPS port${said}. ${advice}` }
}

const certificateAdvice =
  'Make the client trust the certificate, turn off its certificate check, or give `tls` or `--tls-cert` a certificate that the client trusts.'
