import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { createCounts, type SmtpCounts } from '../core/counts.ts'
import { clearInterval, clearTimeout, monotonicNow, setInterval, setTimeout } from '../core/machine.ts'
import { networkOf } from '../net/addresses.ts'
import { authorityOf, reachableHost } from '../net/hosts.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import { describeClientFault, type ClientFault, type RightPorts } from './client-faults.ts'
import { CaptureConnection, maxRecipients } from './connection.ts'
import type { Delays } from './delays.ts'
import type { FaultAt } from './faults.ts'
import type { CaptureOptions } from './options.ts'
import type { AccountSide } from './account-side.ts'
import { defaultSmtpTimeouts } from './progress.ts'
import { smtpUserOf } from './auth.ts'
import { authMethods } from './replies.ts'
import { Slots } from './slots.ts'
import type { KeyAndCertificate } from './certificate.ts'
import type { ConnectionHost } from './connection-host.ts'

/**
 * smtp-server with {@link CaptureConnection}, and with a quick shutdown. `startCapture` gives it its handlers. The README has
 * the rules for overrides. The methods without a comment are those of {@link ConnectionHost}.
 */
export class CaptureServer extends SMTPServer implements ConnectionHost<CaptureConnection> {
  isClosing = false
  readonly clock: Delays
  readonly isStrict: boolean
  readonly faultAt: FaultAt
  readonly counts: SmtpCounts
  /** Where the outbox delivers: not the port of apps, whose faults for the greeting and EHLO come before AUTH. */
  readonly deliveries: Server
  /** The port that begins with TLS. */
  readonly withTls: Server
  readonly #options: CaptureOptions
  /** Ends the pause of `#emptyWithin`. */
  #onForgotten = (): void => {}
  /** Connections by session id, until their socket is closed. The base removes a connection earlier. */
  readonly #open = new Map<string, CaptureConnection>()
  /** The connections that count as clients. The others in `#open` are deliveries, or wait for a client that was answered 421. */
  readonly #slots: Slots
  readonly #isFirstOfMinute: (key: string) => boolean
  #sweeping: NodeJS.Timeout | undefined

  constructor(given: CaptureOptions, delays: Delays, keys: KeyAndCertificate | null) {
    super({
      name: given.hostname,
      banner: 'Localpost',
      heloResponse: '%s at your service',
      logger: false,
      disableReverseLookup: true,
      // WIZ, SHELL and KILL are joke commands of smtp-server; XCLIENT and XFORWARD are for proxies.
      disabledCommands: ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD', ...(given.tls ? [] : ['STARTTLS'])],
      authMethods: [...authMethods],
      authOptional: given.auth === 'optional',
      allowInsecureAuth: true,
      maxAllowedUnauthenticatedCommands: Number.POSITIVE_INFINITY,
      hideENHANCEDSTATUSCODES: false,
      hideDSN: false,
      hideREQUIRETLS: true,
      size: given.maxSizeBytes ?? 40 * 1024 * 1024,
      rejectOversized: true,
      maxRecipients,
      ...keys,
    })
    this.#options = given
    this.clock = delays
    this.isStrict = given.strict ?? false
    this.faultAt = given.faultAt
    this.counts = given.counts ?? createCounts().smtp
    this.#slots = new Slots(given.maxClients)
    this.#isFirstOfMinute = createOncePerMinute(given.now)
    this.deliveries = createServer((socket) => this.connect(socket, {}, 'delivery'))
    this.withTls = createServer((socket) => this.connect(socket, {}, 'tls'))
    for (const server of [this.deliveries, this.withTls]) server.on('error', (error) => this._onError(error))
    if (given.keepAlive === false) for (const server of this.#servers) server.unref()
    // The base catches what a command throws, answers 451, and only logs it.
    this.logger.error = (entry) => {
      if (typeof entry === 'object' && entry['tnx'] === 'command') this._onError(entry['err'] as Error)
    }
  }

  get #servers(): readonly Server[] {
    return [this.server, this.deliveries, this.withTls]
  }

  /** How many sessions of apps are open. */
  get sessionCount(): number {
    return this.#slots.size
  }

  get ports(): RightPorts {
    const { httpUrl, tls } = this.#options
    return {
      smtp: shownPlace(this.server) ?? 'another port',
      smtps: shownPlace(this.withTls),
      http: httpUrl?.() ?? null,
      hasStartTls: tls !== false,
    }
  }

  admit(connection: CaptureConnection): boolean {
    return this.#slots.admit(connection, monotonicNow())
  }

