import type { AddressInfo } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import type { Clock } from '../core/clock.ts'
import { listenError } from '../net/listen-error.ts'
import type { AuthRules } from './auth.ts'
import { createDelays } from './delays.ts'
import type { FaultAt } from './faults.ts'
import { createHandlers } from './handlers.ts'
import type { Verdict } from '../rules/verdicts.ts'
import type { Submissions } from './port.ts'
import type { Patience } from './progress.ts'
import { CaptureServer } from './server.ts'
import type { SlotLimits } from './slots.ts'
import type { KeyAndCertificate } from './tls.ts'
import { makeCertificate } from './tls.ts'

/** What a capture server needs. */
export interface CaptureOptions extends AuthRules {
  host: string
  /** 0 takes a free one. */
  port: number
  /** The name by which it introduces itself. */
  hostname: string
  /** STARTTLS: off, with a certificate made now, or with an own one in PEM. */
  tls: boolean | KeyAndCertificate
  /** Larger messages are refused with 552 5.3.4. Default: 40 MiB. */
  maxSizeBytes?: number
  /** Connections at once, the outbox's own beside; one more gets 421, unless an idle one can give way. Default: no limit. */
  maxClients?: Partial<SlotLimits>
  /** How long clients may take. Default: as long as RFC 5321 section 4.5.3.2 says. */
  patience?: Partial<Patience>
  /** Takes what apps hand in. */
  submissions: Submissions
  /**
   * What the server says to one recipient of a delivery.
   *
   * @param deliveryId  The id of the email, from ENVID; null without one.
   */
  verdictOf(recipient: string, deliveryId: string | null): Verdict
  /** Whether submissions hear the verdicts too; otherwise every recipient of theirs is accepted. */
  rejectSubmissions: boolean
  /** What goes wrong with submissions. */
  faultAt: FaultAt
  clock: Clock
  /** Whether its ports and connections keep the process alive. Default: true. */
  keepAlive?: boolean
  /** Told of faults of Localpost and of the listener; a client's vanishing is none. */
  onError?(error: unknown): void
  /** Told what a client does wrong and what to do about it, once a minute for each address and fault. */
  onClientFault?(message: string): void
}

/** A running capture server. */
export interface Capture {
  /** As bound. */
  readonly host: string
  readonly port: number
  /** Where the outbox delivers: a port of loopback's own, so that no fault for submissions meets it. */
  readonly deliveries: { readonly host: string; readonly port: number }
  /** Whether new connections are taken. */
  accepting(): boolean
  /**
   * Ends the delays that rules and faults put before answers: what a fault holds happens at once, and a delivery is cut
   * off. To be called before the outbox is waited for, which would wait for them.
   */
  endDelays(): void
  /**
   * Stops: idle clients hear 421, transactions in progress get a second, then every connection ends. Idempotent; no
   * handle is left when it resolves.
   */
  close(): Promise<void>
}

const maxRecipients = 1000

/**
 * Starts the SMTP side: a submission port that takes every message, and the server that the outbox delivers to.
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
  const keys = options.tls === true ? await makeCertificate(options.hostname) : options.tls
  const delays = createDelays(options.clock)
  const server: CaptureServer = new CaptureServer(
    {
      ...serverOptions(options),
      ...createHandlers(options, delays, {
        cut: (session) => server.cut(session),
        notesOf: (session) => server.notesOf(session),
      }),
      ...(keys || undefined),
    },
    { ...options, clock: delays },
  )
  const { address, port } = await listen(server, options)
  const deliveries = await openDeliveries(server, address.includes(':') ? '::1' : '127.0.0.1')
  let closed: Promise<void> | undefined
  return {
    host: address,
    port,
    deliveries,
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
    // WIZ and its kin are jokes of smtp-server; XCLIENT and XFORWARD are for proxies.
    disabledCommands: ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD', ...(options.tls ? [] : ['STARTTLS'])],
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: options.auth === 'optional',
    allowInsecureAuth: true,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    size: options.maxSizeBytes ?? 40 * 1024 * 1024,
    rejectOversized: true,
    maxRecipients,
  }
}

function listen(server: CaptureServer, { host, port, onError }: CaptureOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(listenError('SMTP', error, { host, port }))
    server.once('error', fail)
    server.listen(port, host, () => {
      // Clients come from now on; an error that nobody hears would end the process.
      server.off('error', fail).on('error', (error) => {
        if (!isDisconnect(error)) onError?.(error)
      })
      resolve(server.server.address() as AddressInfo)
    })
  })
}

async function openDeliveries(server: CaptureServer, host: string): Promise<Capture['deliveries']> {
  try {
    return await server.listenForDeliveries(host)
  } catch (error) {
    await server.shutDown()
    throw listenError('SMTP', error, { host, port: 0 })
  }
}

/** A client that goes away in the middle of something. */
function isDisconnect(error: NodeJS.ErrnoException): boolean {
  return ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
    error.code ?? '',
  )
}
