import type { AddressInfo } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { backlog } from '../net/backlog.ts'
import { listenError } from '../net/listen-error.ts'
import { createDelays } from './delays.ts'
import { createHandlers } from './handlers.ts'
import type { CaptureOptions } from './options.ts'
import { CaptureServer } from './server.ts'
import { makeCertificate, type KeyAndCertificate } from './tls.ts'

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

const maxRecipients = 1000

/**
 * Starts the SMTP side: the port for submissions, which accepts every message, and the port that the outbox delivers to.
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
  const given = typeof tls === 'object' ? tls : null
  const keys = given ?? (tls || securePort !== null ? await makeCertificate(options.hostname) : null)
  const delays = createDelays(options.clock)
  const server: CaptureServer = new CaptureServer(
    {
      ...serverOptions(options),
      ...createHandlers(options, delays, {
        handOver: (session, side) => server.handOver(session, side),
        cut: (session, by) => server.cut(session, by),
        notesOf: (session) => server.notesOf(session),
        reportClient: (...given) => server.reportClient(...given),
      }),
      ...keys,
    },
    { ...options, clock: delays },
  )
  const { address, port } = await listen(server, options)
  const deliveries = await openBeside(
    server,
    { host: address.includes(':') ? '::1' : '127.0.0.1', port: 0 },
    false,
  )
  const secure =
    securePort === null ? null : await openBeside(server, { host: options.host, port: securePort }, true)
  let closed: Promise<void> | undefined
  return {
    host: address,
    port,
    deliveries,
    securePort: secure && secure.port,
    useCertificate: (certificate) => void (keys && server.updateSecureContext(certificate)),
    accepting: () => server.server.listening && !server.isClosing,
    endDelays: () => delays.end(),
    close: () => {
      delays.end()
      return (closed ??= server.shutDown())
    },
  }
}

function serverOptions(options: CaptureOptions): SMTPServerOptions {
  return {
    name: options.hostname,
    banner: 'Localpost',
    heloResponse: '%s at your service',
    logger: false,
    disableReverseLookup: true,
    // WIZ, SHELL and KILL are joke commands of smtp-server; XCLIENT and XFORWARD are for proxies.
    disabledCommands: ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD', ...(options.tls ? [] : ['STARTTLS'])],
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: options.auth === 'optional',
    allowInsecureAuth: true,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    hideREQUIRETLS: true,
    size: options.maxSizeBytes ?? 40 * 1024 * 1024,
    rejectOversized: true,
    maxRecipients,
  }
}

function listen(server: CaptureServer, { host, port, onError }: CaptureOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(listenError('SMTP', error, { host, port }))
    server.once('error', fail)
    server.listen({ port, host, backlog }, () => {
      // Clients may connect from now on; an unhandled error would end the process.
      server.off('error', fail).on('error', (error) => {
        if (!isDisconnect(error)) onError?.(error)
      })
      resolve(server.server.address() as AddressInfo)
    })
  })
}

/** Opens the port for deliveries, or the one that begins with TLS. */
async function openBeside(
  server: CaptureServer,
  address: { host: string; port: number },
  isSecure: boolean,
): Promise<Capture['deliveries']> {
  try {
    return await (isSecure ? server.listenWithTls(address) : server.listenForDeliveries(address.host))
  } catch (error) {
    await server.shutDown()
    throw listenError('SMTP', error, address)
  }
}

/** A client that disconnects in the middle of a transaction. */
function isDisconnect(error: NodeJS.ErrnoException): boolean {
  return ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
    error.code ?? '',
  )
}
