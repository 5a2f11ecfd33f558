import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { backlog } from '../net/backlog.ts'
import { listenError } from '../net/listen-error.ts'
import { createDelays } from './delays.ts'
import { createHandlers } from './handlers.ts'
import type { CaptureOptions } from './options.ts'
import { CaptureServer } from './server.ts'
import { makeCertificate, type KeyAndCertificate } from './certificate.ts'

/** A running capture server. */
export interface Capture {
  /** The bound address. */
  readonly host: string
  readonly port: number
  /** Where the outbox delivers: a separate port on loopback, so that faults for submissions do not apply to deliveries. */
  readonly deliveries: { readonly host: string; readonly port: number }
  /** The port that begins with TLS; null without one. */
  readonly securePort: number | null
  /** Uses another certificate for new TLS sessions; no effect where there was none. */
  useCertificate(certificate: KeyAndCertificate): void
  /** How many sessions of apps are open. */
  sessionCount(): number
  /** Whether new connections are accepted. */
  accepting(): boolean
  /**
   * Ends the delays of rules and faults: a delayed fault happens at once, and a delayed delivery is disconnected. Call it
   * before waiting for the outbox, which would otherwise wait for these delays.
   */
  endDelays(): void
  /**
   * Stops: idle clients get 421, transactions in progress get a second, then every connection ends. Idempotent; no
   * handle is left when it resolves.
   */
  close(): Promise<void>
}

/**
 * Starts the SMTP side: the port for submissions, the one that begins with TLS if there is one, and the port that the outbox
 * delivers to.
 *
 * A session that authenticates as the outbox (`localpost-outbox` with `deliverySecret`) delivers: each recipient gets
 * its verdict as a real reply, and the message is read and dropped, for the outbox has stored it. Every other session
 * submits.
 *
 * @throws port_in_use when another program has the port.
 * @throws listen_failed when the address cannot be bound for another reason.
 * @see RFC 5321, RFC 4954 (AUTH), RFC 3207 (STARTTLS), RFC 1870 (SIZE), RFC 6531 (SMTPUTF8), RFC 3461 (DSN)
 */
export async function startCapture(options: CaptureOptions): Promise<Capture> {
  const { tls, securePort = null } = options
  const given = typeof tls === 'object' ? tls : options.ownCertificate
  const keys = given ?? (tls || securePort !== null ? await makeCertificate(options.hostname) : null)
  const delays = createDelays(options.clock)
  const server = new CaptureServer(options, delays, keys)
  Object.assign(server, createHandlers(options, server))
  // Clients may connect before all ports are open; an unhandled error would end the process. `listen` reports its own.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && !disconnectCodes.has(error.code)) options.onError?.(error)
  })
  try {
    const { address, port } = await listen(server.server, options.host, options.port)
    const host = address.includes(':') ? '::1' : '127.0.0.1'
    const deliveries = { host, port: (await listen(server.deliveries, host, 0)).port }
    const secure = securePort === null ? null : await listen(server.withTls, options.host, securePort)
    let closed: Promise<void> | undefined
    return {
      host: address,
      port,
      deliveries,
      securePort: secure && secure.port,
      useCertificate: (certificate) => void (keys && server.updateSecureContext(certificate)),
      sessionCount: () => server.sessionCount,
      accepting: () => server.server.listening && !server.isClosing,
      endDelays: () => delays.end(),
      close: () => {
        delays.end()
        return (closed ??= server.shutDown())
      },
    }
  } catch (error) {
    await server.shutDown()
    throw error
  }
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    await once(server.listen({ port, host, backlog }), 'listening')
  } catch (error) {
    throw listenError('SMTP', error, { host, port })
  }
  return server.address() as AddressInfo
}

/** The errors of a client that disconnects in the middle of a transaction. */
const disconnectCodes: ReadonlySet<string | undefined> = new Set(
  'ECONNRESET EPIPE ETIMEDOUT ECONNABORTED EHOSTUNREACH ENETUNREACH'.split(' '),
)
