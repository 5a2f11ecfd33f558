import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import type { Clock } from '../core/clock.ts'
import { networkOf } from '../net/addresses.ts'
import { backlog } from '../net/backlog.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import { describeClientFault, type ClientFault } from './client-faults.ts'
import { CaptureConnection } from './connection.ts'
import type { FaultAt } from './faults.ts'
import type { ConnectionHost, HostedConnection } from './host.ts'
import type { AccountSide } from './port.ts'
import { userOf } from './session.ts'
import type { SessionNotes } from './transcript.ts'
import { defaultPatience, type Patience } from './progress.ts'
import { Slots, type SlotLimits } from './slots.ts'
import { clearInterval, monotonicNow, setInterval, sleep } from '../core/machine.ts'

/** How long `shutDown` waits for transactions in progress, and then for clients to close their side, in milliseconds. */
const graceMs = 1000
const lingerMs = 200
/** How often the progress of clients is checked, in milliseconds. */
const sweepMs = 500
/** How many refused connections may wait for their client to close. */
const maxLingering = 100
const noLimits: SlotLimits = { total: Number.POSITIVE_INFINITY, perAddress: Number.POSITIVE_INFINITY }

/** smtp-server with {@link CaptureConnection}, and with a quick shutdown that leaves nothing open. */
export class CaptureServer extends SMTPServer implements ConnectionHost {
  isClosing = false
  /** Connections by session id, until their socket is closed. The base removes a connection earlier. */
  readonly #open = new Map<string, CaptureConnection>()
  #connected = 0
  readonly #deliveries: Server
  /** The port that begins with TLS. */
  readonly #withTls: Server
  readonly #slots: Slots
  readonly #patience: Patience
  readonly #sessions: AccountSide['sessions']
  readonly #onClientFault: (message: string) => void
  readonly #isNews: (key: string) => boolean
  #sweeping: NodeJS.Timeout | undefined
  readonly #keepAlive: boolean
  readonly isStrict: boolean
  readonly clock: Clock
  readonly faultAt: FaultAt

  constructor(
    options: SMTPServerOptions,
    deps: {
      strict?: boolean
      clock: Clock
      faultAt: FaultAt
      maxClients?: Partial<SlotLimits>
      patience?: Partial<Patience>
      sessions?: AccountSide['sessions']
      onClientFault?(message: string): void
      now?: () => number
      keepAlive?: boolean
    },
  ) {
    super(options)
    this.#keepAlive = deps.keepAlive ?? true
    this.isStrict = deps.strict ?? false
    this.clock = deps.clock
    this.faultAt = deps.faultAt
    this.#slots = new Slots({ ...noLimits, ...deps.maxClients })
    this.#patience = { ...defaultPatience, ...deps.patience }
    this.#sessions = deps.sessions
    this.#onClientFault = (message) => deps.onClientFault?.(message)
    this.#isNews = createOncePerMinute(deps.now)
    this.#deliveries = createServer((socket) => this.connect(socket, { id: this.#nextId() }, 'delivery'))
    this.#withTls = createServer((socket) => this.connect(socket, { id: this.#nextId() }, 'tls'))
    if (!this.#keepAlive) for (const server of this.#servers) server.unref()
  }

  /**
   * Listens for the outbox on a port of its own. Before AUTH its connections would look like those of an app, and faults
   * for the greeting and EHLO would apply to them.
   */
  listenForDeliveries(host: string): Promise<{ host: string; port: number }> {
    return this.#listenOn(this.#deliveries, { host, port: 0 })
  }

  /** Listens for clients that begin with TLS. */
  listenWithTls(address: { host: string; port: number }): Promise<{ host: string; port: number }> {
    return this.#listenOn(this.#withTls, address)
  }

  #listenOn(
    server: Server,
    { host, port }: { host: string; port: number },
  ): Promise<{ host: string; port: number }> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host, backlog }, () => {
        server.off('error', reject).on('error', (error) => this._onError(error))
        resolve({ host, port: (server.address() as AddressInfo).port })
      })
    })
  }

  get #servers(): readonly Server[] {
    return [this.server, this.#deliveries, this.#withTls]
  }

  /** A session id. A counter is enough, because the id is never sent; the base uses random bytes. */
  #nextId(): string {
    return String(++this.#connected)
  }

  admit(connection: HostedConnection): boolean {
    return this.#slots.admit(connection, monotonicNow())
  }

  dismiss(connection: HostedConnection): void {
    if (this.#open.size - this.#slots.size > maxLingering) connection.destroy()
  }

  reportClient(fault: ClientFault, address: string, detail: string): void {
    if (this.#isNews(`${fault} ${networkOf(address)}`))
      this.#onClientFault(describeClientFault(fault, address, detail))
  }

  #sweep(): void {
    const now = monotonicNow()
    for (const connection of this.#open.values()) connection.checkProgress(now, this.#patience)
  }

  /** There is no proxy support. The base would still delay every connection by a turn of the event loop. */
  override _handleProxy(...[, callback]: Parameters<SMTPServer['_handleProxy']>): void {
    callback(null, { id: this.#nextId() })
  }

  override connect(
    socket: Socket,
    options?: ConstructorParameters<typeof CaptureConnection>[2],
    kind: 'submission' | 'delivery' | 'tls' = 'submission',
  ): void {
    if (!this.#keepAlive) socket.unref()
    const connection = new CaptureConnection(this, socket, options)
    connection.isDelivery = kind === 'delivery'
    connection.needsUpgrade = kind === 'tls'
    this.connections.add(connection)
    this.#open.set(connection.id, connection)
    if (kind !== 'delivery') this.#sessions?.begin(connection)
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref()
    connection.on('error', (error: Error) => this._onError(error))
    connection.init()
  }

  /** Ends the connection of a session without a reply, because of a fault or a rule. */
  cut(session: SMTPServerSession, by: 'fault' | 'rule'): void {
    const connection = this.#open.get(session.id)
    if (!connection) return
    connection.notes.cutBy = by
    connection.destroy()
  }

  /** Gives a session to the log of its account, once its credentials say which that is. */
  handOver(session: SMTPServerSession, { sessions }: AccountSide): void {
    const connection = this.#open.get(session.id)
    if (!connection || connection.isDelivery) return
    this.#sessions?.leave(connection)
    sessions?.begin(connection)
  }

  /** The transcript of a session. */
  notesOf(session: SMTPServerSession): SessionNotes | null {
    return this.#open.get(session.id)?.notes ?? null
  }

  forget(connection: HostedConnection): void {
    const closed = this.#open.get(connection.id)
    if (!closed) return
    this.#open.delete(connection.id)
    const sessions = userOf(closed.session)?.side?.sessions ?? this.#sessions
    sessions?.end(closed)
    this.#slots.release(connection)
    if (this.#open.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }

  // The base would delay each of these two by a turn of the event loop, without need.
  override onConnect(_session: SMTPServerSession, callback: () => void): void {
    callback()
  }

  override onMailFrom(_address: unknown, _session: SMTPServerSession, callback: () => void): void {
    callback()
  }

  /** Loads no key without STARTTLS. The base would load its built-in key, which is public and expired. */
  override updateSecureContext(options?: SMTPServerOptions): void {
    if (options || this.options.key) super.updateSecureContext(options)
    else this.secureContext = new Map()
  }

  /**
   * Stops listening, answers 421 to idle clients, gives transactions in progress a second, and ends every connection.
   * Resolves when no handle is left.
   */
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
      await sleep(5)
    }
  }
}