  dismiss(connection: CaptureConnection): void {
    if (this.#open.size - this.#slots.size > maxLingering) connection.destroy()
  }

  tellRefusal(command: string, reply: string, { session, remoteAddress: client }: CaptureConnection): void {
    if (this.isClosing) return
    const user = smtpUserOf(session)
    const account = user ? (user.side ?? this.#options).accountName : undefined
    this.#options.onRefused?.({ command, reply, client, account })
  }

  reportClient(fault: ClientFault, address: string, detail: string): void {
    if (this.#isFirstOfMinute(`${fault} ${networkOf(address)}`))
      this.#options.onClientFault?.(describeClientFault(fault, address, detail, this.ports))
  }

  #sweep(): void {
    const now = monotonicNow()
    const patience = { ...defaultSmtpTimeouts, ...this.#options.patience }
    for (const connection of this.#open.values()) connection.checkProgress(now, patience)
  }

  /** There is no proxy protocol. The base would take the socket a turn later, after `shutDown` looked for open ones. */
  override _handleProxy(...[, callback]: Parameters<SMTPServer['_handleProxy']>): void {
    callback(null)
  }

  override connect(
    socket: Socket,
    options?: ConstructorParameters<typeof CaptureConnection>[2],
    kind: 'submission' | 'delivery' | 'tls' = 'submission',
  ): void {
    if (this.isClosing) return void socket.destroy()
    if (this.#options.keepAlive === false) socket.unref()
    const connection = new CaptureConnection(this, socket, options)
    connection.isDelivery = kind === 'delivery'
    connection.needsUpgrade = kind === 'tls'
    this.connections.add(connection)
    this.#open.set(connection.id, connection)
    if (kind !== 'delivery') {
      this.counts.sessions++
      this.#options.sessions?.begin(connection)
    }
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref()
    connection.on('error', (error: Error) => this._onError(error))
    connection.init()
  }

  /** The connection of a session; undefined once its socket is closed. */
  connectionOf({ id }: SMTPServerSession): CaptureConnection | undefined {
    return this.#open.get(id)
  }

  /** Gives a session to the log of its account, once its credentials say which that is. */
  handOver(session: SMTPServerSession, { sessions }: AccountSide): void {
    const connection = this.connectionOf(session)
    if (!connection || connection.isDelivery) return
    this.#options.sessions?.leave(connection)
    sessions?.begin(connection)
  }

  forget(connection: CaptureConnection): void {
    if (!this.#open.delete(connection.id)) return
    this.#onForgotten()
    const sessions = smtpUserOf(connection.session)?.side?.sessions ?? this.#options.sessions
    sessions?.end(connection)
    this.#slots.release(connection)
    if (this.#open.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }

  /** Loads no key without STARTTLS. The base would load its built-in key, which is public and expired. */
  override updateSecureContext(options?: SMTPServerOptions): void {
    if (options || this.options.key) super.updateSecureContext(options)
    else this.secureContext = new Map()
  }

  /** Stops listening, ends every connection (see {@link Capture.close}), and resolves when no handle is left. */
  async shutDown(): Promise<void> {
    this.isClosing = true
    const closed = Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))),
    )
    for (const connection of this.#open.values()) if (!connection.isBusy) connection.sayClosing()
    await this.#emptyWithin(graceMs, () => [...this.#open.values()].every((connection) => !connection.isBusy))
    for (const connection of this.#open.values()) connection.sayClosing()
    await this.#emptyWithin(lingerMs, () => false)
    for (const connection of this.#open.values()) connection.destroy()
    await closed
  }

  /** Waits until no connection is left, `isEnough` returns true, or the time is over. */
  async #emptyWithin(ms: number, isEnough: () => boolean): Promise<void> {
    const deadline = monotonicNow() + ms
    while (this.#open.size > 0 && !isEnough() && monotonicNow() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 5)
        // At once, because every test that closes its instance waits for the connection of the outbox.
        this.#onForgotten = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}

/** How long `shutDown` waits for transactions in progress, and then for clients to close their side, in milliseconds. */
const graceMs = 1000
const lingerMs = 200
/** How often the progress of clients is checked, in milliseconds. */
const sweepMs = 500
/** How many refused connections may wait for their client to close. */
const maxLingering = 100

/** Where clients on this machine reach a server; null while it does not listen. */
function shownPlace(server: Server): string | null {
  const bound = server.address() as AddressInfo | null
  return bound && authorityOf(reachableHost(bound.address), bound.port)
}
